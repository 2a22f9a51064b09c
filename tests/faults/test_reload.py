"""SIGHUP under load and with mistakes: no request is lost, what changed holds, and what is wrong changes nothing."""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import signal
import time
from pathlib import Path

import pytest

from tests import fronts, wire
from tests.profiles import select
from tests.served import Client, Served, served
from tests.upstream import TRUE, Answer, Sent, Upstream

_LOAD_S = 5.0
_RELOADS = 4
_LONG = select(2_000)
assert isinstance(_LONG.body, bytes)
# Flows for a second and a half, so that it spans a reload.
_PIECES = [_LONG.body[start : start + 10_000] for start in range(0, len(_LONG.body), 10_000)]


def _script(sent: Sent) -> Answer:
    if "long" not in sent.text:
        return Answer()
    return Answer(type=_LONG.type, body=_PIECES, framing="chunked", between_s=1.5 / len(_PIECES))


def _config(url: str, *names: str, more: str = "") -> str:
    tables = "".join(f'[endpoints.{name}]\nurl = "{url}"\n' for name in ("up", *names))
    return f"{more}\n{tables}"


class _Load:
    """Clients that ask without an end, and what went wrong."""

    def __init__(self, proxy: Served) -> None:
        self._proxy = proxy
        self._going = True
        self.wrong: list[str] = []
        self.answers = {"kept": 0, "fresh": 0, "long": 0}

    def stop(self) -> None:
        self._going = False

    async def ask(self, kind: str) -> None:
        client = Client(self._proxy.sparql)
        text, body = ("SELECT * { ?s 'long' ?o }", _LONG.body) if kind == "long" else ("ASK {}", TRUE)
        while self._going:
            try:
                received = await client.ask(text)
            except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
                self.wrong.append(f"{kind}: {error!r}")
                await client.close()
                continue
            self.answers[kind] += 1
            if (received.status, received.end, received.body) != (200, "whole", body):
                self.wrong.append(f"{kind}: {received.status} {received.end} {received.body[:200]!r}")
            if kind == "fresh":
                await client.close()
            await asyncio.sleep(0.005)
        await client.close()


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_no_request_is_lost_while_the_workers_are_renewed(tmp_path: Path, workers: str) -> None:
    async with Upstream(_script) as upstream, served(tmp_path, _config(upstream.url), "--workers", workers) as proxy:
        load = _Load(proxy)
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for kind in ("kept", "kept", "kept", "fresh", "fresh", "long"):
                group.create_task(load.ask(kind))
            for n in range(1, _RELOADS + 1):
                await proxy.reload(_config(upstream.url, f"new{n}"))
                assert (await wire.get(f"{proxy.base}/sparql/new{n}", {"query": "ASK {}"})).status == 200
                await asyncio.sleep(_LOAD_S / _RELOADS)
            await asyncio.sleep(max(0.0, began + _LOAD_S - time.monotonic()))
            load.stop()
        assert load.wrong == []
        assert min(load.answers.values()) >= 2, load.answers
        assert len(proxy.log("reload.done")) == _RELOADS
        # Those who were replaced are gone in the end, and their counts are still there.
        await proxy.until(lambda: len(proxy.workers) == int(workers), "the end of the old workers")
        sent = sum(load.answers.values())
        assert await fronts.counted(proxy.base, "saga_queries_total", endpoint="up", outcome="ok") == sent
        assert await fronts.counted(proxy.base, "saga_inflight_queries") == 0


async def test_an_idle_connection_is_answered_once_more_and_told_that_it_ends(tmp_path: Path) -> None:
    # The longest that a query may take is the longest that those who are replaced stay.
    config = _config("{}") + "total_s = 3.0\n"
    async with Upstream() as upstream, served(tmp_path, config.format(upstream.url)) as proxy:
        used, idle = Client(proxy.sparql), Client(proxy.sparql)
        for client in (used, idle):
            assert (await client.ask("ASK {}")).header("connection") is None
        await proxy.reload()
        received = await used.ask("ASK {}")
        assert (received.status, received.header("connection")) == (200, "close")
        assert await idle.closed_by_the_other() == b""
        await proxy.until(lambda: len(proxy.workers) == 1, "the end of the old worker")


_EVERY_MISTAKE = """
[server]
prot = 1
[endpoints.up]
concurency = 3
[plugins]
enabled = ["plugins.limits", "plugins.nothing"]
[limits]
concurent = 1
"""


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_a_bad_configuration_changes_nothing_and_every_mistake_is_said_once(tmp_path: Path, workers: str) -> None:
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url), "--workers", workers) as proxy:
        before = proxy.workers
        await proxy.reload(_EVERY_MISTAKE)
        (refused,) = proxy.log("reload.refused")
        said = "\n".join(refused["mistakes"])
        for word in ("`port`", "`concurrency`", "either `url` or `store`", "cannot import 'plugins", "`concurrent`"):
            assert said.count(word) == 1, said
        await proxy.reload("[server\n")
        assert "saga.toml" in proxy.log("reload.refused")[-1]["mistakes"][0]
        proxy.config.unlink()
        await proxy.reload()
        assert "no such file" in proxy.log("reload.refused")[-1]["mistakes"][0]
        assert proxy.workers == before
        assert (await wire.get(proxy.sparql, {"query": "ASK {}"})).status == 200
        await proxy.reload(_config(upstream.url, "new"))
        assert (await wire.get(f"{proxy.base}/sparql/new", {"query": "ASK {}"})).status == 200


async def test_a_worker_that_dies_after_a_bad_file_was_written_comes_back_as_it_was(tmp_path: Path) -> None:
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url)) as proxy:
        (worker,) = proxy.workers
        proxy.config.write_text("[server\n")
        os.kill(worker, signal.SIGKILL)
        await proxy.logged("worker.ready", 2)
        assert (await wire.get(proxy.sparql, {"query": "ASK {}"})).status == 200


_THIRD_PARTY = """
from contextlib import asynccontextmanager
from proxy.contract import Plugin

class Broken(Plugin):
    @asynccontextmanager
    async def lifespan(self, context):
        raise RuntimeError("no good")
        yield
"""


async def test_workers_that_cannot_start_do_not_replace_those_that_serve(tmp_path: Path) -> None:
    (tmp_path / "broken_plugin.py").write_text(_THIRD_PARTY)
    path = {"PYTHONPATH": str(tmp_path)}
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url), environment=path) as proxy:
        before = proxy.workers
        await proxy.reload(_config(upstream.url, more='[plugins]\nenabled = ["broken_plugin"]'))
        (refused,) = proxy.log("reload.refused")
        assert "before it was ready" in refused["mistakes"][0]
        assert "no good" in proxy.said
        assert proxy.workers == before
        assert (await wire.get(proxy.sparql, {"query": "ASK {}"})).status == 200


async def test_keys_plugins_and_the_number_of_workers_change(tmp_path: Path) -> None:
    def keyed(*names: str) -> str:
        tables = [f'[keys.{name}]\nsha256 = "{hashlib.sha256(name.encode()).hexdigest()}"\n' for name in names]
        return "[server]\nanonymous = []\nworkers = {}\n[plugins]\nenabled = {}\n" + "".join(tables)

    async def statuses(proxy: Served) -> list[int]:
        asked = [wire.get(proxy.sparql, {"query": "ASK {}"}, {"Authorization": f"Bearer {key}"}) for key in ("a", "b")]
        return [received.status for received in await asyncio.gather(*asked)]

    async with Upstream() as upstream:
        first = _config(upstream.url, more=keyed("a", "b").format(1, "[]"))
        second = _config(upstream.url, more=keyed("b").format(3, '["plugins.admin"]'))
        async with served(tmp_path, first) as proxy:
            assert await statuses(proxy) == [200, 200]
            assert (await wire.get(f"{proxy.base}/admin/queries")).status == 404
            await proxy.reload(second)
            assert await statuses(proxy) == [401, 200]
            await proxy.until(lambda: len(proxy.workers) == 3, "three workers")
            page = await wire.get(f"{proxy.base}/admin/queries")
            assert (page.status, page.json["workers"]) == (200, 3)
            await proxy.reload(first)
            assert await statuses(proxy) == [200, 200]
            await proxy.until(lambda: len(proxy.workers) == 1, "one worker")


async def test_an_address_cannot_change_and_the_log_says_so(tmp_path: Path) -> None:
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url)) as proxy:
        await proxy.reload(_config(upstream.url, "new", more='[server]\nhost = "127.0.0.2"'))
        (said,) = proxy.log("reload.unchanged")
        assert (said["key"], said["running"], said["wanted"]) == ("server.host", "127.0.0.1", "127.0.0.2")
        assert (await wire.get(f"{proxy.base}/sparql/new", {"query": "ASK {}"})).status == 200


async def test_many_signals_at_once_are_one_or_two_reloads(tmp_path: Path) -> None:
    async with Upstream() as upstream, served(tmp_path, _config(upstream.url)) as proxy:
        for _ in itertools.repeat(None, 10):
            proxy.child.send_signal(signal.SIGHUP)
        await proxy.logged("reload.done")
        await proxy.until(lambda: len(proxy.workers) == 1, "one worker")
        assert len(proxy.log("reload.done")) <= 3
        assert (await wire.get(proxy.sparql, {"query": "ASK {}"})).status == 200
