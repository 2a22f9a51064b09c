"""Triple patterns in a form that two readers agree on: tuples of strings, blank nodes told apart by what they link.

Shapes: a term is one string (``<iri>``, ``?x``, a literal in quotes); a path is a nested tuple that starts with its
operator; a set of patterns is a sorted list, with repetitions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from proxy.syntax import (
    Alternative,
    Blank,
    Inverse,
    Iri,
    Literal,
    NegatedSet,
    Predicate,
    Repeat,
    Sequence,
    Syntax,
    Term,
    TripleTerm,
    Variable,
)

Canon = str | tuple["Canon", ...]
Triple = tuple[Canon, Canon, Canon]
XSD_DOUBLE = "http://www.w3.org/2001/XMLSchema#double"
XSD_STRING = "http://www.w3.org/2001/XMLSchema#string"


def ours(syntax: Syntax) -> list[Triple]:
    """Put the patterns of our reader into the common form."""
    return without_blanks((_term(p.subject), _path(p.predicate), _term(p.object)) for p in syntax.patterns)


def literal(value: str, datatype: str, language: str) -> str:
    """Write a literal; a double as Python does, since rdflib rewrites those."""
    if datatype == XSD_DOUBLE:
        value = repr(float(value))
    return f"{value!r}@{language.lower()}" if language else f"{value!r}^^{datatype or XSD_STRING}"


def sequence(parts: Iterable[Canon]) -> Canon:
    """Join steps, nested sequences flattened: the grouping of steps carries no meaning."""
    return _flat("/", parts)


def alternative(parts: Iterable[Canon]) -> Canon:
    return _flat("|", parts)


def _flat(operator: str, parts: Iterable[Canon]) -> Canon:
    found: list[Canon] = []
    for part in parts:
        found += part[1:] if isinstance(part, tuple) and part[0] == operator else (part,)
    return found[0] if len(found) == 1 else (operator, *found)


def without_blanks(triples: Iterable[Triple]) -> list[Triple]:
    """Replace the labels of blank nodes (strings from ``_:``) by the shape of what hangs on them."""
    found = list(triples)
    colours: dict[Canon, str] = defaultdict(lambda: "_")
    for _ in range(3):
        seen: dict[Canon, list[str]] = defaultdict(list)
        for s, p, o in found:
            seen[s].append(f"> {p} {_coloured(o, colours)}")
            seen[o].append(f"< {p} {_coloured(s, colours)}")
        colours = defaultdict(lambda: "_")
        colours.update({node: f"_{hash(tuple(sorted(links)))}" for node, links in seen.items()})
    return sorted(((_coloured(s, colours), p, _coloured(o, colours)) for s, p, o in found), key=str)


def _coloured(node: Canon, colours: dict[Canon, str]) -> Canon:
    return colours[node] if isinstance(node, str) and node.startswith("_:") else node


def _term(term: Term) -> Canon:
    match term:
        case Iri(value):
            return f"<{value}>"
        case Variable(name):
            return f"?{name}"
        case Blank(label):
            return f"_:{label}"
        case Literal(value, datatype, language):
            return literal(value, datatype, language)
        case TripleTerm(subject, predicate, node):
            return ("<<", _term(subject), _term(predicate), _term(node))


def _path(predicate: Predicate) -> Canon:
    match predicate:
        case Iri() | Variable():
            return _term(predicate)
        case Inverse(path):
            return ("^", _path(path))
        case Sequence(parts):
            return sequence(map(_path, parts))
        case Alternative(options):
            return alternative(map(_path, options))
        case Repeat(path, low, high):
            return (f"{low},{high}", _path(path))
        case NegatedSet(members):
            return ("!", *sorted(map(str, map(_path, members))))
