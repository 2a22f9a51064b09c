"""Prefixed names: what they stand for, and text in which less is left to be implied."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urljoin

from proxy.syntax.limits import Limits
from proxy.syntax.tokens import NAMES_IN_DATA, Tokens, tokenise

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPE = re.compile(r"\\(.)")
_COARSE = Limits(max_tokens=10_000_000, max_depth=10_000_000)
_FINE = Limits(max_checked_tokens=10_000_000, max_depth=10_000_000)


class Name(NamedTuple):
    """A prefixed name in a text; ``iri`` is None where its prefix is neither declared nor implied."""

    prefix: str
    local: str
    iri: str | None
    start: int
    end: int


@dataclass(slots=True)
class Namespaces:
    """Prefixes and base at one place of a text: those implied by the endpoint, then those declared above."""

    prefixes: dict[str, str]
    base: str | None = None
    declared: dict[str, str] = field(default_factory=dict)

    def declare(self, prefix: str, iri: str) -> None:
        self.prefixes[prefix] = self.declared[prefix] = self.absolute(iri)

    def absolute(self, iri: str) -> str:
        """Resolve a relative IRI against the base; without a base it stays as it is."""
        if self.base is None or _SCHEME.match(iri):
            return iri
        try:
            return urljoin(self.base, iri)
        except ValueError:  # not an IRI reference at all, as <//[>
            return iri

    def expand(self, name: str) -> str | None:
        """Expand a prefixed name, its backslash escapes undone; None where the prefix is unknown."""
        prefix, _, local = name.partition(":")
        namespace = self.prefixes.get(prefix)
        if namespace is None:
            return None
        return namespace + (_ESCAPE.sub(r"\1", local) if "\\" in local else local)

    def resolve(self, kind: str, text: str) -> str | None:
        """Read a token as an IRI; None where it is none, or cannot be known."""
        if kind == "iri":
            return self.absolute(text[1:-1])
        return self.expand(text) if kind == "name" else None


def namespaces_at(tokens: Tokens, implied: Mapping[str, str]) -> Callable[[int], Namespaces]:
    """Make a function from the index of a token to what is declared before it; indices must not fall."""
    kinds, texts = tokens.kinds, tokens.texts
    namespaces = Namespaces(dict(implied))
    places: list[int] = []
    if "PREFIX" in kinds or "BASE" in kinds:
        places = [i for i, kind in enumerate(kinds) if kind in ("PREFIX", "BASE")]
    place = 0

    def at(index: int) -> Namespaces:
        nonlocal place
        while place < len(places) and places[place] < index:
            _declare(namespaces, kinds, texts, places[place])
            place += 1
        return namespaces

    return at


def _declare(namespaces: Namespaces, kinds: list[str], texts: list[str], at: int) -> None:
    if kinds[at] == "BASE" and kinds[at + 1] == "iri":
        namespaces.base = namespaces.absolute(texts[at + 1][1:-1])
    elif kinds[at] == "PREFIX" and kinds[at + 1] == "name" and kinds[at + 2] == "iri":
        namespaces.declare(texts[at + 1][:-1], texts[at + 2][1:-1])


def _tokens(text: str) -> Tokens:
    """Split a text that its caller has read before; offsets within runs hold only where nothing was escaped."""
    return tokenise(text, _FINE if "\\u" in text or "\\U" in text else _COARSE)


def names(text: str, implied: Mapping[str, str]) -> tuple[Name, ...]:
    """List the prefixed names of a text with what they expand to, those in PREFIX lines left out."""
    tokens = _tokens(text)
    at = namespaces_at(tokens, implied)
    found: list[Name] = []
    for index, kind in enumerate(tokens.kinds):
        if kind == "name" and tokens.kinds[index - 1] != "PREFIX":
            found.append(_name(tokens.texts[index], at(index), tokens.starts[index], tokens.ends[index]))
        elif kind == "data":
            start = tokens.starts[index]
            for match in NAMES_IN_DATA.finditer(tokens.texts[index]):
                if match[1] is not None:
                    found.append(_name(match[1], at(index), start + match.start(), start + match.end()))
    return tuple(found)


def _name(written: str, namespaces: Namespaces, start: int, end: int) -> Name:
    prefix, _, local = written.partition(":")
    return Name(prefix, local, namespaces.expand(written), start, end)


def expand_dotted(text: str, implied: Mapping[str, str]) -> str:
    """Write every prefixed name with a dot in its local part as a full IRI; all else stays as it is.

    Oxigraph refuses names such as ``ns:people.person.gender``. A name of an unknown prefix is left alone.
    """
    if "." not in text or ":" not in text:
        return text
    parts: list[str] = []
    last = 0
    for name in names(text, implied):
        if "." in name.local and name.iri is not None:
            parts += (text[last : name.start], f"<{name.iri}>")
            last = name.end
    return "".join((*parts, text[last:]))


def add_prefixes(text: str, implied: Mapping[str, str]) -> str:
    """Declare at the top, on one line, the implied prefixes that a text uses and does not declare."""
    tokens = _tokens(text)
    missing = used(tokens) - declared(tokens)
    lines = [f"PREFIX {prefix}: <{implied[prefix]}> " for prefix in sorted(missing & implied.keys())]
    return "".join((*lines, text))


def used(tokens: Tokens) -> set[str]:
    """Name the prefixes that stand in a text, declarations included, Virtuoso's pragmas (``DEFINE sql:x``) not."""
    kinds, texts = tokens.kinds, tokens.texts
    found = {text.partition(":")[0] for kind, text in zip(kinds, texts, strict=True) if kind == "name"}
    if "DEFINE" in kinds:
        places = [index for index, kind in enumerate(kinds) if kind == "name" and kinds[index - 1] != "DEFINE"]
        found = {texts[place].partition(":")[0] for place in places}
    if tokens.coarse:
        runs = [text for kind, text in zip(kinds, texts, strict=True) if kind == "data"]
        matches = (match[1] for run in runs for match in NAMES_IN_DATA.finditer(run))
        found.update(name.partition(":")[0] for name in matches if name is not None)
    return found


def declared(tokens: Tokens) -> frozenset[str]:
    """Name the prefixes that a text declares."""
    kinds = tokens.kinds
    if "PREFIX" not in kinds:
        return frozenset()
    places = (index + 1 for index, kind in enumerate(kinds) if kind == "PREFIX")
    return frozenset(tokens.texts[place][:-1] for place in places if kinds[place] == "name")
