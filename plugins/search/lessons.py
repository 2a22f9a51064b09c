"""Questions with their queries, as files have them: one JSON object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plugins.schema.builders.files import open_bytes
from plugins.schema.shorthand import variants
from plugins.search.learned import Learned, learn, parsed
from plugins.search.profile import profile
from proxy.errors import ClientError, UsageError
from proxy.syntax import read, steps

_LONGEST_LINE = 4 * 1024 * 1024
_LONGEST_QUERY = 100_000
_BASE = "http://www.wikidata.org/"
_ID = re.compile(r"P\d+")
# What belongs to engines and to the language, and answers no question.
_MACHINERY = ("http://wikiba.se/", "http://www.bigdata.com/", "http://www.w3.org/", "http://schema.org/")


class Lessons:
    """Files of questions. ``skipped`` counts lines that teach nothing."""

    def __init__(self, paths: Sequence[Path], graph: str, prefixes: Mapping[str, str]) -> None:
        """Look at the files. Raises UsageError for one that is absent."""
        for path in paths:
            if not path.is_file():
                raise UsageError(f"{path}: no such file; give lines of JSON with `question` and `sparql`")
        self._paths = paths
        self._graph = graph
        self._prefixes = prefixes
        self._reading = profile(graph).reader()
        self._variants = variants(_BASE) if graph == "wikidata" else {}
        self.skipped = 0

    def learned(self) -> Learned:
        """Read the files and learn. Raises UsageError where one cannot be read."""
        return learn(self._pairs(), self._graph)

    def _pairs(self) -> Iterator[tuple[str, frozenset[str]]]:
        for path in self._paths:
            with open_bytes(path) as file:
                while line := file.readline(_LONGEST_LINE):
                    found = parsed(line)
                    used = self._used(found) if found else frozenset()
                    texts = _questions(found) if found and used else []
                    self.skipped += not texts
                    for text in texts:
                        yield text, used

    def _used(self, line: Mapping[str, Any]) -> frozenset[str]:
        """Return the IRIs of the properties in the query of a line."""
        text = next((line[name] for name in ("sparql", "query") if isinstance(line.get(name), str)), "")
        if not text or len(text) > _LONGEST_QUERY:
            return frozenset()
        try:
            patterns = read(text, prefixes=self._prefixes).patterns
        except ClientError:
            return frozenset()
        found: set[str] = set()
        for pattern in patterns:
            for step in steps(pattern.predicate):
                iri = self._canonical(step.iri.value)
                if iri is not None:
                    found.add(iri)
        return frozenset(found)

    def _canonical(self, predicate: str) -> str | None:
        """Return the IRI of the property that a predicate is a variant of; None for machinery."""
        space, slash, local = predicate.rpartition("/")
        if self._variants.get(space + slash):
            return f"{_BASE}entity/{local}" if _ID.fullmatch(local) else None
        if self._variants or predicate.startswith(_MACHINERY):
            return None
        return self._reading.property_of(predicate)


def _questions(line: Mapping[str, Any]) -> list[str]:
    """Return the question of a line, in all its languages."""
    given = line.get("question")
    texts = given.values() if isinstance(given, dict) else [given]
    return [text for text in dict.fromkeys(each for each in texts if isinstance(each, str)) if text.strip()]
