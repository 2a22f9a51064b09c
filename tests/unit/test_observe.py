"""Series in files: those of workers that ended are one, whoever looks meanwhile, and nothing is counted twice."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from proxy.logs import take_request_id
from proxy.series import MULTIPROCESS_FOLDER, PrometheusMetrics, forget_worker

_WORKER = """
import os
from proxy.series import PrometheusMetrics
made = PrometheusMetrics()
made.counter("saga_a", "A", ["kind"]).labels("x").inc(3)
made.gauge("saga_b", "B", []).set(1)
seconds = made.histogram("saga_c", "C", ["kind"], (1, 2))
for value in (0.5, 1.5, 9):
    seconds.labels("x").observe(value)
"""


# More than the room that is taken at the start: the files grow, and numbers stay where they are.
_CROWD = """
from proxy.series import PrometheusMetrics
made = PrometheusMetrics()
counter = made.counter("saga_a", "A", ["kind"])
first = counter.labels("x")
first.inc()
for n in range(20_000):
    counter.labels(str(n)).inc()
first.inc(2)
"""


def worker(folder: Path, program: str = _WORKER) -> int:
    """Let a process count, and return its id after its end."""
    environment = {**os.environ, MULTIPROCESS_FOLDER: str(folder)}
    child = subprocess.Popen([sys.executable, "-c", program], env=environment)
    assert child.wait(60) == 0
    return child.pid


def shown(metrics: PrometheusMetrics) -> dict[str, float]:
    families = text_string_to_metric_families(metrics.exposition().decode())
    samples = (sample for family in families for sample in family.samples)
    return {f"{sample.name}{json.dumps(sample.labels)}": sample.value for sample in samples}


@pytest.fixture
def metrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PrometheusMetrics:
    """Return metrics that show what is in the folder of the test."""
    monkeypatch.setenv(MULTIPROCESS_FOLDER, str(tmp_path))
    return PrometheusMetrics()


def test_counts_of_ended_workers_are_kept_in_one_file(tmp_path: Path, metrics: PrometheusMetrics) -> None:
    for ended in range(1, 4):
        pid = worker(tmp_path)
        forget_worker(tmp_path, pid)
        found = shown(metrics)
        assert found['saga_a_total{"kind": "x"}'] == 3 * ended
        assert found['saga_c_bucket{"kind": "x", "le": "1.0"}'] == ended
        assert found['saga_c_bucket{"kind": "x", "le": "2.0"}'] == 2 * ended
        assert found['saga_c_bucket{"kind": "x", "le": "+Inf"}'] == found['saga_c_count{"kind": "x"}'] == 3 * ended
        assert found['saga_c_sum{"kind": "x"}'] == 11 * ended
        assert "saga_b{}" not in found
        assert not list(tmp_path.glob(f"*_{pid}.db"))


def test_files_that_grow_lose_no_count(tmp_path: Path, metrics: PrometheusMetrics) -> None:
    worker(tmp_path, _CROWD)
    found = shown(metrics)
    assert found['saga_a_total{"kind": "x"}'] == 3
    assert sum(value for name, value in found.items() if name.startswith("saga_a_total")) == 20_003


def test_while_somebody_looks_nothing_is_moved_and_nobody_waits(tmp_path: Path, metrics: PrometheusMetrics) -> None:
    pid = worker(tmp_path)
    before = shown(metrics)
    with (tmp_path / "series.lock").open("a") as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        forget_worker(tmp_path, pid)
    after = shown(metrics)
    assert before.pop("saga_b{}") == 1
    assert after == before
    assert (tmp_path / f"counter_{pid}.db").exists()


@pytest.mark.parametrize("offered", ["a", "A-z.9_:", "x" * 64])
def test_a_sane_request_id_is_taken(offered: str) -> None:
    assert take_request_id(offered) == offered


@pytest.mark.parametrize("offered", [None, "", "x" * 65, "a b", "a\n", "a\u00e9", '"', "a\x00"])
def test_any_other_request_id_is_made_anew_each_time(offered: str | None) -> None:
    one, other = take_request_id(offered), take_request_id(offered)
    assert offered not in (one, other)
    assert one != other
