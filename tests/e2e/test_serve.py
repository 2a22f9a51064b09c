"""The process as an operator starts it: ready, many workers, and gone without a trace."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import stage

SAGA = [sys.executable, "-m", "proxy"]


@contextlib.contextmanager
def serving(config: Path, *words: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    port = stage.free_port()
    command = [*SAGA, "serve", "--config", str(config), "--port", str(port), *words]
    with stage.process(command, cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        yield f"http://127.0.0.1:{port}", child


def write_config(folder: Path, store: Path, more: str = "") -> Path:
    config = folder / "saga.toml"
    config.write_text(f'{more}\n[endpoints.demo]\nstore = "{store}"\ngraph = "wikidata"\n')
    return config


def fetch(url: str, text: str | None = None) -> tuple[int, bytes]:
    data = None if text is None else urllib.parse.urlencode({"query": text}).encode()
    try:
        with urllib.request.urlopen(url, data, timeout=20) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def descendants(pid: int) -> set[int]:
    """Return the processes below one, and itself."""
    parents = {}
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def alive(pids: set[int]) -> set[int]:
    """Return those that still run; a zombie of ours does not."""
    running = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
                running.add(pid)
    return running


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_signal_ends_everything_within_two_seconds(
    tmp_path: Path, demo_store: Path, workers: str, number: signal.Signals
) -> None:
    with serving(write_config(tmp_path, demo_store), "--workers", workers) as (url, child):
        for _ in range(5):
            assert fetch(url + "/sparql", "ASK { ?s ?p ?o }")[0] == 200
        family = descendants(child.pid)
        assert len(family) > int(workers)
        started = time.monotonic()
        # As a terminal does it: the whole foreground group gets the signal.
        os.killpg(child.pid, number)
        assert child.wait(5) == 0
        assert time.monotonic() - started < 2
        assert not alive(family)


def test_a_stop_signal_does_not_wait_for_a_runaway_query(tmp_path: Path, demo_store: Path) -> None:
    with serving(write_config(tmp_path, demo_store)) as (url, child):
        runaway = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
        client = subprocess.Popen(
            ["curl", "-s", "--data-urlencode", f"query={runaway}", url + "/sparql"], stdout=subprocess.DEVNULL
        )
        time.sleep(0.5)
        family = descendants(child.pid)
        started = time.monotonic()
        child.send_signal(signal.SIGTERM)
        child.wait(5)
        assert time.monotonic() - started < 2
        assert not alive(family)
        client.wait(5)


def test_metrics_of_many_workers_add_up_and_a_dead_one_is_replaced(tmp_path: Path, demo_store: Path) -> None:
    with serving(write_config(tmp_path, demo_store), "--workers", "2") as (url, child):
        for _ in range(30):
            assert fetch(url + "/sparql", "ASK { ?s ?p ?o }")[0] == 200
        fetch(url + "/sparql", "ASK { ?s <urn:nothing> ?o }")
        fetch(url + "/sparql", "SELEKT")
        expected = {("ask", "ok"): 30.0, ("ask", "empty"): 1.0, ("other", "client_error"): 1.0}
        assert counted(url) == expected
        workers = [pid for pid in descendants(child.pid) if b"proxy.worker" in command_line(pid)]
        os.kill(workers[0], signal.SIGKILL)
        until = time.monotonic() + 10
        while time.monotonic() < until:
            now = [pid for pid in descendants(child.pid) if b"proxy.worker" in command_line(pid)]
            if len(now) == 2 and set(now) != set(workers):
                break
            time.sleep(0.1)
        assert len(now) == 2
        assert workers[0] not in now
        stage.wait_for(url + "/health/live", child)
        assert counted(url) == expected
        _, text = fetch(url + "/metrics")
        # The worker that died may have been the only one that had seen a query.
        assert set(re.findall(rb'saga_inflight_queries{endpoint="demo"} (\S+)', text)) <= {b"0.0"}


def command_line(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def counted(url: str) -> dict[tuple[str, str], float]:
    text = fetch(url + "/metrics")[1].decode()
    line = re.compile(r'saga_queries_total\{endpoint="demo",form="(\w+)",outcome="(\w+)"\} (\S+)')
    return {(form, outcome): float(value) for form, outcome, value in line.findall(text)}


def test_workers_do_not_outlive_a_parent_that_was_killed(tmp_path: Path, demo_store: Path) -> None:
    with serving(write_config(tmp_path, demo_store), "--workers", "2") as (url, child):
        fetch(url + "/sparql", "ASK {}")
        family = descendants(child.pid)
        os.kill(child.pid, signal.SIGKILL)
        child.wait(5)
        until = time.monotonic() + 3
        while alive(family) and time.monotonic() < until:
            time.sleep(0.05)
        assert not alive(family)


def test_metrics_may_have_an_address_of_their_own(tmp_path: Path, demo_store: Path) -> None:
    port = stage.free_port()
    config = write_config(tmp_path, demo_store, f'[server]\nmetrics_bind = "127.0.0.1:{port}"\n')
    with serving(config) as (url, _):
        assert fetch(url + "/metrics")[0] == 404
        assert fetch(f"http://127.0.0.1:{port}/metrics")[0] == 200


def test_health_tells_part_by_part(tmp_path: Path, demo_store: Path) -> None:
    dead = stage.free_port()
    config = write_config(tmp_path, demo_store, f'[endpoints.dead]\nurl = "http://127.0.0.1:{dead}/"\n')
    with serving(config) as (url, _):
        assert fetch(url + "/health/live")[0] == 200
        until = time.monotonic() + 10
        while b'"detail": "2 readers"' not in fetch(url + "/health/ready")[1] and time.monotonic() < until:
            time.sleep(0.05)
        status, body = fetch(url + "/health/ready")
        parts = json.loads(body)["endpoints"]
        assert (status, parts["demo"]["ok"], parts["dead"]["ok"]) == (503, True, False)
        status, body = fetch(url + "/sparql", "ASK {}")
        assert (status, json.loads(body)["code"]) == (502, "upstream_failed")
        assert fetch(url + "/sparql/demo", "ASK {}")[0] == 200


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*SAGA, *words], cwd=stage.ROOT, capture_output=True, text=True, timeout=30, check=False)


def test_a_wrong_config_ends_the_start_with_every_mistake(tmp_path: Path) -> None:
    config = tmp_path / "bad.toml"
    config.write_text("[server]\nprot = 1\n[endpoints.x]\n")
    for words in (("serve", "--config"), ("config", "check")):
        done = run(*words, str(config))
        assert done.returncode == 2
        assert "did you mean `port`?" in done.stderr
        assert "give either `url` or `store`" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_taken_port_is_said(tmp_path: Path, demo_store: Path) -> None:
    config = write_config(tmp_path, demo_store)
    with serving(config) as (url, _):
        done = run("serve", "--config", str(config), "--port", url.rpartition(":")[2])
        assert done.returncode == 2
        assert "choose another with --host or --port" in done.stderr


def test_a_good_config_is_said_to_be_so_and_the_keys_are_listed() -> None:
    done = run("config", "check", "config/demo.toml")
    assert (done.returncode, done.stdout.count("ok")) == (0, 1)
    listed = run("config", "keys").stdout
    assert "max_query_bytes = 4194304  # longest query text, in bytes; above it 413" in listed


@pytest.mark.parametrize("words", [("--help",), ("serve", "--help"), ("load", "--help"), ("config", "--help")])
def test_every_command_explains_itself(words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 0
    assert "example:" in done.stdout or words == ("--help",)
