"""Paths to a constant through a closure, written so that the walk begins at the constant.

``?x p/q* C`` is ``?x p _:k . _:k q* C``. Of patterns that look alike to it Oxigraph takes those first that stand first;
of the path it makes the two in the order of its steps, and so reads every ``p`` there is before it looks at C. With
``_:k q* C`` in front of the subject what is of a class, or of one below it, is found at once.
Source: SPARQL 1.1 Query section 18.2.2.4 (translation of property path patterns), for the two being the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proxy.endpoints.edit import Edit
from proxy.syntax import UNLIMITED, Syntax
from proxy.syntax.tokens import Tokens, tokenise

_CLOSURE = re.compile(r"/\s*+(?:<[^<>\s]*+>|[^\s/<>*+|()^]++)\s*+[*+]")
_LABEL = "_:saga"
_CLOSURES = frozenset(("*", "+"))
_STEPS = frozenset(("name", "iri", "a"))
_CONSTANTS = frozenset(("name", "iri"))
# Behind the object: it is one of several, or something is said of the triple.
_MORE = frozenset((",", "{|", "~"))
_BEGINNINGS = frozenset((".", "{", "}"))
_BRACKETS = frozenset((")", "]", "(", "[", "|}", ">>"))


class Closure(NamedTuple):
    """One such path, as offsets in the text: its subject, its last step from the slash on, and the object's end."""

    subject: int
    slash: int
    end: int


def closures(syntax: Syntax) -> list[Edit]:
    """Return what has to be changed. What another endpoint is to answer stays: its order is its own affair."""
    text = syntax.text
    if _CLOSURE.search(text) is None or _LABEL in text or syntax.services:
        return []
    changes: list[Edit] = []
    for number, each in enumerate(_found(tokenise(text, UNLIMITED))):
        last = text[each.slash + 1 : each.end]
        changes.append(Edit(each.subject, each.subject, f"{_LABEL}{number} {last} . "))
        changes.append(Edit(each.slash, each.end, f" {_LABEL}{number}"))
    return changes


def _found(tokens: Tokens) -> Iterator[Closure]:
    kinds = tokens.kinds
    for at in range(3, len(kinds) - 2):
        if kinds[at] not in _CLOSURES or kinds[at + 1] not in _CONSTANTS or kinds[at + 2] in _MORE:
            continue
        if kinds[at - 1] not in _STEPS or kinds[at - 2] != "/":
            continue
        subject = _subject(kinds, _first(kinds, at - 3))
        if subject >= 0:
            yield Closure(tokens.starts[subject], tokens.starts[at - 2], tokens.ends[at + 1])


def _first(kinds: Sequence[str], step: int) -> int:
    """Return the place of the first step of a path of plain steps, from one of them; -1 where there are others."""
    while kinds[step] in _STEPS and step >= 2 and kinds[step - 1] == "/":
        step -= 2
    return step if kinds[step] in _STEPS else -1


def _subject(kinds: Sequence[str], predicate: int) -> int:
    """Return the place of the variable that a path is said of; -1 where it is something else, or hard to find."""
    at = predicate - 1
    if at >= 0 and kinds[at] == ";":
        while at >= 0 and kinds[at] not in _BEGINNINGS:
            if kinds[at] in _BRACKETS:
                return -1
            at -= 1
        at += 1
    return at if at > 0 and kinds[at] == "variable" else -1
