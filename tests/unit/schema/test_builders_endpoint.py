"""Builds from an endpoint: the same index as from files, politely, and on where they were interrupted."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import io
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pyoxigraph
import pytest

from plugins.schema import commands
from plugins.schema.builders.answers import EndpointAnswers, Manners, Paged
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_answers, from_files
from plugins.schema.builders.work import Work
from plugins.schema.index import Index
from proxy.contract import Context, Query, Reply
from proxy.core import Core
from proxy.errors import ConfigError, UpstreamBusy, UpstreamTimeout, UsageError
from proxy.loader import check
from proxy.results import Format
from proxy.results.state import State
from proxy.series import PrometheusMetrics
from tests import stage

DEMO = Path(__file__).parent.parent.parent.parent / "config" / "demo" / "graph.ttl"
QUICK = Manners(page_rows=30, pause_s=0, first_wait_s=0.01)


class Server:
    """A chain that ends in a store: it counts, caps rows, and fails where it is told to."""

    def __init__(self, store: pyoxigraph.Store, cap: int = 10**9) -> None:
        self.store = store
        self.cap = cap
        self.asked: list[str] = []
        self.failures: dict[int, Exception] = {}

    async def run(self, query: Query) -> Reply:
        self.asked.append(query.text)
        if failure := self.failures.pop(len(self.asked), None):
            raise failure
        found = self.store.query(query.text)
        assert isinstance(found, pyoxigraph.QuerySolutions)
        table = json.loads(found.serialize(format=pyoxigraph.QueryResultsFormat.JSON) or b"")
        del table["results"]["bindings"][self.cap :]

        async def chunks() -> AsyncIterator[bytes]:
            yield json.dumps(table).encode()

        return Reply(format=Format.JSON, chunks=chunks(), state=State())

    def context(self) -> Context:
        return Context(
            run=self.run, endpoints={}, tables={}, prefixes={}, metrics=PrometheusMetrics(), clock=time.monotonic
        )


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    made = pyoxigraph.Store()
    made.bulk_load(path=str(DEMO), format=pyoxigraph.RdfFormat.TURTLE)
    return made


async def built(server: Server, path: Path, whole: bool = False) -> Index:
    work = Work(path, "test")
    try:
        answers = EndpointAnswers(server.context(), "test", work, QUICK, whole=whole)
        return (await from_answers(answers, Recipe(), Progress(io.StringIO()))).index()
    finally:
        work.close()


async def test_an_endpoint_gives_what_the_files_give(store: pyoxigraph.Store, tmp_path: Path) -> None:
    files = (await from_files([DEMO], Recipe(), Progress(io.StringIO()))).index()
    found = await built(Server(store), tmp_path / "work", whole=True)
    assert list(found.properties()) == list(files.properties())
    assert found.counts == files.counts
    assert {each.iri for each in found.classes()} == {each.iri for each in files.classes()}


async def test_a_public_endpoint_is_asked_for_the_classes_above_only(store: pyoxigraph.Store, tmp_path: Path) -> None:
    server = Server(store)
    found = await built(server, tmp_path / "work")
    assert found.counts["with_domain"] == 45
    assert found.counts["evidence_pairs"] == 0
    assert not [text for text in server.asked if "GROUP BY" in text or "?s ?p ?o" in text]
    record = found.property("P57")
    assert record is not None
    assert record.usage == 12
    assert found.hierarchy.is_under("http://www.wikidata.org/entity/Q5", "http://www.wikidata.org/entity/Q35120")


async def test_an_interrupted_build_goes_on(store: pyoxigraph.Store, tmp_path: Path) -> None:
    whole = Server(store)
    expected = await built(whole, tmp_path / "whole")
    broken = Server(store)
    broken.failures[6] = KeyboardInterrupt()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt):
        await built(broken, tmp_path / "work")
    (tmp_path / "work").write_bytes((tmp_path / "work").read_bytes() + b'{"key": "cut in the mid')
    again = Server(store)
    found = await built(again, tmp_path / "work")
    assert list(found.properties()) == list(expected.properties())
    assert len(again.asked) == len(whole.asked) - 5


async def test_busy_and_slow_answers_are_tried_again_as_long_as_asked(store: pyoxigraph.Store, tmp_path: Path) -> None:
    server = Server(store)
    server.failures = {1: UpstreamBusy("busy", headers={"Retry-After": "1"}), 2: UpstreamTimeout("slow")}
    started = time.monotonic()
    work = Work(tmp_path / "work", "test")
    answers = EndpointAnswers(server.context(), "test", work, QUICK)
    rows = await answers.ask("one", "SELECT ?s { ?s ?p ?o } LIMIT 1")
    assert len(rows) == 1
    assert time.monotonic() - started >= 1
    assert len(server.asked) == 3
    work.close()


async def test_it_gives_up_in_the_end_with_the_endpoints_error(store: pyoxigraph.Store, tmp_path: Path) -> None:
    server = Server(store)
    server.failures = {number: UpstreamTimeout("slow") for number in range(1, 20)}
    work = Work(tmp_path / "work", "test")
    manners = dataclasses.replace(QUICK, tries=3)
    with pytest.raises(UpstreamTimeout):
        await EndpointAnswers(server.context(), "test", work, manners).ask("one", "SELECT ?s { ?s ?p ?o }")
    assert len(server.asked) == 3
    work.close()


@pytest.mark.parametrize("cap", [10**9, 7, 29, 30])
async def test_pages_miss_nothing_also_where_an_endpoint_cuts_them(tmp_path: Path, cap: int) -> None:
    made = pyoxigraph.Store()
    lines = [f"<urn:c{n // 4:03}> <urn:p> <urn:o{n}> ." for n in range(203)] + ['<urn:q"> <urn:p> <urn:odd> .']
    made.load("\n".join(lines[:-1]), pyoxigraph.RdfFormat.N_TRIPLES)
    server = Server(made, cap)
    work = Work(tmp_path / "work", "test")
    answers = EndpointAnswers(server.context(), "test", work, QUICK)
    paged = Paged(step="all", select="?s ?o", where="?s <urn:p> ?o .", key="s")
    found = [(row["s"].value, row["o"].value) async for page in answers.pages(paged) for row in page]
    work.close()
    assert sorted(found) == sorted((f"urn:c{n // 4:03}", f"urn:o{n}") for n in range(203))


async def test_the_command_builds_through_the_real_chain_from_a_real_server(oxigraph: str, tmp_path: Path) -> None:
    out = tmp_path / "index"
    parser = argparse.ArgumentParser()
    commands.commands(parser)
    args = parser.parse_args(["build", "--endpoint", "demo", "--measure", "--pause", "0", "--out", str(out)])
    async with Core(
        check({"endpoints": {"demo": {"url": oxigraph, "graph": "wikidata"}}}, tmp_path)
    ).lifespan() as context:
        assert await args.call(context, args) == 0
        wrong = parser.parse_args(["build", "--endpoint", "absent", "--out", str(out)])
        with pytest.raises(UsageError, match="demo"):
            await wrong.call(context, wrong)
    index = Index.open(out)
    files = (await from_files([DEMO], Recipe(), Progress(io.StringIO()))).index()
    assert list(index.properties()) == list(files.properties())
    index.close()
    assert not (tmp_path / "index.work").exists()


async def test_an_endpoint_that_is_gone_keeps_the_work_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Manners, "__init__", functools.partialmethod(Manners.__init__, tries=2, first_wait_s=0.01))
    parser = argparse.ArgumentParser()
    commands.commands(parser)
    args = parser.parse_args(["build", "--pause", "0", "--out", str(tmp_path / "index")])
    gone = {"endpoints": {"gone": {"url": f"http://127.0.0.1:{stage.free_port()}/"}}}
    async with Core(check(gone, tmp_path)).lifespan() as context:
        assert await args.call(context, args) == 3
    assert "same command again" in capsys.readouterr().err
    assert (tmp_path / "index.work").exists()
    assert not (tmp_path / "index").exists()


def test_a_work_file_of_another_build_is_refused(tmp_path: Path) -> None:
    Work(tmp_path / "work", "one").close()
    with pytest.raises(ConfigError, match="another build"):
        Work(tmp_path / "work", "two")
    (tmp_path / "graph.ttl").write_text("something of value\n")
    with pytest.raises(ConfigError, match="another build"):
        Work(tmp_path / "graph.ttl", "one")
    assert (tmp_path / "graph.ttl").read_text() == "something of value\n"
