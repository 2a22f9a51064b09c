"""The disk is full: of a store, of the file that is loaded into, of the log, of the folder for temporary files."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import fronts, stage, wire
from tests.faults.surroundings import fill, insert, read, small_disk
from tests.observed import only, samples, total
from tests.served import served

_SAGA = [sys.executable, "-m", "proxy"]
_FULL = Path("/dev/full")
_ASK = {"query": "ASK { ?s ?p ?o }"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk") as mounted:
        yield mounted


async def test_a_store_on_a_full_disk_goes_on_answering_and_takes_updates_again_when_there_is_room(disk: Path) -> None:
    store = fronts.store(disk / "store")
    async with fronts.embedded(store, updates=True) as url:
        assert (await read(url, 0)).status == 200
        filler = fill(disk)
        for number in range(3):
            refused = await insert(url, number)
            assert (refused.status, refused.code) == (502, "upstream_failed")
            assert (await read(url, number)).status == 200
        assert await fronts.counted(url, "saga_queries_total", form="update", outcome="upstream_error") == 3
        filler.unlink()
        assert (await insert(url, 4)).status == 204
        added = await wire.get(url, {"query": "ASK { <urn:4> <urn:big> ?o }"})
        lost = await wire.get(url, {"query": "ASK { <urn:0> <urn:big> ?o }"})
        assert (added.json["boolean"], lost.json["boolean"]) == (True, False)


async def test_a_proxy_starts_on_a_full_disk_whose_store_was_served_before(disk: Path) -> None:
    store = fronts.store(disk / "store")
    async with fronts.embedded(store) as url:
        assert (await wire.get(url, _ASK)).json["boolean"] is True
    fill(disk)
    async with fronts.embedded(store) as url:
        assert (await wire.get(url, _ASK)).json["boolean"] is True


def test_a_load_on_a_full_disk_says_so_and_leaves_no_half_store(disk: Path) -> None:
    lines = (f'<urn:s{n}> <urn:p> "{n:0200}" .' for n in range(100_000))
    data = disk.parent / "data.nt"
    data.write_text("\n".join(lines))
    words = [*_SAGA, "load", str(data), "--store", str(disk / "store")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=stage.ROOT, timeout=120, check=False)
    assert done.returncode not in (0, -6, -7, -11), done.stderr
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr or "full" in done.stderr
    fill(disk).unlink()
    assert not (disk / "store").exists() or not any((disk / "store").iterdir())


@contextlib.contextmanager
def serving(
    folder: Path, store: Path, log: Path, *, stdout: Path = Path(os.devnull), **environment: str
) -> Iterator[str]:
    """Run the proxy as a process whose log goes to a file, and yield its address."""
    config, port = folder / "saga.toml", stage.free_port()
    config.write_text(f'[endpoints.demo]\nstore = "{store}"\n[server]\nlog_level = "debug"\n')
    words = [*_SAGA, "serve", "--config", str(config), "--port", str(port)]
    with log.open("ab") as stderr, stdout.open("wb") as said:
        child = subprocess.Popen(
            words,
            stderr=stderr,
            stdout=said,
            cwd=stage.ROOT,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    try:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        yield f"http://127.0.0.1:{port}/sparql"
        assert child.poll() is None
    finally:
        child.terminate()
        assert child.wait(20) in (0, -15)


async def test_a_log_that_cannot_be_written_costs_no_query(disk: Path, demo_store: Path, tmp_path: Path) -> None:
    log = disk / "log"
    with serving(tmp_path, demo_store, log) as url:
        filler = fill(disk)
        for text in ("ASK { ?s ?p ?o }", "SELEKT", "SELECT * { ?s ?p ?o } LIMIT 3"):
            for _ in range(20):
                assert (await wire.get(url, {"query": text})).status == (400 if text == "SELEKT" else 200)
        full = log.stat().st_size
        filler.unlink()
        assert (await wire.get(url, _ASK)).status == 200
        # It is written again when there is room.
        assert log.stat().st_size > full


@pytest.mark.skipif(not _FULL.exists(), reason="there is no /dev/full here")
async def test_a_log_without_a_disk_costs_no_query(demo_store: Path, tmp_path: Path) -> None:
    with serving(tmp_path, demo_store, _FULL) as url:
        for _ in range(20):
            assert (await wire.get(url, _ASK)).status == 200


@pytest.mark.skipif(not _FULL.exists(), reason="there is no /dev/full here")
async def test_a_start_whose_words_cannot_be_written_goes_on_and_is_logged(demo_store: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with serving(tmp_path, demo_store, log, stdout=_FULL) as url:
        assert (await wire.get(url, _ASK)).status == 200
    assert f"Saga serves {url}" in log.read_text()
    assert "Traceback" not in log.read_text()


async def test_a_full_folder_for_temporary_files_costs_no_query(disk: Path, demo_store: Path, tmp_path: Path) -> None:
    fill(disk)
    with serving(tmp_path, demo_store, tmp_path / "log", TMPDIR=str(disk)) as url:
        for _ in range(5):
            assert (await wire.get(url, _ASK)).status == 200
        large = "VALUES ?x { " + " ".join(f"<urn:x{n}>" for n in range(100_000)) + " }"
        answer = await wire.post(url, {"query": f"SELECT * {{ {large} }}"})
        assert (answer.status, len(answer.values)) == (200, 100_000)


_DEMO = """
[endpoints.demo]
store = "{store}"
[plugins]
enabled = ["plugins.limits", "plugins.cache", "plugins.breaker"]
"""
# Room for the series of a parent and two workers.
_SERIES = "8m"


@contextlib.contextmanager
def kept_full(disk: Path) -> Iterator[None]:
    """Fill the disk, and again whatever becomes free."""
    stop = threading.Event()

    def fill_again() -> None:
        with (disk / "filler").open("wb", buffering=0) as file:
            while not stop.is_set():
                with contextlib.suppress(OSError):
                    while file.write(b"x" * 4096):
                        pass
                stop.wait(0.005)

    filler = threading.Thread(target=fill_again)
    filler.start()
    try:
        until = time.monotonic() + 20
        while _room(disk):
            assert time.monotonic() < until
            time.sleep(0.01)
        yield
    finally:
        stop.set()
        filler.join()
        (disk / "filler").unlink()


def _room(disk: Path) -> int:
    return os.statvfs(disk).f_bavail


async def test_workers_whose_metrics_are_on_a_full_disk_serve_on(tmp_path: Path, demo_store: Path) -> None:
    with small_disk(tmp_path / "disk", _SERIES) as disk:
        config = _DEMO.format(store=demo_store)
        async with served(tmp_path, config, "--workers", "2", environment={"TMPDIR": str(disk)}) as proxy:
            await proxy.logged("worker.ready", 2)
            with kept_full(disk):
                for worker in proxy.workers:
                    with only(proxy, worker):
                        # Every series that there is gets its first value here.
                        for query, status in (("ASK {}", 200), ("SELEKT", 400), ("SELECT * { ?s ?p 'none' }", 200)):
                            assert (await wire.get(proxy.sparql, {"query": query})).status == status
                        assert total(await samples(proxy.base), "saga_queries_total") > 0
                assert not proxy.log("worker.died")
            assert await proxy.stopped() == 0


async def test_a_worker_that_dies_on_a_full_disk_is_missed_aloud_and_replaced_when_there_is_room(
    tmp_path: Path, demo_store: Path
) -> None:
    with small_disk(tmp_path / "disk", _SERIES) as disk:
        config = _DEMO.format(store=demo_store)
        async with served(tmp_path, config, "--workers", "2", environment={"TMPDIR": str(disk)}) as proxy:
            await proxy.logged("worker.ready", 2)
            with kept_full(disk):
                os.kill(proxy.workers[0], signal.SIGKILL)
                refused = await proxy.logged("worker.refused", 2)
                assert "no room for the metrics" in refused["detail"]
                assert str(disk) in refused["detail"]
                for _ in range(5):
                    assert (await wire.get(proxy.sparql, _ASK)).status == 200
                    assert total(await samples(proxy.base), "saga_queries_total") > 0
            await proxy.logged("worker.ready", 3)
            assert (await wire.get(proxy.sparql, _ASK)).status == 200
            assert await proxy.stopped() == 0


async def test_the_last_worker_that_dies_on_a_full_disk_ends_the_proxy_with_its_reason(
    tmp_path: Path, demo_store: Path
) -> None:
    with small_disk(tmp_path / "disk", _SERIES) as disk:
        config = _DEMO.format(store=demo_store)
        async with served(tmp_path, config, environment={"TMPDIR": str(disk)}) as proxy:
            await proxy.logged("worker.ready")
            with kept_full(disk):
                os.kill(proxy.workers[0], signal.SIGKILL)
                assert await asyncio.to_thread(proxy.child.wait, 60) == 2
            assert "no worker is left, and none starts: no room for the metrics" in proxy.said


@pytest.mark.parametrize("size", ["64k", "1m", "3m", "5m"])
def test_a_disk_without_room_for_the_metrics_refuses_the_start_and_says_so(
    tmp_path: Path, demo_store: Path, size: str
) -> None:
    config = tmp_path / "saga.toml"
    config.write_text(_DEMO.format(store=demo_store))
    with small_disk(tmp_path / "disk", size) as disk:
        words = [*_SAGA, "serve", "--config", str(config), "--port", str(stage.free_port()), "--workers", "2"]
        environment = {**os.environ, "TMPDIR": str(disk)}
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=stage.ROOT, env=environment, timeout=60, check=False
        )
        assert done.returncode == 2, done.stderr
        assert f"no room for the metrics in {disk}" in done.stderr
        assert "Traceback" not in done.stderr
        assert not list(disk.iterdir())
