"""A real Prometheus on a free port that scrapes what a test names, twice a second."""

from __future__ import annotations

import contextlib
import json
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import stage, wire

_PATIENCE_S = 20.0
_CONFIG = """
global: {{scrape_interval: 500ms, scrape_timeout: 500ms}}
scrape_configs:
  - job_name: saga
    static_configs: [{{targets: ["{target}"]}}]
"""


@dataclass(frozen=True, slots=True)
class Prometheus:
    """One server that runs."""

    base: str

    async def ask(self, expression: str) -> list[tuple[Mapping[str, str], float]]:
        """Return the samples of an expression now, each with its labels. What cannot be evaluated fails the test."""
        got = await wire.get(f"{self.base}/api/v1/query", {"query": expression})
        assert got.status == 200, (expression, got.body)
        found = got.json["data"]["result"]
        return [(each["metric"], float(each["value"][1])) for each in found]

    async def number(self, expression: str) -> float:
        """Return the one sample of an expression; 0 where there is none."""
        found = await self.ask(expression)
        assert len(found) <= 1, found
        return found[0][1] if found else 0.0

    async def names(self) -> set[str]:
        """Return the names of all series that ever arrived."""
        found: list[str] = (await self._get("label/__name__/values"))["data"]
        return set(found)

    async def _get(self, page: str) -> Any:
        return (await wire.get(f"{self.base}/api/v1/{page}")).json


def promtool(*words: str) -> str:
    """Run Prometheus's own checker on words such as `check rules FILE`, and return what is wrong; or skip."""
    program = stage.program("promtool")
    if program is None:
        pytest.skip("prometheus is not installed")
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@contextlib.contextmanager
def prometheus_server(target: str, folder: Path) -> Iterator[Prometheus]:
    """Start Prometheus on the address of a proxy, and end it. Skips the test where there is none."""
    program = stage.program("prometheus")
    if program is None:
        pytest.skip("prometheus is not installed")
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "prometheus.yml"
    config.write_text(_CONFIG.format(target=urlsplit(target).netloc))
    port = stage.free_port()
    words = [program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]
    words += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    with stage.process(words, cwd=folder) as child:
        _wait(f"http://127.0.0.1:{port}/-/ready", child)
        yield Prometheus(f"http://127.0.0.1:{port}")


def _wait(url: str, child: subprocess.Popen[bytes]) -> None:
    """Wait until it is ready; before that it answers, too, with 503."""
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        assert child.poll() is None, f"prometheus ended with {child.returncode}"
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError("prometheus did not start")


def panels(rate: str) -> Iterator[tuple[str, str]]:
    """Yield every expression of the dashboard, for all endpoints, with the title of its panel."""
    dashboard = json.loads((stage.ROOT / "deploy" / "grafana" / "dashboard.json").read_text(encoding="utf-8"))
    for panel in dashboard["panels"]:
        for target in panel["targets"]:
            yield panel["title"], target["expr"].replace("$endpoint", ".*").replace("[$__rate_interval]", rate)
