"""An endpoint as a source: its names, classes and counts, asked for through the proxy's own chain."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from plugins.schema.builders.answers import EndpointAnswers, Manners, Paged
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.work import Work
from plugins.schema.facts import LOOKUP
from plugins.search.facts import Facts
from plugins.search.gather import Gather
from plugins.search.profile import Reading
from proxy.contract import Caller, Context, Query, Run
from proxy.results import Format, rows
from proxy.results.terms import Solution
from proxy.syntax import read

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_CHUNK_ROWS = 5_000
# Our own look-ups: the guard has nothing to say, and the cache must not fill with them.
_HINTS = {LOOKUP: "search", "saga-guard": "off", "cache-control": "no-store"}

Take = Callable[[Facts, Solution], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One query of a build: ``where`` is the inside of its braces, ``take`` reads a row."""

    name: str
    select: str
    where: str
    take: Take
    key: str = "s"


class Asked(Protocol):
    """Answers large queries in chunks of rows."""

    def chunks(self, step: Step) -> AsyncIterator[list[Solution]]:
        """Yield all rows. Raises ProxyError."""


class Streamed:
    """Ask a store on this machine: each query once, its rows as they come."""

    def __init__(self, run: Run, endpoint: str) -> None:
        self._run = run
        self._endpoint = endpoint
        self._numbers = itertools.count(1)

    async def chunks(self, step: Step) -> AsyncIterator[list[Solution]]:
        """Yield the rows in no order."""
        query = Query(
            id=f"search-{next(self._numbers)}",
            endpoint=self._endpoint,
            syntax=read(f"SELECT {step.select} WHERE {{ {step.where} }}"),
            formats=(Format.JSON, Format.XML, Format.TSV),
            caller=Caller(address="127.0.0.1"),
            hints=_HINTS,
        )
        async with await self._run(query) as reply:
            chunk: list[Solution] = []
            async for row in rows(reply.chunks, reply.format or Format.JSON):
                chunk.append(row)
                if len(chunk) >= _CHUNK_ROWS:
                    yield chunk
                    chunk = []
            yield chunk


class Politely:
    """Ask somebody else's endpoint: page by page, with pauses, and nothing twice after an interruption."""

    def __init__(self, context: Context, endpoint: str, work: Work, manners: Manners) -> None:
        self._answers = EndpointAnswers(context, endpoint, work, manners)

    async def chunks(self, step: Step) -> AsyncIterator[list[Solution]]:
        """Yield the rows in the order of their key."""
        paged = Paged(step=step.name, select=step.select, where=step.where, key=step.key)
        async for page in self._answers.pages(paged):
            yield page


class EndpointSource:
    """An endpoint whose names are read by a list of queries.

    ``measured`` also counts the triples of every entity and property, for which the whole graph is read.
    """

    def __init__(self, endpoint: str, asked: Asked, reading: Reading, *, measured: bool) -> None:
        self.name = f"{endpoint} {measured}"
        self._asked = asked
        self._steps = [*_names(reading), *_kinds(reading), *(_counts(reading) if measured else ())]

    async def read(self, gather: Gather, facts: Facts, progress: Progress) -> None:
        """Ask what was not asked yet."""
        for number in range(gather.position or 0, len(self._steps)):
            step = self._steps[number]
            progress.part(step.name)
            async for chunk in self._asked.chunks(step):
                for row in chunk:
                    step.take(facts, row)
                progress.step(len(chunk))
                if gather.full:
                    gather.spill()
            gather.keep(number + 1, whole=number + 1 == len(self._steps))


def _names(reading: Reading) -> Iterable[Step]:
    own = reading.profile
    for predicate in (*own.labels, *own.aliases, *own.descriptions):

        def take(facts: Facts, row: Solution, predicate: str = predicate) -> None:
            subject, text = row["s"], row["text"]
            if subject.kind == "iri" and text.kind == "literal":
                facts.add_text(subject.value, predicate, text.value, text.language)

        where = f"?s <{predicate}> ?text . FILTER(isIRI(?s))"
        yield Step(name=f"texts of {_last(predicate)}", select="?s ?text", where=where, take=take)


def _kinds(reading: Reading) -> Iterable[Step]:
    own = reading.profile
    for predicate in (*own.types, *own.superclasses):

        def take(facts: Facts, row: Solution, predicate: str = predicate) -> None:
            if row["s"].kind == "iri" and row["class"].kind == "iri":
                facts.add_kind(row["s"].value, predicate, row["class"].value)

        where = f"?s <{predicate}> ?class . FILTER(isIRI(?s) && isIRI(?class))"
        yield Step(name=f"classes by {_last(predicate)}", select="?s ?class", where=where, take=take)
    if RDF_TYPE not in own.types:
        listed = " ".join(f"<{iri}>" for iri in sorted({*reading.property_types, *reading.class_types}))

        def declared(facts: Facts, row: Solution) -> None:
            if row["s"].kind == "iri":
                facts.add_kind(row["s"].value, RDF_TYPE, row["class"].value)

        where = f"VALUES ?class {{ {listed} }} ?s <{RDF_TYPE}> ?class . FILTER(isIRI(?s))"
        yield Step(name="properties and classes", select="?s ?class", where=where, take=declared)
    if own.sitelinks:
        where = f"?s <{own.sitelinks}> ?n . FILTER(isIRI(?s))"
        yield Step(name="sitelinks", select="?s ?n", where=where,
                   take=lambda facts, row: facts.add_sitelinks(row["s"].value, row["n"].value))  # fmt: skip


def _counts(reading: Reading) -> Iterable[Step]:
    def triples(facts: Facts, row: Solution) -> None:
        facts.add_triples(row["s"].value, int(row["n"].value))

    def usage(facts: Facts, row: Solution) -> None:
        facts.add_usage(row["s"].value, int(row["n"].value))

    listed = ", ".join(f"<{iri}>" for iri in sorted(reading.texts))
    outgoing = f"?s ?p ?o . FILTER(isIRI(?s) && ?p NOT IN ({listed}))"
    for name, where, take in (
        ("triples from entities", outgoing, triples),
        ("triples to entities", "?o ?p ?s . FILTER(isIRI(?s))", triples),
        ("triples of properties", "?o ?s ?p", usage),
    ):
        select = f"{{ SELECT ?s (COUNT(*) AS ?n) WHERE {{ {where} }} GROUP BY ?s }}"
        yield Step(name=name, select="?s ?n", where=select, take=take)


def _last(iri: str) -> str:
    return iri.rstrip("/#").replace("#", "/").rpartition("/")[2]
