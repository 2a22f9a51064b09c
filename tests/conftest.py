"""What every test may use: real servers on loopback, the shared data, and the rule about skips."""

from __future__ import annotations

import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests import stage

ROOT = Path(__file__).parent.parent

# Where a failure must be found again, the examples are the same at every run; elsewhere new ones are tried.
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("dev", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "dev")


@pytest.fixture(autouse=True)
def _loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that would leave this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not ipaddress.ip_address(address[0]).is_loopback:
            raise AssertionError(f"a test tried to reach {address}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared data, or skip."""
    folder = Path(os.environ.get("SAGA_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip("the shared data is absent (SAGA_SHARED names its folder)")
    return folder


@pytest.fixture(scope="session")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store that holds the demo graph."""
    return stage.demo_store(tmp_path_factory.mktemp("demo") / "store")


@pytest.fixture(scope="session")
def oxigraph(demo_store: Path) -> Iterator[str]:
    """Return the query address of a real Oxigraph server on the demo graph."""
    with stage.oxigraph_server(demo_store) as url:
        yield url


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """With CI=true, a skip whose reason is not in tests/skips.txt is a failure: a missing program hides tests."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") != "true" or reporter is None:
        return
    allowed = [
        line.partition(" # ")[0].strip()
        for line in (ROOT / "tests" / "skips.txt").read_text().splitlines()
        if line.strip() and not line.startswith("#")
    ]
    skipped = [str(report.longrepr[2]) for report in reporter.stats.get("skipped", ())]
    wrong = sorted({reason for reason in skipped if not any(each in reason for each in allowed)})
    if wrong:
        reporter.write_line("skips that are not in tests/skips.txt: " + "; ".join(wrong), red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
