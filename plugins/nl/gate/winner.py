"""Check 5, winner: of several the one that the question asks for, and all of them where they are equal."""

from __future__ import annotations

from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.comparison import Sides, descending, measure, ordered_by, orders, sides
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.units import normalised
from plugins.nl.gate.values import measures, rank, things
from plugins.nl.tools.asker import column
from proxy.syntax import PartKind

# So many of the best are looked at for equal ones.
_MOST_TIED = 50


async def winner(case: Case) -> Opinion:
    """Leave exactly what is the largest, the second, the older of two."""
    shape = case.shape
    if shape.superlative == "none" and shape.bound is None:
        return PASS
    converted = await normalised(case)
    if converted:
        table = await case.run(converted)
        if table is not None and not table.empty:
            found = await _chosen(case.over(converted, table))
            whys = "several units are mixed: normalised values" + (f"; {found.why}" if found.why else "")
            return fix(found.sparql or converted, whys)
    return await _chosen(case)


async def _chosen(case: Case) -> Opinion:
    if case.shape.superlative == "none" or case.shape.form in ("ask", "count") or case.draft.is_ask:
        return PASS
    if len(case.shape.compare) == 2:
        found = await sides(case)
        if found is not None and not found.entity:
            return _between(case, found)
    if case.draft.condition() is not None:
        return await _reordered(case)
    if orders(case) and case.table.total <= _wanted(case):
        return PASS
    return await _ordered(case)


def _wanted(case: Case) -> int:
    return case.shape.top or 1


def _between(case: Case, found: Sides) -> Opinion:
    """Return one of two things whose values stand in one row."""
    draft = case.draft
    name = draft.fresh("winner")
    one, other = (f"?{value}" for value in found.values)
    first, second = map(case.iri, found.things)
    sign = ">=" if descending(case, found.values[0]) else "<="
    chosen = f"VALUES ?{name} {{ {first} {second} }}"
    test = f"FILTER((?{name} = {first} && {one} {sign} {other}) || (?{name} = {second} && {other} {sign} {one}))"
    opening = Edit(draft.opening.start, draft.opening.end, f"SELECT DISTINCT ?{name}")
    sparql = draft.edited(opening, *draft.added(draft.root, chosen, test), *draft.without()).rstrip()
    return fix(sparql, "the question asks for one of two, the query returned both")


async def _ordered(case: Case) -> Opinion:
    """Order what is not ordered, and keep the best."""
    wanted = _wanted(case)
    entities = things(case.table)
    if case.table.total <= wanted or case.table.total < case.shape.place:
        # Nothing is left to choose from: the second, the fifth may belong to a name.
        return PASS
    entity = entities[0] if entities else ""
    value = await measure(case, entity)
    if value is None:
        return ask("The question asks for the first by some measure; by which one the query does not say.")
    direction = "DESC" if descending(case, value) else "ASC"
    if not case.draft.aggregated and wanted == 1 and await _tied(case, entity, value, direction):
        return _all_best(case, entity, value, direction)
    return fix(_cut(case, entity or value, value, direction), f"ordered by ?{value}, and the first {wanted} kept")


async def _reordered(case: Case) -> Opinion:
    """Look at an order that is there: its direction, its cut, its columns, and what is equal to the best."""
    draft, value = case.draft, ordered_by(case)
    condition = draft.condition()
    assert condition is not None
    is_descending = "DESC" in draft.syntax.words(condition)
    if value is None:
        return _recut(case)
    direction = "DESC" if descending(case, value) else "ASC"
    if value not in things(case.table) and is_descending != (direction == "DESC"):
        held = _counted(case, value)
        edits = [Edit(condition.start, condition.end, f"{direction}(?{value})"), *_limits(case), *_only(case, held)]
        return fix(draft.edited(*edits), "the question asks for the other end")
    entities = things(case.table)
    if entities and not draft.aggregated and _wanted(case) == 1 and await _tied(case, entities[0], value, direction):
        return _all_best(case, entities[0], value, direction)
    return _recut(case)


def _recut(case: Case) -> Opinion:
    """Keep as many rows, and the one column, that the question asks for; nothing where it is so."""
    edits = _limits(case)
    if not edits or case.draft.edited(*edits) == case.draft.text:
        edits = []
    edits += _only(case, "")
    if not edits:
        return PASS
    return fix(case.draft.edited(*edits), f"the question asks for {_wanted(case)} from place {case.shape.place} on")


def _limits(case: Case) -> list[Edit]:
    """Return edits that make LIMIT and OFFSET what the question asks for."""
    draft, shape = case.draft, case.shape
    limit, offset = _wanted(case), shape.place - 1
    if (draft.syntax.limit, draft.syntax.offset or 0) == (limit, offset):
        return []
    order = draft.clause(PartKind.ORDER)
    end = order.end if order else draft.order_place()
    said = f" LIMIT {limit}" + (f" OFFSET {offset}" if offset else "")
    return [Edit(end, end, said), *draft.without(PartKind.LIMIT, PartKind.OFFSET)]


def _only(case: Case, needed: str) -> list[Edit]:
    """Return an edit that leaves one column of things; none where a clause needs the others."""
    draft = case.draft
    entities = things(case.table)
    if not entities or len(draft.columns) < 2 or needed or case.shape.form not in ("winner", "entity", "list"):
        return []
    plain = [part for part in draft.columns if draft.syntax.written(part).startswith(("?", "$"))]
    used = {part.name for part in draft.columns} - {part.name for part in plain}
    if any(f"?{name}" in set(draft.said(PartKind.CONDITION)) for name in used):
        return []
    first, last = draft.columns[0].start, draft.columns[-1].end
    return [Edit(first, last, f"?{entities[0]}")]


def _counted(case: Case, value: str) -> str:
    """Return the variable where a column of the SELECT makes it, so that it must stay."""
    made = (part for part in case.draft.columns if part.name == value)
    return next((value for part in made if not case.draft.syntax.written(part).startswith(("?", "$"))), "")


def _cut(case: Case, entity: str, value: str, direction: str) -> str:
    """Order by a value, each thing once, and keep as many as the question asks for."""
    draft, shape = case.draft, case.shape
    limit = f"LIMIT {_wanted(case)}" + (f" OFFSET {shape.place - 1}" if shape.place > 1 else "")
    place = draft.order_place()
    if draft.aggregated:
        ordered = f" ORDER BY {direction}(?{value}) {limit}"
        return draft.edited(*_only(case, _counted(case, value)), Edit(place, place, ordered), *draft.without()).rstrip()
    kept = value if shape.form in ("number", "count", "date", "year") else entity
    opening = Edit(draft.opening.start, draft.opening.end, f"SELECT ?{kept}")
    rows = column(case.table, entity)
    if kept == entity and len(set(rows)) < len(rows):
        best = "MAX" if direction == "DESC" else "MIN"
        ordered = f" GROUP BY ?{entity} ORDER BY {direction}({best}(?{value})) {limit}"
    else:
        ordered = f" ORDER BY {direction}(?{value}) {limit}"
    return draft.edited(opening, Edit(place, place, ordered), *draft.without()).rstrip()


async def _tied(case: Case, entity: str, value: str, direction: str) -> bool:
    """Whether another thing has the very value of the one at the wanted place."""
    draft = case.draft
    if not entity or case.shape.form not in ("winner", "entity", "list") or not draft.repeatable:
        return False
    text = f"SELECT DISTINCT ?{entity} ?{value} {{ {draft.body} }} ORDER BY {direction}(?{value}) LIMIT {_MOST_TIED}"
    table = await case.probe(draft.head + text)
    if table is None or entity not in table.variables or value not in measures(table):
        return False
    best: dict[str, tuple[float, ...]] = {}
    for thing, amount in table.rows:
        order = rank(amount) if amount is not None else None
        if thing is not None and order is not None:
            best.setdefault(thing.value, order)
    found = list(best.values())
    place = case.shape.place - 1
    return place < len(found) and found.count(found[place]) > 1


def _all_best(case: Case, entity: str, value: str, direction: str) -> Opinion:
    """Return all that have the value of the wanted place."""
    draft, name = case.draft, case.draft.fresh("best")
    place = f" OFFSET {case.shape.place - 1}" if case.shape.place > 1 else ""
    inner = (
        f"SELECT DISTINCT (?{value} AS ?{name}) WHERE {{ {draft.body} }} ORDER BY {direction}(?{value}) LIMIT 1{place}"
    )
    edits = draft.added(draft.root, f"{{ {inner} }}", f"FILTER(?{value} = ?{name})")
    opening = Edit(draft.opening.start, draft.opening.end, f"SELECT DISTINCT ?{entity}")
    return fix(draft.edited(opening, *edits, *draft.without()).rstrip(), f"several have the same ?{value}: all of them")
