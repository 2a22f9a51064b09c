"""Two things side by side: which variable, or which row, belongs to which of them."""

from __future__ import annotations

from dataclasses import dataclass

from plugins.nl.gate.case import Case
from plugins.nl.gate.naming import called, in_answer
from plugins.nl.gate.values import kinds, measures, things
from plugins.nl.tools.asker import column
from proxy.syntax import Iri, PartKind, Variable

# Numbers below this may be ages; years of our time are greater.
_OLDEST = 150.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Two things and their measures.

    Shapes: either both have a variable of their own (``values``), or ``entity`` is the variable that is one of them,
    and ``values`` holds the measure twice.
    """

    things: tuple[str, str]
    values: tuple[str, str]
    entity: str = ""


async def sides(case: Case) -> Sides | None:
    """Return what the question puts side by side, as the query has it; None where that cannot be told."""
    if len(case.shape.compare) != 2:
        return None
    iris = tuple(dict.fromkeys((*case.names.values(), *in_answer(case))))
    first, second = [await called(case, text, iris) for text in case.shape.compare]
    if len(first) != 1 or len(second) != 1 or first == second:
        return None
    pair = (first[0], second[0])
    of = _own_values(case, *pair)
    if of is not None:
        return Sides(things=pair, values=of)
    entity = next((name for name in things(case.table) if _holds(case, name, pair)), "")
    value = await measure(case, entity) if entity else None
    return Sides(things=pair, values=(value, value), entity=entity) if value else None


async def measure(case: Case, entity: str) -> str | None:
    """Return the variable by which things are ordered: the one number or time that the query has of them."""
    projected = measures(case.table)
    if projected:
        return projected[0] if len(projected) == 1 else None
    if case.draft.aggregated:
        return None
    near = [
        each.object.name
        for each in case.touching((entity,))
        if isinstance(each.object, Variable) and each.scope is case.draft.root and each.object.name != entity
    ]
    names = " ".join(f"?{name}" for name in dict.fromkeys(near))
    table = await case.probe(f"{case.draft.head}SELECT {names} {{ {case.draft.body} }} LIMIT 1") if near else None
    found = measures(table) if table else ()
    return found[0] if len(found) == 1 else None


def descending(case: Case, name: str) -> bool:
    """Whether the wanted end is the greatest value. The oldest has the earliest date, but the greatest age."""
    greatest = case.shape.superlative == "max"
    held = kinds(case.table).get(name)
    if case.shape.measure == "time" and held == "number":
        ages = [float(term.value) for term in column(case.table, name)]
        return greatest is not all(0 <= age < _OLDEST for age in ages)
    return greatest


def _holds(case: Case, name: str, pair: tuple[str, str]) -> bool:
    found = {term.value for term in column(case.table, name)}
    return set(pair) <= found


def _own_values(case: Case, first: str, second: str) -> tuple[str, str] | None:
    """Return the measures that are reached from one of the things each, and not from the other."""
    reached = [_reached(case, iri) for iri in (first, second)]
    held = set(measures(case.table)) or case.draft.variables()
    one, other = (sorted(held & (names - reached[1 - place])) for place, names in enumerate(reached))
    return (one[0], other[0]) if len(one) == len(other) == 1 else None


def _reached(case: Case, iri: str) -> set[str]:
    """Return the variables that patterns connect with a thing; constants do not lead on."""
    found: set[str] = set()
    open_: list[Iri | Variable] = [Iri(iri)]
    while open_:
        here = open_.pop()
        for pattern in case.draft.patterns:
            ends = (pattern.subject, pattern.object)
            for one, other in (ends, ends[::-1]):
                if one == here and isinstance(other, Variable) and other.name not in found:
                    found.add(other.name)
                    open_.append(other)
    return found


def ordered_by(case: Case) -> str | None:
    """Return the variable that the query orders by first; None for anything else."""
    condition = case.draft.condition()
    if condition is None:
        return None
    said = [word for word in case.draft.syntax.words(condition) if word not in ("ASC", "DESC", "(", ")")]
    return said[0][1:] if len(said) == 1 and said[0][0] in "?$" else None


def orders(case: Case) -> bool:
    """Whether the query orders, cuts or takes the greatest by itself, at any depth."""
    wanted = (PartKind.ORDER, PartKind.HAVING)
    said = set(case.draft.said(PartKind.COLUMN))
    return any(part.kind in wanted for part in case.draft.syntax.parts) or not said.isdisjoint(("MAX", "MIN"))
