"""What an index is built from: RDF files that are read once, or an endpoint that is asked."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import pyoxigraph

from plugins.schema.builders.files import given, open_bytes
from plugins.schema.builders.progress import Progress
from plugins.search.facts import Facts
from plugins.search.gather import Gather
from plugins.search.profile import Profile, profile
from proxy.errors import UsageError

_STEP_TRIPLES = 20_000
_LOOKED_AT = 2_000
_SUFFIXES = {"owl": "rdf", "rdfs": "rdf", "xml": "rdf", "ntriples": "nt", "nquads": "nq", "turtle": "ttl"}
_COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz")
_SIGNS = {"http://www.wikidata.org/": "wikidata", "http://rdf.freebase.com/": "freebase"}

Statement = pyoxigraph.Triple | pyoxigraph.Quad


class Source(Protocol):
    """Something that an index can be built from."""

    @property
    def name(self) -> str:
        """What tells it from other sources, and from itself when it has changed."""

    async def read(self, gather: Gather, facts: Facts, progress: Progress) -> None:
        """Read everything behind the gather's position, and keep it. Raises UsageError, ProxyError, ConfigError."""


class Files:
    """RDF files, packed or not."""

    def __init__(self, paths: Sequence[Path]) -> None:
        """Look at the files. Raises UsageError for one that is absent, or no RDF by its name."""
        tables = given(paths).tables
        if tables:
            raise UsageError(f"{tables[0]}: a text index is made from RDF files; tables have no names in them")
        self._paths = list(paths)
        stamps = [(path.absolute(), path.stat()) for path in paths]
        self.name = " ".join(f"{path}:{found.st_size}:{found.st_mtime_ns}" for path, found in stamps)

    def looks_like(self) -> str:
        """Return the profile that the first triples speak for."""
        for path in self._paths:
            with open_bytes(path) as file:
                for statement in itertools.islice(_parsed(path, file), _LOOKED_AT):
                    for sign, graph in _SIGNS.items():
                        if str(statement.subject).startswith(f"<{sign}"):
                            return graph
        return "rdf"

    def prefixes(self) -> dict[str, str]:
        """Return the prefixes that the files declare before their first triple."""
        found: dict[str, str] = {}
        for path in self._paths:
            with open_bytes(path) as file:
                parser = pyoxigraph.parse(input=file, format=_format(path), base_iri="file:///", lenient=True)
                try:
                    next(iter(parser), None)
                except SyntaxError:
                    continue
                found.update(parser.prefixes)
        return found

    async def read(self, gather: Gather, facts: Facts, progress: Progress) -> None:
        """Read file after file. Raises UsageError where one is not what its name says."""
        number, done = gather.position or (0, 0)
        for place in range(number, len(self._paths)):
            path = self._paths[place]
            progress.part(f"reading {path.name}")
            with open_bytes(path) as file:
                statements = _parsed(path, file)
                if done:
                    await asyncio.to_thread(_skip, statements, done)
                while count := await asyncio.to_thread(_read, statements, facts):
                    done += count
                    progress.step(count)
                    if gather.full:
                        await asyncio.to_thread(gather.keep, (place, done))
            done = 0
        await asyncio.to_thread(gather.keep, (len(self._paths), 0), whole=True)


def guessed(files: Files) -> Profile:
    """Return the profile of files, with the prefixes that they declare."""
    return profile(files.looks_like()).extended(prefixes=files.prefixes())


def _parsed(path: Path, file: Any) -> Iterator[Statement]:
    base = path.absolute().as_uri()
    try:
        yield from pyoxigraph.parse(input=file, format=_format(path), base_iri=base, lenient=True)
    except SyntaxError as error:
        raise UsageError(f"{path} is not the RDF that its name says: {error}") from error


def _skip(statements: Iterator[Statement], count: int) -> None:
    next(itertools.islice(statements, count - 1, count), None)


def _read(statements: Iterator[Statement], facts: Facts) -> int:
    """Read some triples and return how many; 0 at the end."""
    count = 0
    for count, statement in enumerate(itertools.islice(statements, _STEP_TRIPLES), 1):  # noqa: B007 - the last one
        _take(statement, facts)
    return count


def _take(statement: Statement, facts: Facts) -> None:
    subject, predicate, target = statement.subject, statement.predicate.value, statement.object
    if not isinstance(subject, pyoxigraph.NamedNode):
        return
    if isinstance(target, pyoxigraph.NamedNode):
        facts.add_link(subject.value, predicate, target.value)
    elif isinstance(target, pyoxigraph.Literal):
        if predicate in facts.texts:
            facts.add_text(subject.value, predicate, target.value, target.language or "")
        else:
            facts.add_literal(subject.value, predicate, target.value)
    else:
        facts.add_triples(subject.value, 1)
        facts.add_usage(predicate, 1)


def _format(path: Path) -> pyoxigraph.RdfFormat:
    bare = path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
    suffix = bare.suffix.lower().lstrip(".")
    found = pyoxigraph.RdfFormat.from_extension(_SUFFIXES.get(suffix, suffix))
    if found is None:
        raise UsageError(f"{path}: its name does not tell the format; use .nt, .ttl, .rdf, .nq, .trig or .jsonld")
    return found
