"""Check 9, class: subclasses count too, unless that takes in far too much."""

from __future__ import annotations

from plugins.nl.gate.case import PASS, Case, Opinion, fix
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.preview import limits
from plugins.nl.gate.values import mass, number, shown
from proxy.syntax import Iri, TriplePattern, Variable

# Source: specs/strategies.md section 5, "Class scope".
_LEAST, _MOST = 1.1, 50.0


async def classes(case: Case) -> Opinion:
    """Compare instances of a class itself with those of its subclasses too, and say both numbers."""
    bare = [each for each in case.draft.patterns if _is_bare(case, each)]
    if not bare or not case.words.superclasses:
        return PASS
    edits = {Edit(*each.verb, case.typed()) for each in bare}
    sparql = case.draft.edited(*edits, *limits(case)).rstrip()
    narrow, wide = await _members(case, bare[0], sparql)
    if narrow is None or wide is None:
        return PASS
    said = f"{shown(narrow)} of the class itself, {shown(wide)} with its subclasses"
    if wide <= narrow * _LEAST or (narrow and wide > narrow * _MOST):
        return Opinion(verdict="pass", why=said)
    return fix(sparql, said)


def _is_bare(case: Case, pattern: TriplePattern) -> bool:
    """Whether a pattern names a class, and only that class."""
    step = pattern.predicate
    return isinstance(step, Iri) and step.value in case.words.types and isinstance(pattern.object, Iri)


async def _members(case: Case, pattern: TriplePattern, wide: str) -> tuple[float | None, float | None]:
    """Return how many things match the query as it is, and with subclasses; None where nobody knows."""
    if not isinstance(pattern.subject, Variable) or pattern.scope is not case.draft.root:
        table = await case.run(wide)
        return (mass(case.table), mass(table)) if table is not None else (None, None)
    counted = f"SELECT (COUNT(DISTINCT ?{pattern.subject.name}) AS ?{case.draft.fresh('n')})"
    texts = (f"{each.head}{counted} {{ {each.body} }}" for each in (case.draft, case.drafted(wide)))
    narrow, closed = [await case.probe(text) for text in texts]
    return (number(narrow) if narrow else None), (number(closed) if closed else None)
