"""The few places where the text that Oxigraph reads differs from the client's, and the way back.

Dotted names become full IRIs, because Oxigraph refuses ``ns:people.person``; Virtuoso's OR and AND become ``||`` and
``&&``; a path through a closure to a constant begins there, see closures.py. The graphs of an update's request become
USING clauses, because its update has no parameter for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from proxy.contract import Dataset
from proxy.endpoints.closures import closures, plain
from proxy.endpoints.edit import Edit, applied
from proxy.errors import BadRequest
from proxy.syntax import UNLIMITED, Syntax
from proxy.syntax.tokens import Tokens, tokenise

# What may be such a name: the look is quick and finds too much; then all names are read.
_DOTTED = re.compile(r""":(?:[^\s<>"'{}()|^`;,/\\]|\\.)*\.[^\s<>"'{}()|^`;,/?$]""")
# Operators of Virtuoso, which are no words of SPARQL anywhere else.
_OPERATORS = {"OR": "||", "AND": "&&"}
_OPERATOR = re.compile(r"\b(?:or|and)\b", re.IGNORECASE)


def edits(syntax: Syntax, dataset: Dataset) -> list[Edit]:
    """Return what has to be changed, in order and without overlap. ``dataset`` is that of an update, else empty.

    Raises BadRequest where the text already names graphs, or cannot be read well enough to be changed.
    Source: SPARQL 1.1 Protocol section 2.2.3.
    """
    found = sorted([*_dotted(syntax), *_operators(syntax)])
    found = sorted([*found, *_turned(syntax, found)])
    if dataset:
        found = sorted([*found, *_using(syntax, dataset, found)])
    return found


def _dotted(syntax: Syntax) -> list[Edit]:
    if _DOTTED.search(syntax.text) is None:
        return []
    return [
        Edit(name.start, name.end, f"<{name.iri}>")
        for name in syntax.names
        if "." in name.local and name.iri is not None
    ]


def _operators(syntax: Syntax) -> list[Edit]:
    if _OPERATOR.search(syntax.text) is None:
        return []
    tokens = plain(syntax.text)
    if tokens is None:
        return []
    spans = zip(tokens.kinds, tokens.starts, tokens.ends, strict=True)
    return [Edit(start, end, _OPERATORS[kind]) for kind, start, end in spans if kind in _OPERATORS]


def _turned(syntax: Syntax, others: Sequence[Edit]) -> list[Edit]:
    """Begin paths to a constant there; a text in which another change lies within a path is left as it is."""
    found = closures(syntax)
    both = sorted([*found, *others])
    return [] if any(after.start < before.end for before, after in pairwise(both)) else found


def _using(syntax: Syntax, dataset: Dataset, names: Sequence[Edit]) -> list[Edit]:
    """Name the graphs in front of every WHERE of an update."""
    if any(source.keyword in ("USING", "USING NAMED", "WITH") for source in syntax.datasets):
        raise BadRequest("The update names its graphs with USING or WITH, so the request may not name others.")
    if not syntax.checked:
        raise BadRequest("This update cannot be read well enough to add the request's graphs: write USING <...> in it.")
    clauses = "".join(
        [f"USING <{_plain(iri)}> " for iri in dataset.default]
        + [f"USING NAMED <{_plain(iri)}> " for iri in dataset.named]
    )
    tokens = tokenise(syntax.text, UNLIMITED)
    return [_clause(syntax.text, tokens, index, clauses, names) for index in _wheres(tokens)]


def _wheres(tokens: Tokens) -> list[int]:
    """Find the WHERE of each operation, those inside of groups left out."""
    found = []
    index = 0
    while index < len(tokens.kinds):
        if tokens.kinds[index] == "WHERE":
            found.append(index)
        index = tokens.closing.get(index, index) + 1
    return found


def _clause(text: str, tokens: Tokens, where: int, clauses: str, names: Sequence[Edit]) -> Edit:
    """Make the insertion. The short ``DELETE WHERE { ... }`` has no place for USING: its pattern is written twice."""
    start = tokens.starts[where]
    if tokens.kinds[where - 1] != "DELETE":
        return Edit(start, start, clauses)
    first = tokens.starts[where + 1]
    last = tokens.ends[tokens.closing[where + 1]]
    inner = [Edit(a - first, b - first, new) for a, b, new in names if first <= a < last]
    return Edit(start, start, f"{applied(text[first:last], inner)} {clauses}")


def _plain(iri: str) -> str:
    """Raise BadRequest for what could end an IRI early."""
    if re.search(r'[\x00-\x20<>"{}|^`\\]', iri):
        raise BadRequest("A graph of the request is no IRI.")
    return iri
