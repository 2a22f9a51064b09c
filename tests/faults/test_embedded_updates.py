"""Updates: seen by the next query everywhere, whole or not at all, one writer at a time."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pyoxigraph
import pytest

from proxy.contract import Dataset
from proxy.endpoints.child import Child
from proxy.endpoints.embedded import EmbeddedEndpoint, EmbeddedSettings
from proxy.endpoints.folder import Folder
from proxy.endpoints.frames import Kind
from proxy.endpoints.updates import Updates
from proxy.errors import (
    BadQuery,
    BadRequest,
    ResourceLimit,
    UpstreamBusy,
    UpstreamError,
    UpstreamFailed,
    UpstreamTimeout,
)
from proxy.results.formats import Format
from tests import embedded
from tests.bench.embedded_soak import soak
from tests.served import children

TRIPLES = 20_000
COUNT = "SELECT (COUNT(*) AS ?c) { ?s <urn:new> ?o }"
ALL = "SELECT (COUNT(*) AS ?c) { ?s ?p ?o }"
# Some seconds of work, then one commit.
LONG = "INSERT { ?s <urn:new> ?o . ?a <urn:new> ?o } WHERE { ?s <urn:p:1> ?o . ?a <urn:p:2> ?b }"


def _writers_of(pid: int) -> list[int]:
    return [each for each in children(pid) if b"proxy.endpoints.writer" in Path(f"/proc/{each}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return embedded.store(tmp_path_factory.mktemp("updates") / "store", TRIPLES)


@pytest.fixture
def folder(original: Path, tmp_path: Path) -> Path:
    return shutil.copytree(original, tmp_path / "store")


@pytest.fixture
async def endpoint(folder: Path) -> AsyncIterator[EmbeddedEndpoint]:
    made = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with made.lifespan():
        yield made


async def test_an_update_is_seen_by_the_next_query_of_every_worker(folder: Path) -> None:
    workers = [EmbeddedEndpoint(str(n), EmbeddedSettings(store=folder)) for n in range(2)]
    async with workers[0].lifespan(), workers[1].lifespan():
        for number in range(1, 11):
            reply = await workers[number % 2].run(embedded.query(f"INSERT DATA {{ <urn:{number}> <urn:new> 1 }}"))
            async with reply:
                assert reply.format is None
                assert [chunk async for chunk in reply.chunks] == []
            for worker in workers:
                assert await embedded.number(worker, COUNT) == number


async def test_a_writer_starts_before_the_first_update(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, updates=True))
    async with endpoint.lifespan():
        async with asyncio.timeout(10):
            while not (writers := set(endpoint.pids) - set(endpoint.readers)):  # noqa: ASYNC110 - a process is watched
                await asyncio.sleep(0.02)
        await embedded.ask(endpoint, "INSERT DATA { <urn:1> <urn:new> 1 }")
        assert set(endpoint.pids) - set(endpoint.readers) == writers


async def test_an_update_waits_for_a_writer_that_starts_and_starts_no_other(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, updates=True))
    async with endpoint.lifespan():
        await embedded.ask(endpoint, "INSERT DATA { <urn:1> <urn:new> 1 }")
        assert len(set(endpoint.pids) - set(endpoint.readers)) == 1
        assert len(_writers_of(os.getpid())) == 1


async def test_a_stop_while_the_writer_starts_leaves_none(folder: Path) -> None:
    for wait_s in (0.0, 0.005, 0.03, 0.08):
        async with EmbeddedEndpoint("test", EmbeddedSettings(store=folder, updates=True)).lifespan():
            await asyncio.sleep(wait_s)
        assert not _writers_of(os.getpid())


async def test_a_writer_that_could_not_start_at_first_starts_with_the_first_update(folder: Path) -> None:
    failures = [UpstreamFailed("The system has no room for another process.")]

    async def start() -> Child:
        if failures:
            raise failures.pop()
        child = await Child.start("proxy.endpoints.writer", EmbeddedSettings(store=folder).hello())
        assert (await child.first())[0] is Kind.READY
        return child

    updates = Updates(start, queue=10, queue_s=30.0)
    try:
        updates.open()
        while failures:  # noqa: ASYNC110 - it fails in the next round
            await asyncio.sleep(0)
        await updates.apply({"text": "INSERT DATA { <urn:1> <urn:new> 1 }"}, None)
        assert updates.pids
    finally:
        await updates.close()


async def test_an_answer_that_has_begun_shows_the_store_as_it_was(endpoint: EmbeddedEndpoint) -> None:
    before = await embedded.ask(endpoint, "SELECT * { ?s ?p ?o } ORDER BY ?s ?o")
    async with await endpoint.run(embedded.query("SELECT * { ?s ?p ?o } ORDER BY ?s ?o")) as reply:
        chunks = aiter(reply.chunks)
        got = [await anext(chunks)]
        await embedded.ask(endpoint, "DELETE WHERE { ?s ?p ?o }")
        await endpoint.optimize()
        assert await embedded.number(endpoint, ALL) == 0
        got += [chunk async for chunk in chunks]
    assert b"".join(got) == before


async def test_every_kind_of_update(endpoint: EmbeddedEndpoint) -> None:
    for text, count in [
        ("PREFIX u: <urn:> INSERT DATA { u:1 u:new 1, 2, 3 }", 3),
        ("DELETE DATA { <urn:1> <urn:new> 1 }", 2),
        ("DELETE { ?s <urn:new> ?o } INSERT { ?s <urn:new> 7, 8, 9 } WHERE { ?s <urn:new> ?o }", 3),
        ("DELETE WHERE { ?s <urn:new> 7 }", 2),
        ("INSERT DATA { <urn:1> <urn:new> 10 } ; INSERT DATA { <urn:1> <urn:new> 11 }", 4),
        ("COPY DEFAULT TO <urn:g> ; CLEAR DEFAULT", 0),
        ("MOVE <urn:g> TO DEFAULT", 4),
        ("PREFIX e: <urn:> INSERT DATA { e:a.b <urn:new> e:c.d }", 5),
        ("DROP ALL", 0),
    ]:
        await embedded.ask(endpoint, text)
        assert await embedded.number(endpoint, COUNT) == count, text


@pytest.mark.parametrize(
    "text",
    [
        "INSERT DATA { <urn:1> <urn:new> ?v }",
        "INSERT DATA { <urn:1> <urn:new> 1 } ; INSERT DATA { nonsense",
        "INSERT DATA { <urn:1> <urn:new> 1 } ; DROP GRAPH <urn:none>",
        "INSERT { ?s <urn:new> ?o } WHERE { ?s ?p ?v BIND(<urn:f>(?v) AS ?o) }",
    ],
)
async def test_what_fails_leaves_nothing(endpoint: EmbeddedEndpoint, text: str) -> None:
    with pytest.raises(BadQuery) as caught:
        await endpoint.run(embedded.query(text))
    assert len(caught.value.detail) < 300
    assert await embedded.number(endpoint, COUNT) == 0
    await embedded.ask(endpoint, "INSERT DATA { <urn:1> <urn:new> 1 }")
    assert await embedded.number(endpoint, COUNT) == 1


USING = Dataset(default=("urn:g:1",), named=("urn:g:2",))
QUADS = """INSERT DATA { <urn:x> <urn:new> 0
    GRAPH <urn:g:1> { <urn:x> <urn:new> 1 } GRAPH <urn:g:2> { <urn:x> <urn:new> 2 } }"""
INJECTED = Dataset(default=("urn:g> WHERE { } ; DROP ALL ; INSERT { } USING <urn:g",))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("DELETE { ?s ?p ?o } INSERT { ?s <urn:new> 10 } WHERE { ?s <urn:new> ?o }", {"0", "10"}),
        ("INSERT { ?s <urn:new> ?n } WHERE { GRAPH ?g { ?s <urn:new> ?o } BIND(?o + 20 AS ?n) }", {"0", "22"}),
        ("DELETE WHERE { <urn:x> <urn:new> ?o }", {"0"}),
        ("PREFIX e: <urn:> DELETE WHERE { e:x e:new ?o . e:a.b e:c ?d } ; INSERT DATA { e:x e:new 5 }", {"0", "5"}),
        ("INSERT { <urn:y> <urn:new> ?o } WHERE { { SELECT * WHERE { ?s <urn:new> ?o } } }", {"0", "1"}),
    ],
)
async def test_graphs_of_a_request_hold_for_every_pattern(
    endpoint: EmbeddedEndpoint, text: str, left: set[str]
) -> None:
    await embedded.ask(endpoint, QUADS)
    await embedded.ask(endpoint, text, dataset=USING)
    answer = await embedded.ask(endpoint, "SELECT DISTINCT ?o { ?s <urn:new> ?o }", Format.CSV)
    assert set(answer.decode().split()[1:]) == left


@pytest.mark.parametrize(
    "text",
    [
        "DELETE { ?s ?p ?o } USING <urn:g> WHERE { ?s ?p ?o }",
        "WITH <urn:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "DELETE { ?s ?p ?o } WHERE { ?s ?p ?o } ; nonsense",
    ],
)
async def test_graphs_that_cannot_hold_are_refused_not_ignored(endpoint: EmbeddedEndpoint, text: str) -> None:
    with pytest.raises(BadRequest):
        await endpoint.run(embedded.query(text, dataset=USING))
    with pytest.raises(BadRequest, match="no IRI"):
        await endpoint.run(embedded.query("DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }", dataset=INJECTED))
    assert await embedded.number(endpoint, ALL) == TRIPLES


async def test_a_deadline_stops_an_update_and_nothing_of_it_stays(endpoint: EmbeddedEndpoint) -> None:
    await embedded.ask(endpoint, "INSERT DATA { <urn:first> <urn:new> 1 }")
    with pytest.raises(UpstreamTimeout, match="all of it is in the store, or nothing"):
        await endpoint.run(embedded.query(LONG, timeout_s=0.3))
    assert await embedded.number(endpoint, COUNT) == 1
    await embedded.ask(endpoint, "INSERT DATA { <urn:second> <urn:new> 1 }")
    assert await embedded.number(endpoint, COUNT) == 2


async def test_a_writer_that_is_killed_leaves_all_or_nothing(endpoint: EmbeddedEndpoint, folder: Path) -> None:
    update = "DELETE {{ ?s ?p ?o }} INSERT {{ <urn:{0}> <urn:new> ?o }} WHERE {{ ?s ?p ?o }}"
    for number in range(12):
        asked = asyncio.ensure_future(embedded.ask(endpoint, update.format(number)))
        await asyncio.sleep(0.06 * number)
        for pid in set(endpoint.pids) - set(endpoint.readers):
            os.kill(pid, signal.SIGKILL)
        [outcome] = await asyncio.gather(asked, return_exceptions=True)
        assert isinstance(outcome, bytes | ResourceLimit), outcome
        subjects = await embedded.number(endpoint, "SELECT (COUNT(DISTINCT ?s) AS ?c) { ?s <urn:new> ?o }")
        assert subjects <= 1
        assert await embedded.number(endpoint, ALL) == TRIPLES
    assert pyoxigraph.Store(folder)  # nobody holds it, and it opens


async def test_another_program_that_writes_is_named(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, queue_s=2))
    async with endpoint.lifespan():
        assert await embedded.number(endpoint, ALL) == TRIPLES
        with Folder(folder).lock(1), pytest.raises(UpstreamBusy, match=f"process {os.getpid()}") as caught:
            await endpoint.run(embedded.query("INSERT DATA { <urn:1> <urn:new> 1 }"))
        assert caught.value.headers["Retry-After"]
        foreign = pyoxigraph.Store(folder)  # as `oxigraph serve` would
        with pytest.raises(UpstreamBusy, match="oxigraph serve"):
            await endpoint.run(embedded.query("INSERT DATA { <urn:1> <urn:new> 1 }"))
        assert await embedded.number(endpoint, ALL) == TRIPLES
        del foreign
        await embedded.ask(endpoint, "INSERT DATA { <urn:1> <urn:new> 1 }")
        assert await embedded.number(endpoint, ALL) == TRIPLES + 1


async def test_what_another_program_wrote_is_found_at_the_next_start(folder: Path) -> None:
    for count in (TRIPLES, TRIPLES + 1):
        endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
        async with endpoint.lifespan():
            assert await embedded.number(endpoint, ALL) == count
        foreign = pyoxigraph.Store(folder)
        foreign.update("INSERT DATA { <urn:1> <urn:new> 1 }")
        foreign.flush()
        del foreign


async def test_updates_of_many_clients_wait_for_each_other(endpoint: EmbeddedEndpoint) -> None:
    async with asyncio.TaskGroup() as group:
        for number in range(30):
            group.create_task(embedded.ask(endpoint, f"INSERT DATA {{ <urn:{number}> <urn:new> 1 }}"))
    assert await embedded.number(endpoint, COUNT) == 30


async def test_a_client_that_leaves_stops_its_update(endpoint: EmbeddedEndpoint) -> None:
    asked = asyncio.ensure_future(embedded.ask(endpoint, LONG))
    await asyncio.sleep(0.3)
    asked.cancel()
    await asyncio.gather(asked, return_exceptions=True)
    assert set(endpoint.pids) == set(endpoint.readers)
    assert await embedded.number(endpoint, COUNT) == 0


async def test_an_update_that_is_nearly_done_ends_though_its_client_left_and_its_writer_stays(folder: Path) -> None:
    async def start() -> Child:
        child = await Child.start("proxy.endpoints.writer", EmbeddedSettings(store=folder).hello())
        assert (await child.first())[0] is Kind.READY
        return child

    updates = Updates(start, queue=10, queue_s=30.0, grace_s=600.0)
    try:
        await updates.apply({"text": "INSERT DATA { <urn:1> <urn:new> 1 }"}, None)
        writers = updates.pids
        for number in range(2, 5):
            asked = asyncio.ensure_future(
                updates.apply({"text": f"INSERT DATA {{ <urn:{number}> <urn:new> 1 }}"}, None)
            )
            while updates.quiet:  # noqa: ASYNC110 - it is there in the next round
                await asyncio.sleep(0)
            asked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asked
            assert updates.pids == writers
    finally:
        await updates.close()
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder))
    async with endpoint.lifespan():
        assert await embedded.number(endpoint, COUNT) == 4


async def test_old_snapshots_go_away(endpoint: EmbeddedEndpoint, folder: Path) -> None:
    for number in range(20):
        await embedded.ask(endpoint, f"INSERT DATA {{ <urn:{number}> <urn:new> 1 }}")
    await embedded.ask(endpoint, "ASK {}")
    assert len([name for name in os.listdir(folder / "saga") if name.isdigit()]) <= 3
    assert len([name for name in os.listdir(folder) if name.startswith("LOG.old")]) <= 2


async def test_no_wrong_answer_in_ten_seconds_of_everything(tmp_path: Path) -> None:
    run = await soak(tmp_path / "store", 10, 20_000)
    assert not run.faults
    assert run.done["updates"] > 5
    assert run.done["optimisations"] > 0
    assert run.done["programs"] > 0


async def test_an_error_of_the_disk_is_an_error_of_the_endpoint(folder: Path) -> None:
    endpoint = EmbeddedEndpoint("test", EmbeddedSettings(store=folder, readers=1))
    async with endpoint.lifespan():
        await embedded.ask(endpoint, "ASK {}")
        (folder / "CURRENT").write_bytes(b"not this")
        with pytest.raises(UpstreamError, match="log says why"):
            await endpoint.run(embedded.query("INSERT DATA { <urn:1> <urn:new> 1 }"))
        assert await embedded.number(endpoint, ALL) == TRIPLES
