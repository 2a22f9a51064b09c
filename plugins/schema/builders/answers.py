"""Where a builder's SPARQL queries are answered: an endpoint that is asked politely, or a store on this machine."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

import pyoxigraph

from plugins.schema.builders.work import Work
from proxy.contract import Caller, Context, Query
from proxy.errors import ProxyError, UpstreamBusy, UpstreamError
from proxy.results import Format, rows
from proxy.results.terms import Solution, Term
from proxy.syntax import read

_CHUNK_ROWS = 5_000
_LONGEST_WAIT_S = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Paged:
    """A query whose rows are read in pages.

    Shapes: ``prologue`` is its PREFIX lines, ``select`` its variables, ``where`` the inside of its braces, ``key`` a
    variable of it that is always an IRI; ``step`` names it in the work file.
    """

    step: str
    prologue: str = ""
    select: str
    where: str
    key: str


class Answers(Protocol):
    """Answers queries; ``whole`` says that a query over the whole graph is fine."""

    @property
    def whole(self) -> bool:
        """Whether the whole graph may be read in one query."""

    async def ask(self, step: str, query: str) -> list[Solution]:
        """Return all rows of a small answer; ``step`` names it in the work file. Raises ProxyError."""

    def pages(self, paged: Paged) -> AsyncIterator[list[Solution]]:
        """Yield all rows of a large answer. Raises ProxyError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How a remote endpoint is asked. Units: ``pause_s`` in seconds, between two queries."""

    page_rows: int = 5_000
    pause_s: float = 0.5
    tries: int = 6
    first_wait_s: float = 2.0


class EndpointAnswers:
    """Ask an endpoint through the proxy's chain: one query at a time, with pauses; what was answered is kept."""

    def __init__(self, context: Context, endpoint: str, work: Work, manners: Manners, whole: bool = False) -> None:
        self._context = context
        self._endpoint = endpoint
        self._work = work
        self._manners = manners
        self._whole = whole
        self._number = itertools.count(1)

    @property
    def whole(self) -> bool:
        """Whether the person who builds said that the endpoint can read its whole graph."""
        return self._whole

    async def ask(self, step: str, query: str) -> list[Solution]:
        """Return the rows from the work file, or from the endpoint. Raises ProxyError."""
        kept = self._work.rows(step, query)
        if kept is not None:
            return kept
        found = await self._patiently(query)
        self._work.keep(step, query, found)
        await asyncio.sleep(self._manners.pause_s)
        return found

    async def pages(self, paged: Paged) -> AsyncIterator[list[Solution]]:
        """Yield pages by keyset: endpoints have limits of rows and of time, and OFFSET reads everything again.

        A page may end in the middle of the rows of its last key, at our limit or at one of the endpoint, so the next
        page begins with that key.
        """
        last, how = "", ">="
        while True:
            after = f'FILTER(STR(?{paged.key}) {how} "{_escaped(last)}")' if last else ""
            text = (
                f"{paged.prologue}SELECT {paged.select} WHERE {{ {paged.where} {after} }} "
                f"ORDER BY STR(?{paged.key}) LIMIT {self._manners.page_rows}"
            )
            found = await self.ask(f"{paged.step} {how} {last}", text)
            if not found:
                return
            end = found[-1][paged.key].value
            whole = [row for row in found if row[paged.key].value != end]
            if whole:
                yield whole
                last, how = end, ">="
            else:
                yield found
                last, how = end, ">"

    async def _patiently(self, query: str) -> list[Solution]:
        wait_s = self._manners.first_wait_s
        for left in reversed(range(self._manners.tries)):
            try:
                return await self._once(query)
            except UpstreamError as error:
                if not left:
                    raise
                asked = float(error.headers.get("Retry-After", 0)) if isinstance(error, UpstreamBusy) else 0.0
                await asyncio.sleep(min(max(wait_s, asked), _LONGEST_WAIT_S))
                wait_s *= 2
        raise AssertionError("no try left and no error")

    async def _once(self, text: str) -> list[Solution]:
        query = Query(
            id=f"schema-{next(self._number)}",
            endpoint=self._endpoint,
            syntax=read(text),
            formats=(Format.JSON, Format.XML, Format.TSV),
            caller=Caller(address="127.0.0.1"),
            # Our own look-ups: the guard would only ask the index that is being built.
            hints={"saga-guard": "off"},
        )
        async with await self._context.run(query) as reply:
            return [row async for row in rows(reply.chunks, reply.format or Format.JSON)]


class StoreAnswers:
    """Ask a store of this process. The queries are our own; those of clients never come here."""

    def __init__(self, store: pyoxigraph.Store) -> None:
        self._store = store
        # Solutions of pyoxigraph belong to the thread that asked for them: all work is done in this one.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="schema-store")

    @property
    def whole(self) -> bool:
        """It is ours."""
        return True

    async def ask(self, step: str, query: str) -> list[Solution]:
        """Return the rows. Raises ProxyError."""
        return await self._off_the_loop(self._rows(query), None)

    async def pages(self, paged: Paged) -> AsyncIterator[list[Solution]]:
        """Yield the rows in one pass, in no order."""
        found = self._rows(f"{paged.prologue}SELECT {paged.select} WHERE {{ {paged.where} }}")
        while page := await self._off_the_loop(found, _CHUNK_ROWS):
            yield page

    async def _off_the_loop(self, found: Iterator[Solution], most: int | None) -> list[Solution]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: list(itertools.islice(found, most)))

    def _rows(self, query: str) -> Iterator[Solution]:
        try:
            solutions = self._store.query(query, use_default_graph_as_union=True)
            if not isinstance(solutions, pyoxigraph.QuerySolutions):
                raise TypeError("a builder asks SELECT queries only")
            names = [variable.value for variable in solutions.variables]
            for solution in solutions:
                found = zip(names, solution, strict=True)
                yield {name: _term(value) for name, value in found if value is not None}
        except (OSError, SyntaxError) as error:
            raise ProxyError(f"The store did not answer: {error}") from error


def _term(value: pyoxigraph.NamedNode | pyoxigraph.BlankNode | pyoxigraph.Literal | pyoxigraph.Triple) -> Term:
    match value:
        case pyoxigraph.NamedNode():
            return Term("iri", value.value)
        case pyoxigraph.BlankNode():
            return Term("blank", value.value)
        case pyoxigraph.Literal():
            plain = value.language or value.datatype.value == "http://www.w3.org/2001/XMLSchema#string"
            return Term("literal", value.value, "" if plain else value.datatype.value, value.language or "")
        case _:
            return Term("triple", "")


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")


def iris(each: Iterable[str]) -> str:
    """Return IRIs as they stand in VALUES. One that SPARQL cannot write is left out."""
    return " ".join(f"<{iri}>" for iri in each if not set(iri) & set('<>"{}|^`\\') and min(iri, default="") > " ")


def batches(each: Iterable[str], size: int) -> Iterable[list[str]]:
    """Cut IRIs into lists that fit into one query."""
    rest = iter(each)
    while batch := list(itertools.islice(rest, size)):
        yield batch
