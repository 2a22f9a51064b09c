"""What kind of question a gold query answers, and over how many hops."""

from __future__ import annotations

import re
import typing
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from proxy.errors import ClientError
from proxy.syntax import (
    Alternative,
    Form,
    Inverse,
    Iri,
    Literal,
    Part,
    PartKind,
    Predicate,
    Repeat,
    Sequence,
    Syntax,
    Term,
    TriplePattern,
    Variable,
    nullable,
    read,
)

QuestionForm = typing.Literal["boolean", "count", "factoid", "superlative"]
FORMS: tuple[QuestionForm, ...] = typing.get_args(QuestionForm)

# A hop over a statement node is two steps of half a hop: to the statement, and from it to its value.
_HOP = 2
_HALF = 1
_STATEMENT = re.compile(r"(?:^|/)p(?::|rop/)P[0-9]+")
_OF_STATEMENT = re.compile(r"(?:^(?:ps|pq|pr|psv|pqv|prv|psn|pqn|prn):|/prop/(?:statement|qualifier|reference)/)")
# What a value node or a reference says of itself, and names and descriptions of a thing: no other thing.
_ASIDE = re.compile(
    r"^wikibase:|wikiba\.se/ontology|^prov:|/ns/prov#|^rdfs:label|rdf-schema#label|^skos:|core#(?:alt|pref)Label"
    r"|^schema:(?:name|description)|schema\.org/(?:name|description)|type\.object\.name$|common\.topic\.alias$"
)
_LABELS = re.compile(r"wikibase:label|wikiba\.se/ontology#label")
_COUNTS = ("COUNT",)
Steps = Mapping[Term, list[tuple[Term, int]]]
_EXTREMES = ("MAX", "MIN")


def form(sparql: str) -> QuestionForm:
    """Return what is asked for; `factoid` for text that cannot be read.

    An ASK is boolean. What is sorted and cut, in the query or in a part of it, or takes a MAX or MIN that is not one of
    each group, is superlative. A SELECT of nothing but one COUNT, there or in the sub-select that it hands on, is a
    count. All else is factoid.
    """
    syntax = _read(sparql)
    if syntax is None:
        return "factoid"
    if syntax.form is Form.ASK:
        return "boolean"
    if _is_superlative(syntax):
        return "superlative"
    return "count" if _is_count(syntax) else "factoid"


def hops(sparql: str) -> int:
    """Return the length of the longest chain from a constant to what is asked for; 0 for text that cannot be read.

    It is the greatest, over the constants and the projected variables, of the least number of steps between them; of
    an ASK, and of a query that projects all or counts rows, that to any node; and at least 1 where there is a pattern
    with a constant. A statement node with what it says is one hop; `*` and `?` are none; names, descriptions and the
    label service are none. A mediator of Freebase looks like any entity, and counts as one.
    """
    syntax = _read(sparql)
    if syntax is None:
        return 0
    steps = _steps(syntax)
    wanted = {Variable(name) for name in syntax.projection or ()} & steps.keys() or steps.keys()
    reached: list[int] = []
    for start in _constants(syntax, steps):
        away = _distances(start, steps)
        reached += [away[node] for node in wanted if node in away]
    return max(1, -(-max(reached) // _HOP)) if reached else 0


def _read(sparql: str) -> Syntax | None:
    try:
        syntax = read(sparql)
        return syntax if syntax.checked and syntax.form is not Form.UPDATE else None
    except ClientError:
        return None


def _is_superlative(syntax: Syntax) -> bool:
    kinds: defaultdict[object, set[PartKind]] = defaultdict(set)
    for part in syntax.parts:
        kinds[part.scope].add(part.kind)
    if any({PartKind.ORDER, PartKind.LIMIT} <= found for found in kinds.values()):
        return True
    of_all = (part for part in syntax.parts if part.scope is not None or not syntax.grouped)
    return any(_calls(syntax, part, _EXTREMES) for part in of_all if part.kind is PartKind.COLUMN)


def _is_count(syntax: Syntax) -> bool:
    columns = [part for part in syntax.parts if part.kind is PartKind.COLUMN]
    outer = [part for part in columns if part.scope is None]
    if len(outer) != 1 or syntax.grouped:
        return False
    handed = {part.name: part for part in columns if part.scope is not None}
    column = outer[0]
    for _ in range(len(columns)):
        if _calls(syntax, column, _COUNTS):
            return True
        names = [name for name in _variables(syntax, column) if name != column.name or name in handed]
        if len(names) != 1 or names[0] not in handed:
            return False
        column = handed.pop(names[0])
    return False


def _calls(syntax: Syntax, part: Part, functions: Iterable[str]) -> bool:
    return not {word.upper() for word in syntax.words(part)}.isdisjoint(functions)


def _variables(syntax: Syntax, part: Part) -> list[str]:
    return list(dict.fromkeys(word[1:] for word in syntax.words(part) if word[:1] in "?$" and len(word) > 1))


def _steps(syntax: Syntax) -> Steps:
    """Return what is next to each node of a query, and how far that is."""
    found: defaultdict[Term, list[tuple[Term, int]]] = defaultdict(list)
    for pattern in syntax.patterns:
        if not (pattern.written or _is_label(pattern)):
            _join(found, pattern.subject, pattern.object, _cost(pattern.predicate))
    for part in syntax.parts:
        if part.kind in (PartKind.COLUMN, PartKind.BIND) and part.name:
            for name in _variables(syntax, part):
                if name != part.name:
                    _join(found, Variable(part.name), Variable(name), 0)
    return found


def _join(found: Mapping[Term, list[tuple[Term, int]]], one: Term, other: Term, cost: int) -> None:
    found[one].append((other, cost))
    found[other].append((one, cost))


def _is_label(pattern: TriplePattern) -> bool:
    return _LABELS.search(str(pattern.scope.service or "")) is not None


def _cost(predicate: Predicate) -> int:
    match predicate:
        case Iri(value):
            if _ASIDE.search(value):
                return 0
            return _HALF if _STATEMENT.search(value) or _OF_STATEMENT.search(value) else _HOP
        case Inverse(path):
            return _cost(path)
        case Sequence(parts):
            return sum(map(_cost, parts))
        case Alternative(options):
            return min(map(_cost, options))
        case Repeat(path, low, _):
            return 0 if nullable(predicate) else low * _cost(path)
        case _:
            return _HOP


def _constants(syntax: Syntax, steps: Steps) -> Iterator[Term]:
    yield from (node for node in steps if isinstance(node, Iri | Literal))
    yield from {each.variable for each in syntax.bindings if each.variable in steps}


def _distances(start: Term, steps: Steps) -> dict[Term, int]:
    """Return the least distance to every node that can be reached. Source: Dijkstra, 1959."""
    away: dict[Term, int] = {}
    heap = [(0, 0, start)]
    order = 0
    while heap:
        distance, _, node = heappop(heap)
        if node in away:
            continue
        away[node] = distance
        for other, cost in steps[node]:
            order += 1
            heappush(heap, (distance + cost, order, other))
    return away
