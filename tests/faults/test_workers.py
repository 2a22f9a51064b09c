"""Workers that end, die and write at the same time: who waits is told, who is gone is replaced, nothing is lost."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.errors import UpstreamFailed
from tests import embedded, fronts, stage, wire
from tests.profiles import select
from tests.served import Client, Served, children, served
from tests.upstream import Answer, Upstream

_NEVER = Answer(before_head_s=600)
_WHOLE = select(fronts.LARGE)
assert isinstance(_WHOLE.body, bytes)
_BODY: bytes = _WHOLE.body


def _config(url: str, server: str = "", plugins: str = "[]") -> str:
    return f'[server]\n{server}\n[plugins]\nenabled = {plugins}\n[endpoints.up]\nurl = "{url}"\n'


# -- the end -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_who_waits_for_a_first_byte_at_the_end_is_told_to_come_back(tmp_path: Path, workers: str) -> None:
    async with Upstream(_NEVER) as upstream, served(tmp_path, _config(upstream.url), "--workers", workers) as proxy:
        kept = [Client(proxy.sparql) for _ in range(6)]
        waiting = [asyncio.ensure_future(client.ask("ASK {}")) for client in kept]
        await upstream.arrival(len(waiting), 30)
        assert await proxy.stopped(signal.SIGTERM) == 0
        for received in await asyncio.gather(*waiting):
            assert (received.status, received.end, received.type) == (503, "whole", "application/problem+json")
            assert (received.header("retry-after"), received.header("connection")) == ("5", "close")
            assert received.header("x-request-id") == received.json["request_id"]
            assert "stopping" in received.json["detail"]
        for sent in upstream.sent:
            await sent.departure(30)


async def test_what_ends_within_the_time_to_drain_is_whole_and_what_does_not_looks_cut(tmp_path: Path) -> None:
    pieces = [_BODY[n : n + 40_000] for n in range(0, len(_BODY), 40_000)]
    brief = Answer(type=_WHOLE.type, body=pieces, framing="chunked", between_s=1 / len(pieces))
    endless = Answer(type=_WHOLE.type, body=_BODY, framing="chunked", cut=200_000, end="stall")
    async with (
        Upstream(lambda sent: endless if "endless" in sent.text else brief) as upstream,
        served(tmp_path, _config(upstream.url, "drain_s = 5.0")) as proxy,
    ):
        asked = [wire.direct(proxy.sparql, f"SELECT * {{ ?s '{word}' ?o }}") for word in ("brief", "endless")]
        running = asyncio.gather(*asked)
        await upstream.arrival(2, 30)
        assert await proxy.stopped(signal.SIGTERM) == 0
        whole, cut = await running
        assert (whole.status, whole.end, whole.body) == (200, "whole", _BODY)
        assert (cut.status, cut.end) == (200, "reset")


async def test_an_interrupt_does_not_wait_and_hurries_an_end_that_has_begun(tmp_path: Path) -> None:
    async with Upstream(_NEVER) as upstream:
        for first in (signal.SIGINT, signal.SIGTERM):
            async with served(tmp_path, _config(upstream.url, "drain_s = 600.0")) as proxy:
                waiting = asyncio.ensure_future(Client(proxy.sparql).ask("ASK {}"))
                await upstream.arrival(1, 30)
                if first is signal.SIGTERM:
                    proxy.child.send_signal(first)
                    await proxy.logged("worker.stopping")
                assert await proxy.stopped(signal.SIGINT) == 0
                assert (await waiting).status == 503


async def test_a_terminal_that_hangs_up_ends_the_proxy_and_no_reload_outlives_it(tmp_path: Path) -> None:
    master, slave = os.openpty()
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url), stdin=slave) as proxy:
        os.close(slave)
        await proxy.reload()
        os.close(master)
        assert await proxy.stopped(signal.SIGHUP) == 0


# -- death ---------------------------------------------------------------------------------------------------------

_FRAGILE = """
import os
from contextlib import asynccontextmanager
from pathlib import Path
from proxy.contract import Plugin

class Fragile(Plugin):
    @asynccontextmanager
    async def lifespan(self, context):
        if Path(os.environ["FRAGILE"]).exists():
            os._exit(7)
        yield
"""


def _fragile(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return the file at whose sight workers die when they start, and the environment in which they do."""
    (folder / "fragile_plugin.py").write_text(_FRAGILE)
    mark = folder / "mark"
    return mark, {"PYTHONPATH": str(folder), "FRAGILE": str(mark)}


async def test_a_worker_that_dies_is_replaced_after_pauses_that_grow(tmp_path: Path) -> None:
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url), "--workers", "2") as proxy:
        await proxy.logged("worker.ready", 2)
        pauses = []
        for death in range(1, 4):
            before = proxy.workers
            os.kill(before[-1], signal.SIGKILL)
            pauses.append((await proxy.logged("worker.died", death))["pause_s"])
            await proxy.logged("worker.ready", 2 + death)
            assert len(set(proxy.workers) - set(before)) == 1
            assert (await wire.get(proxy.sparql, {"query": "ASK {}"})).status == 200
        assert pauses[-1] > pauses[0] > 0
        assert all(line["code"] == -signal.SIGKILL for line in proxy.log("worker.died"))


async def test_workers_that_die_again_and_again_end_the_parent_with_a_reason(tmp_path: Path) -> None:
    mark, environment = _fragile(tmp_path)
    config = _config("http://127.0.0.1:1/", plugins='["fragile_plugin"]')
    async with served(tmp_path, config, environment=environment) as proxy:
        mark.touch()
        os.kill(proxy.workers[0], signal.SIGKILL)
        assert await asyncio.to_thread(proxy.child.wait, 60) == 2
        assert "saga: no worker is left, and none starts: a worker ended with code 7" in proxy.said
        assert "Traceback" not in proxy.said


def test_workers_that_never_start_end_the_start_with_a_reason(tmp_path: Path) -> None:
    mark, environment = _fragile(tmp_path)
    mark.touch()
    config = tmp_path / "saga.toml"
    config.write_text(_config("http://127.0.0.1:1/", plugins='["fragile_plugin"]'))
    words = [sys.executable, "-m", "proxy", "serve", "--config", str(config), "--port", "0"]
    done = subprocess.run(
        words,
        cwd=stage.ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "saga: a worker ended with code 7 before it was ready" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Saga serves" not in done.stdout


# -- one writer ----------------------------------------------------------------------------------------------------

_COUNT = "SELECT (COUNT(*) AS ?n) { ?s <urn:new> ?o }"


def _store_config(store: Path) -> str:
    return f'[endpoints.local]\nstore = "{store}"\nconcurrency = 1\nupdates = true\n'


def _writers(proxy: Served) -> int:
    """Return how many workers have a writer."""
    lines = [Path(f"/proc/{each}/cmdline") for pid in proxy.workers for each in children(pid)]
    return sum(b"endpoints.writer" in line.read_bytes() for line in lines if line.exists())


async def _counted(proxy: Served) -> int:
    """Count through a connection of its own, so whichever worker takes it."""
    return int((await wire.direct(proxy.sparql, _COUNT)).values[0]["n"])


async def test_updates_through_two_workers_at_once_are_all_applied_and_all_seen(tmp_path: Path) -> None:
    store = embedded.store(tmp_path / "store")
    async with served(tmp_path, _store_config(store), "--workers", "2") as proxy:
        answered = 0
        going = True

        async def write(name: int) -> None:
            nonlocal answered
            number = 0
            # Until both workers write, however the kernel hands out the connections.
            while number < 10 or (_writers(proxy) < 2 and number < 200):
                text = f"INSERT DATA {{ <urn:{name}:{number}> <urn:new> 1 }}"
                received = await wire.direct(proxy.sparql, text, wire.UPDATE)
                assert (received.status, received.end) == (204, "whole"), received
                answered += 1
                number += 1

        async def read() -> None:
            while going:
                least = answered
                assert await _counted(proxy) >= least

        reading = [asyncio.ensure_future(read()) for _ in range(2)]
        await asyncio.gather(*(write(name) for name in range(4)))
        assert _writers(proxy) == 2
        going = False
        await asyncio.gather(*reading)
        assert {await _counted(proxy) for _ in range(20)} == {answered}


@pytest.mark.parametrize("writer", ["writes", "rests", "never wrote"])
async def test_an_update_of_a_store_that_was_deleted_is_told_that_it_is_missing(tmp_path: Path, writer: str) -> None:
    folder = embedded.store(tmp_path / "store")
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with endpoint.lifespan():
        if writer != "never wrote":
            await embedded.ask(endpoint, "INSERT DATA { <urn:a> <urn:new> 1 }")
        if writer == "rests":
            # By then it has closed the store.
            await asyncio.sleep(1.5)
        while folder.exists():
            # The writer may be about to write into it.
            shutil.rmtree(folder, ignore_errors=True)
        for _ in range(5):
            with pytest.raises(UpstreamFailed, match="does not exist"):
                await embedded.ask(endpoint, "INSERT DATA { <urn:b> <urn:new> 1 }")
            await asyncio.sleep(0.05)
        # A store that is made anew under the same name takes updates, and has none of the old one.
        embedded.store(folder, 10)
        until = time.monotonic() + 10
        while True:
            try:
                await embedded.ask(endpoint, "INSERT DATA { <urn:c> <urn:new> 1 }")
                break
            except UpstreamFailed:
                assert time.monotonic() < until
        assert await embedded.number(endpoint, _COUNT.replace("?n", "?c")) == 1
