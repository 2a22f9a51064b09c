"""What a text reaches for outside its own data, found in the tokens alone.

No grammar is needed, so this holds for text in dialects that we cannot read: it is the gate for SERVICE, FROM and LOAD.
Where a target cannot be made out it is reported as such, never left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from proxy.syntax.names import Namespaces, namespaces_at
from proxy.syntax.terms import Iri, Variable
from proxy.syntax.tokens import Tokens

_SERVICE = re.compile("service", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Service:
    """One SERVICE: its target, None where it cannot be read (or its prefix is unknown).

    Units: ``start`` and ``end`` span keyword and target in the original text.
    """

    target: Iri | Variable | None
    silent: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """A graph or document that a text names as its data.

    Shapes: ``keyword`` is FROM, FROM NAMED, USING, USING NAMED, WITH, LOAD, COPY, MOVE or ADD; ``iri`` is None where
    it cannot be read.
    """

    keyword: str
    iri: str | None
    start: int
    end: int


def services(text: str, tokens: Tokens, implied: Mapping[str, str]) -> tuple[Service, ...]:
    """List the SERVICE targets of a text, unreadable ones included.

    A word that merely contains SERVICE counts, since some lexers cut keywords out of longer words; so does the bare
    sequence of letters, even in strings, where an unclosed string makes the borders of strings uncertain.
    """
    if "SERVICE" not in text.upper() and "\\" not in text:
        return ()
    found = []
    if "SERVICE" in tokens.kinds:
        at = namespaces_at(tokens, implied)
        found = [_service(tokens, index, at(index)) for index in _every(tokens, "SERVICE")]
    for index in _glued(tokens):
        found.append(Service(None, False, tokens.starts[index], tokens.ends[index]))
    if "unterminated" in tokens.kinds:
        seen = {service.start for service in found}
        found += [
            Service(None, False, match.start(), match.end())
            for match in _SERVICE.finditer(text)
            if match.start() not in seen
        ]
    return tuple(found)


def sources(tokens: Tokens, implied: Mapping[str, str]) -> tuple[tuple[Source, ...], tuple[Source, ...]]:
    """List the datasets (FROM, USING, WITH) and the loads (LOAD, COPY, MOVE, ADD) of a text."""
    present = set(tokens.kinds)
    if present.isdisjoint(("FROM", "USING", "WITH", "LOAD", "COPY", "MOVE", "ADD")):
        return (), ()
    at = namespaces_at(tokens, implied)
    datasets = [_source(tokens, i, at(i)) for word in ("FROM", "USING", "WITH") for i in _every(tokens, word)]
    loads = [_source(tokens, i, at(i)) for word in ("LOAD", "COPY", "MOVE", "ADD") for i in _every(tokens, word)]
    return tuple(filter(None, datasets)), tuple(filter(None, loads))


def _every(tokens: Tokens, kind: str) -> Iterator[int]:
    index = -1
    for _ in range(tokens.kinds.count(kind)):
        index = tokens.kinds.index(kind, index + 1)
        yield index


def _glued(tokens: Tokens) -> list[int]:
    """Find what may be SERVICE to another lexer: parts of words, or ``?a<?b)SERVICE#>``, which we take for an IRI."""
    words = {kind for kind in set(tokens.kinds) if "SERVICE" in kind.upper()} - {"SERVICE"}
    found = [index for index, kind in enumerate(tokens.kinds) if kind in words] if words else []
    for index, text in enumerate(tokens.texts):
        if ")" in text and tokens.kinds[index] == "iri" and "service" in text.lower():
            found.append(index)
    return found


def _service(tokens: Tokens, index: int, namespaces: Namespaces) -> Service:
    at = index + 1
    silent = tokens.kinds[at] == "SILENT"
    if silent:
        at += 1
    target: Iri | Variable | None = None
    if tokens.kinds[at] == "variable":
        target = Variable(tokens.texts[at][1:])
    else:
        iri = namespaces.resolve(tokens.kinds[at], tokens.texts[at])
        target = Iri(iri) if iri is not None else None
    end = index if target is None else at
    return Service(target, silent, tokens.starts[index], tokens.ends[end])


def _source(tokens: Tokens, index: int, namespaces: Namespaces) -> Source | None:
    keyword, at = tokens.kinds[index], index + 1
    if tokens.kinds[at] == "NAMED":
        keyword, at = keyword + " NAMED", at + 1
    while tokens.kinds[at] in ("SILENT", "GRAPH"):
        at += 1
    if tokens.kinds[at] in ("DEFAULT", "{"):  # COPY DEFAULT TO ..., and Blazegraph's WITH { SELECT ... }
        return None
    iri = namespaces.resolve(tokens.kinds[at], tokens.texts[at])
    return Source(keyword, iri, tokens.starts[index], tokens.ends[at])
