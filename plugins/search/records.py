"""One entity or property as the index keeps it: its names in all languages, and what is shown with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from plugins.schema.shorthand import shorten
from plugins.search.folding import fold, plain
from plugins.search.hit import ClassName, Hit, Kind, Match, Source

# Texts of every language, or of none.
ANY_LANGUAGE = ("mul", "")
_LETTER: dict[Kind, str] = {"entity": "e", "property": "p"}
_KIND: dict[str, Kind] = {letter: kind for kind, letter in _LETTER.items()}


class Name(NamedTuple):
    """A text, the languages that have it as their label, and those that have it as an alias."""

    text: str
    labels: tuple[str, ...]
    aliases: tuple[str, ...]


class Folded(NamedTuple):
    """A name as it is compared."""

    name: Name
    folded: str

    @property
    def plain(self) -> str:
        """Its words alone."""
        return plain(self.folded)


@dataclass(frozen=True, kw_only=True)
class Record:
    """An entity or a property. ``classes`` are IRIs; ``descriptions`` are pairs of language and text."""

    iri: str
    kind: Kind
    names: tuple[Name, ...]
    popularity: int = 0
    is_class: bool = False
    descriptions: tuple[tuple[str, str], ...] = ()
    classes: tuple[str, ...] = ()

    @cached_property
    def folded(self) -> tuple[Folded, ...]:
        """The names as they are compared."""
        return tuple(Folded(name, fold(name.text)) for name in self.names)

    def label(self, languages: Sequence[str]) -> str:
        """Return the label in the first language that has one, else any."""
        labels = {language: name.text for name in reversed(self.names) for language in name.labels}
        return _best(labels, languages) or (self.names[0].text if self.names else "")

    def description(self, languages: Sequence[str]) -> str:
        """Return the description in the first language that has one, else any."""
        return _best(dict(self.descriptions), languages)

    def hit(self, match: Match, source: Source, *, text: str, language: str, value: float, languages: Sequence[str],
            namespaces: Mapping[str, str], classes: tuple[ClassName, ...]) -> Hit:  # fmt: skip
        """Return the record as a hit: ``text`` is the name that matched, ``languages`` those that are shown."""
        return Hit(
            id=shorten(self.iri, namespaces),
            iri=self.iri,
            kind=self.kind,
            match=match,
            source=source,
            label=self.label(languages),
            text=text,
            language=language,
            description=self.description(languages),
            score=value,
            popularity=self.popularity,
            is_class=self.is_class,
            classes=classes,
        )

    def encoded(self) -> bytes:
        """Return the record as it is stored."""
        names = [[name.text, name.labels, name.aliases] for name in self.names]
        parts = [self.iri, _LETTER[self.kind], int(self.is_class), self.popularity, names]
        rest = [self.descriptions, self.classes]
        return json.dumps([*parts, *rest], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def decoded(data: bytes) -> Record:
    """Return a stored record."""
    iri, letter, is_class, popularity, names, descriptions, classes = json.loads(data.decode())
    return Record(
        iri=iri,
        kind=_KIND[letter],
        is_class=bool(is_class),
        popularity=popularity,
        names=tuple(Name(text, tuple(labels), tuple(aliases)) for text, labels, aliases in names),
        descriptions=tuple((language, text) for language, text in descriptions),
        classes=tuple(classes),
    )


def speaks(language: str, wanted: str) -> bool:
    """Whether a tag is of a wanted language: `en-gb` is English."""
    return language == wanted or language.startswith(f"{wanted}-")


def _best(texts: dict[str, str], languages: Sequence[str]) -> str:
    for wanted in (*languages, *ANY_LANGUAGE):
        if wanted in texts:
            return texts[wanted]
        if wanted:
            near = next((language for language in sorted(texts) if speaks(language, wanted)), None)
            if near is not None:
                return texts[near]
    return texts[min(texts)] if texts else ""
