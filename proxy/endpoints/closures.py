"""Paths to a constant through a closure, turned round so that the walk begins at the constant.

Oxigraph makes ``?x p/q* C`` the two patterns ``?x p _:k . _:k q* C``, takes of patterns that look alike to it what
stands first, and so reads every ``p`` that there is before it looks at C. Of ``C ^(q*)/^p ?x``, in front of what else
is said of ``?x``, it begins with what is q* of C: what is of a class, or of one below it, is found at once.
Source: SPARQL 1.1 Query section 18.2.2.4 and 18.4 (translation and evaluation of paths), for the two being the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from proxy.endpoints.edit import Edit
from proxy.syntax import UNLIMITED, Syntax
from proxy.syntax.tokens import Tokens, tokenise

_CLOSURE = re.compile(r"/\s*+(?:<[^<>\s]*+>|[^\s/<>*+|()^]++)\s*+[*+]")
# What is certainly an IRI, and not two comparisons with something between.
_IRI = re.compile(r"""<[A-Za-z][A-Za-z0-9+.-]*+:[^'"<>]*+>""")
_CLOSURES = frozenset(("*", "+"))
_STEPS = frozenset(("name", "iri", "a"))
_CONSTANTS = frozenset(("name", "iri"))
# Behind the object: it is one of several, or something is said of the triple.
_MORE = frozenset((",", "{|", "~"))
_BRACKETS = frozenset((")", "]", "(", "[", "{|", "|}", "<<", ">>"))
# What a predicate begins with; a semicolon may also end all that is said.
_VERBS = frozenset(("name", "iri", "a", "variable", "^", "!", "("))


@dataclass(frozen=True, slots=True)
class Closure:
    """One such path, as the places of tokens: its first step, the sign behind its last one, and its object."""

    first: int
    sign: int

    @property
    def object(self) -> int:
        """The constant."""
        return self.sign + 1


@dataclass(slots=True)
class Statement:
    """What is said of one subject: its place, and its paths in order, with True where something else stands before."""

    subject: int
    closures: list[tuple[Closure, bool]] = field(default_factory=list)


def closures(syntax: Syntax) -> list[Edit]:
    """Return what has to be changed. A text that may be read in another way than ours stays, and so does what another
    endpoint is to answer.
    """
    if _CLOSURE.search(syntax.text) is None or syntax.services:
        return []
    tokens = plain(syntax.text)
    if tokens is None:
        return []
    return [change for statement in _statements(tokens.kinds) for change in _turned(statement, tokens, syntax.text)]


def plain(text: str) -> Tokens | None:
    """Return the tokens of a text; None where escapes or signs of comparison leave doubt about where strings end."""
    if "\\u" in text or "\\U" in text:
        return None
    tokens = tokenise(text, UNLIMITED)
    iris = (text[each] for each in _places(tokens, "iri"))
    return tokens if not tokens.coarse and all(_IRI.fullmatch(each) for each in iris) else None


def _places(tokens: Tokens, wanted: str) -> Iterator[slice]:
    spans = zip(tokens.kinds, tokens.starts, tokens.ends, strict=True)
    return (slice(start, end) for kind, start, end in spans if kind == wanted)


def _statements(kinds: Sequence[str]) -> Iterator[Statement]:
    """Yield the statements with such paths. EXISTS is asked for each row, so that there the walk had better begin."""
    current = Statement(-1)
    within_exists = [False]
    for at, kind in enumerate(kinds):
        if kind in ("{", "}", "."):
            if kind == "{":
                within_exists.append(within_exists[-1] or kinds[at - 1] == "EXISTS")
            elif kind == "}" and len(within_exists) > 1:
                within_exists.pop()
            yield from _ended(current)
            current = Statement(at + 1)
        elif kind in _BRACKETS:
            yield from _ended(current)
            current = Statement(-1)
        elif kind == ";" and kinds[at + 1] == ";":
            current = Statement(-1)
        elif kind in _CLOSURES and not within_exists[-1]:
            first = _path(kinds, at)
            before = kinds[first - 1] if first > 0 else ""
            if before == "variable" and not current.closures:
                current = Statement(first - 1, [(Closure(first, at), False)])
            elif before == ";" and current.subject >= 0 and kinds[current.subject] == "variable":
                current.closures.append((Closure(first, at), _keeps(current, first)))
    yield from _ended(current)


def _ended(statement: Statement) -> Iterator[Statement]:
    if statement.closures:
        yield statement


def _keeps(statement: Statement, first: int) -> bool:
    """Whether something stays of a statement in front of a path."""
    if not statement.closures:
        return True
    last, kept = statement.closures[-1]
    return kept or last.object + 2 != first


def _path(kinds: Sequence[str], sign: int) -> int:
    """Return the place of the first step of a path that ends in a closure to one constant; -1 where it is another."""
    if sign + 2 >= len(kinds) or kinds[sign + 1] not in _CONSTANTS or kinds[sign + 2] in _MORE:
        return -1
    step = sign - 1
    if kinds[step] not in _STEPS or kinds[step - 1] != "/":
        return -1
    while step >= 2 and kinds[step] in _STEPS and kinds[step - 1] == "/":
        step -= 2
    return step if kinds[step] in _STEPS else -1


def _turned(statement: Statement, tokens: Tokens, text: str) -> Iterator[Edit]:
    """Yield the changes: the paths in front of the subject, and not where they stood. All is set off by spaces."""
    starts, ends, kinds = tokens.starts, tokens.ends, tokens.kinds
    subject = statement.subject
    name = text[starts[subject] : ends[subject]]
    paths = " . ".join(f"{_inverse(each, tokens, text)} {name}" for each, _ in statement.closures)
    last, kept = statement.closures[-1]
    is_more = kinds[last.object + 1] == ";" and kinds[last.object + 2] in _VERBS
    if kept or is_more:
        yield Edit(starts[subject], starts[subject], f" {paths} . ")
    else:
        yield Edit(starts[subject], ends[subject], f" {paths} ")
    for each, keeps in statement.closures:
        goes_on = kinds[each.object + 1] == ";" and kinds[each.object + 2] in _VERBS
        end = each.object + 1 if goes_on and not keeps else each.object
        yield Edit(starts[each.first], ends[end], " ")


def _inverse(closure: Closure, tokens: Tokens, text: str) -> str:
    """Return a path from its object on: C ^(q*)/^p."""
    steps = [text[tokens.starts[at] : tokens.ends[at]] for at in range(closure.first, closure.sign, 2)]
    sign = tokens.kinds[closure.sign]
    turned = "/".join([f"^({steps[-1]}{sign})", *(f"^{each}" for each in reversed(steps[:-1]))])
    return f"{text[tokens.starts[closure.object] : tokens.ends[closure.object]]} {turned}"
