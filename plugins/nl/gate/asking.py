"""From evidence to a yes or a no: the SELECT becomes an ASK with the comparison that the question makes."""

from __future__ import annotations

from plugins.nl.contract import Shape
from plugins.nl.gate.case import Case, Opinion, ask, fix
from plugins.nl.gate.comparison import Sides, descending, sides
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.matching import matched
from plugins.nl.gate.naming import Named, classes_called, named
from plugins.nl.gate.values import kinds, measures, shown, things
from plugins.nl.tools.asker import column
from proxy.syntax import PartKind, Variable

_WHY = "the question asks for yes or no, the query returned evidence"


async def asked(case: Case) -> Opinion:
    """Return an ASK in place of a SELECT."""
    if len(case.shape.compare) == 2 and case.shape.superlative != "none":
        found = await sides(case)
        if found is None:
            return ask("The question compares two things; the query does not show which value is whose.")
        return fix(_compared(case, found), f"{_WHY}; now the two are compared")
    if case.draft.aggregated:
        return _of_aggregate(case)
    if case.shape.text_matches is not None:
        sparql = matched(case)
        return _plain(case.over(sparql, case.table) if sparql else case)
    if case.shape.bound is not None:
        return _bounded(case)
    return await _named_value(case) or _plain(case)


def _plain(case: Case) -> Opinion:
    """Ask whether there is any match at all."""
    return fix(_ask(case), _WHY)


def _ask(case: Case, filters: str = "", triples: str = "") -> str:
    """Return the query as an ASK, what orders and cuts its rows left out."""
    draft = case.draft
    added = draft.added(draft.root, triples, filters) if filters or triples else []
    opening = Edit(draft.opening.start, draft.opening.end, "ASK")
    return draft.edited(opening, *added, *draft.without()).rstrip()


def _of_aggregate(case: Case) -> Opinion:
    """Hold a count, or whatever was aggregated, against the bound of the question; a bare count against none."""
    draft = case.draft
    values = [name for name in measures(case.table) if not name.startswith("callret")]
    test = _test(case.shape, f"?{values[-1]}") if values else ""
    if not test and not draft.syntax.grouped:
        if not values or "COUNT" not in draft.said(PartKind.COLUMN):
            return ask("The question asks for yes or no; what the query computes is held against nothing.")
        test = f"?{values[-1]} > 0"
    condition = f" FILTER({test})" if test else ""
    return fix(f"{draft.head}ASK {{ {{ {draft.whole} }}{condition} }}", _WHY)


def _bounded(case: Case) -> Opinion:
    """Hold the value, or the number of things, against the bound."""
    draft, table = case.draft, case.table
    values, entities = measures(table), things(table)
    if len(values) == 1 and kinds(table)[values[0]] == "number":
        return fix(_ask(case, f"FILTER({_test(case.shape, f'?{values[0]}')})"), _WHY)
    counted = entities[0] if entities else next(iter(table.variables), "")
    if not counted:
        return _plain(case)
    number = draft.fresh("n")
    inner = f"SELECT (COUNT(DISTINCT ?{counted}) AS ?{number}) WHERE {{ {draft.body} }}"
    test = _test(case.shape, f"?{number}")
    return fix(f"{draft.head}ASK {{ {{ {inner} }} FILTER({test}) }}", f"{_WHY}; now they are counted")


def _test(shape: Shape, what: str) -> str:
    return f"{what} {shape.bound.comparison} {shown(shape.bound.value)}" if shape.bound else ""


def _compared(case: Case, found: Sides) -> str:
    """Compare two values of one row, or the values of two rows."""
    draft = case.draft
    sign = ">" if descending(case, found.values[0]) else "<"
    if not found.entity:
        return _ask(case, f"FILTER(?{found.values[0]} {sign} ?{found.values[1]})")
    best = "MAX" if sign == ">" else "MIN"
    names = (draft.fresh("first"), draft.fresh("second"))
    halves = (
        f"{{ SELECT ({best}(?{value}) AS ?{name}) WHERE {{ {draft.body} FILTER(?{found.entity} = {case.iri(iri)}) }} }}"
        for value, name, iri in zip(found.values, names, found.things, strict=True)
    )
    return f"{draft.head}ASK {{ {' '.join(halves)} FILTER(?{names[0]} {sign} ?{names[1]}) }}"


async def _named_value(case: Case) -> Opinion | None:
    """Hold the value that was found against the one that the question names; None where it names no other."""
    entities = things(case.table) or _ends(case)
    if len(entities) != 1:
        return None
    known = set(case.names.values())
    others = [each for each in named(case) if known.isdisjoint(hit.iri for hit in each.hits)]
    others = [each for each in others if any(hit.kind == "entity" for hit in each.hits)]
    if not others and case.shape.type_label:
        hits = await classes_called(case, case.shape.type_label)
        others = [Named(text=case.shape.type_label, hits=hits)] if known.isdisjoint(hit.iri for hit in hits) else []
    if len(others) != 1 or not others[0].hits:
        return None
    variable = f"?{entities[0]}"
    return fix(_held(case, variable, entities[0], others[0]), f"{_WHY}; now it is held against {others[0].text!r}")


def _held(case: Case, variable: str, name: str, other: Named) -> str:
    """Say that a variable is what the question names, or is of that kind."""
    iris = [hit.iri for hit in other.hits if hit.kind == "entity"]
    found = {term.value for term in column(case.table, name)}
    if found.isdisjoint(iris) and other.hits[0].is_class:
        kind = case.draft.fresh("kind")
        listed = ", ".join(case.iri(hit.iri) for hit in other.hits if hit.is_class)
        return _ask(case, f"FILTER(?{kind} IN ({listed}))", f"{variable} {case.typed()} ?{kind} .")
    return _ask(case, f"FILTER({variable} IN ({', '.join(map(case.iri, iris))}))")


def _ends(case: Case) -> tuple[str, ...]:
    """Return the columns that an empty answer would have filled with things."""
    wanted = case.draft.syntax.projection or ()
    ends = {each.object.name for each in case.draft.patterns if isinstance(each.object, Variable)}
    return tuple(name for name in wanted if name in ends)
