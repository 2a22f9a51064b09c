"""What a search finds, and the seam through which others in this process search."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, get_args

Kind = Literal["entity", "property"]
Match = Literal["exact", "prefix", "fuzzy", "remote", "label"]
Source = Literal["index", "remote", "labels"]

KINDS: tuple[Kind, ...] = get_args(Kind)
LIMIT, MOST_HITS = 10, 100
# What a language tag may look like. Source: BCP 47, loosely.
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}")


class ClassName(NamedTuple):
    """A class that an entity belongs to; the label is empty where nobody knows it."""

    iri: str
    id: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One entity or property that a text may mean.

    Shapes: ``label`` is its name in the asked language, or the next best; ``text`` is the name that matched, which may
    be an alias, and ``language`` that name's; ``match`` says how it matched and ``source`` who found it; ``classes``
    are those of an entity as far as they are known; ``domain`` and ``range`` say in one line what a property is for.
    Units: ``score`` is in [0, 1) and orders the hits of one search; ``popularity`` counts sitelinks, or triples.
    """

    id: str
    iri: str
    kind: Kind
    match: Match
    source: Source
    label: str = ""
    text: str = ""
    language: str = ""
    description: str = ""
    score: float = 0.0
    popularity: int = 0
    is_class: bool = False
    classes: tuple[ClassName, ...] = ()
    domain: str = ""
    range: str = ""

    def document(self) -> dict[str, Any]:
        """Return the hit as JSON shows it."""
        shown: dict[str, Any] = {
            "id": self.id,
            "iri": self.iri,
            "kind": self.kind,
            "label": self.label,
            "text": self.text,
            "language": self.language,
            "description": self.description,
            "match": self.match,
            "source": self.source,
            "score": round(self.score, 6),
            "popularity": self.popularity,
        }
        if self.kind == "property":
            return {**shown, "domain": self.domain, "range": self.range}
        classes = [{"id": each.id, "iri": each.iri, "label": each.label} for each in self.classes]
        return {**shown, "is_class": self.is_class, "classes": classes}


class Searcher(Protocol):
    """Find entities and properties of one graph by what people call them."""

    @property
    def problem(self) -> str:
        """Why the index cannot be used; empty where it can, or where none is configured."""

    async def find(self, text: str, kind: Kind | None = None, language: str = "", limit: int = LIMIT) -> list[Hit]:
        """Return hits, the best first, from the first source that has any; nothing where none can answer.

        ``language`` is preferred, never demanded. Takes any text, and returns within the bounds of its sources.
        """

    def mentions(
        self, texts: Iterable[str], kind: Kind | None = None, language: str = "", limit: int = LIMIT
    ) -> Mapping[str, list[Hit]]:
        """Return what is called exactly so, for those of many texts that are names; from the index alone, at once."""
