"""What is read of a graph, gathered by IRI: in memory, then in sorted runs on the disk that are merged at the end.

So a build needs the same memory for a thousand labels and for fifty million. A run is written whole together with how
far its source was read by then: a build that was killed goes on from the last run.
"""

from __future__ import annotations

import heapq
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plugins.schema.container import write
from plugins.search.profile import Reading, readable
from plugins.search.records import Name, Record
from proxy.errors import ConfigError

# So many IRIs are held in memory.
RUN_IRIS = 200_000
_MOST_NAMES = 1_000
_MOST_TYPES = 8
_MOST_DESCRIPTIONS = 12
_MOST_CHARS = 1_000
_VERSION = 1


@dataclass(slots=True)
class Draft:
    """What is known of one IRI so far.

    Shapes: ``names`` say of a language and a text whether it is only an alias; ``sitelinks`` is -1 where nobody
    counted them.
    """

    names: dict[tuple[str, str], bool] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    types: dict[str, None] = field(default_factory=dict)
    triples: int = 0
    usage: int = 0
    sitelinks: int = -1
    is_class: bool = False
    is_property: bool = False

    def add_name(self, language: str, text: str, *, alias: bool) -> None:
        """Add a label or an alias. A text that is both is a label."""
        key = (language.lower(), text[:_MOST_CHARS])
        if key in self.names or len(self.names) < _MOST_NAMES:
            self.names[key] = self.names.get(key, True) and alias

    def add_description(self, language: str, text: str) -> None:
        """Add a description; of several in one language the first of the alphabet holds."""
        language, text = language.lower(), text[:_MOST_CHARS]
        self.descriptions[language] = min(text, self.descriptions.get(language, text))

    def add(self, other: Draft) -> None:
        """Join what another run says of the same IRI."""
        for (language, text), alias in other.names.items():
            self.add_name(language, text, alias=alias)
        for language, text in other.descriptions.items():
            self.add_description(language, text)
        self.types.update(other.types)
        self.triples += other.triples
        self.usage += other.usage
        self.sitelinks = max(self.sitelinks, other.sitelinks)
        self.is_class |= other.is_class
        self.is_property |= other.is_property

    def packed(self) -> list[Any]:
        """Return the draft as a run keeps it."""
        names = [[language, text, int(alias)] for (language, text), alias in self.names.items()]
        marks = [int(self.is_class), int(self.is_property)]
        return [names, self.descriptions, list(self.types), self.triples, self.usage, self.sitelinks, *marks]

    def record(self, iri: str, reading: Reading) -> Record | None:
        """Return the record of an entity or property, or None where it has no name."""
        by_form = reading.is_property(iri)
        is_property = by_form if by_form is not None else self.is_property or self.usage > 0
        texts: dict[str, tuple[set[str], set[str]]] = {}
        for (language, text), alias in self.names.items():
            texts.setdefault(text, (set(), set()))[alias].add(language)
        names = [Name(text, tuple(sorted(own)), tuple(sorted(more))) for text, (own, more) in texts.items()]
        # Labels first, so that the first name is one; else the order would be that of the files.
        names.sort(key=lambda name: (not name.labels, name.labels or name.aliases, name.text))
        if not names and is_property and reading.profile.worded:
            names = [Name(readable(iri), ("",), ())]
        if not names:
            return None
        return Record(
            iri=iri,
            kind="property" if is_property else "entity",
            names=tuple(names),
            popularity=self._popularity(is_property=is_property),
            is_class=self.is_class,
            descriptions=self._described(reading.profile.languages),
            classes=tuple(sorted(self.types)[:_MOST_TYPES]),
        )

    def _popularity(self, *, is_property: bool) -> int:
        if is_property:
            return self.usage or self.triples
        return self.sitelinks if self.sitelinks > 0 else self.triples

    def _described(self, languages: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
        """Keep the descriptions of preferred languages, and some others."""
        order = {language: place for place, language in enumerate(languages)}
        kept = sorted(self.descriptions, key=lambda language: (order.get(language, len(order)), language))
        return tuple((language, self.descriptions[language]) for language in kept[:_MOST_DESCRIPTIONS])


def _unpacked(data: list[Any]) -> Draft:
    names, descriptions, types, triples, usage, sitelinks, is_class, is_property = data
    named = {(language, text): bool(alias) for language, text, alias in names}
    kinds = dict.fromkeys(types)
    return Draft(named, descriptions, kinds, triples, usage, sitelinks, bool(is_class), bool(is_property))


class Gather:
    """Gathers drafts, and remembers how far their source was read.

    Shapes: ``position`` is whatever the source understands, as JSON; None at the beginning.
    """

    def __init__(self, folder: Path, source: str, run_iris: int = RUN_IRIS) -> None:
        """Go on with a folder, or begin: what is left of another source is thrown away. Raises ConfigError."""
        self._folder = folder
        self._run_iris = run_iris
        self._source = source
        self._drafts: dict[str, Draft] = {}
        state = _read_state(folder / "state.json")
        if state is None or state["source"] != source:
            state = None
            shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{folder}: {error.strerror}: name a folder that can be written") from error
        self._runs: int = state["runs"] if state else 0
        self.position: Any = state["position"] if state else None
        self.whole: bool = state["whole"] if state else False
        self.resumed = state is not None

    def of(self, iri: str) -> Draft:
        """Return the draft of an IRI."""
        draft = self._drafts.get(iri)
        if draft is None:
            draft = self._drafts[iri] = Draft()
        return draft

    @property
    def full(self) -> bool:
        """Whether it is time to write a run."""
        return len(self._drafts) >= self._run_iris

    def spill(self) -> None:
        """Write what was gathered, to make room. After a kill it counts only if `keep` came behind it."""
        if self._drafts:
            lines = (f"{iri}\t{json.dumps(self._drafts[iri].packed())}\n".encode() for iri in sorted(self._drafts))
            write(self._run(self._runs), lines)
            self._drafts = {}
            self._runs += 1

    def keep(self, position: Any, *, whole: bool = False) -> None:
        """Write what was gathered, and that the source was read up to here. Raises ConfigError."""
        self.spill()
        self.position, self.whole = position, whole
        state = {"saga_gather": _VERSION, "source": self._source, "runs": self._runs}
        write(self._folder / "state.json", [json.dumps({**state, "position": position, "whole": whole}).encode()])

    def merged(self) -> Iterator[tuple[str, Draft]]:
        """Yield all drafts in the order of their IRIs, each once."""
        last: tuple[str, Draft] | None = None
        for iri, packed in heapq.merge(
            *(_lines(self._run(run)) for run in range(self._runs)), key=lambda pair: pair[0]
        ):
            draft = _unpacked(json.loads(packed))
            if last is not None and last[0] == iri:
                last[1].add(draft)
                continue
            if last is not None:
                yield last
            last = (iri, draft)
        if last is not None:
            yield last

    def _run(self, number: int) -> Path:
        return self._folder / f"run-{number:05}"


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            iri, _, packed = line.partition("\t")
            yield iri, packed


def _read_state(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    known = isinstance(found, dict) and found.get("saga_gather") == _VERSION
    return found if known and {"source", "runs", "position", "whole"} <= found.keys() else None
