"""Check 10, preview: a LIMIT that only kept a preview short is no part of the answer."""

from __future__ import annotations

from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.draft import Draft, Edit
from plugins.nl.gate.values import shown
from proxy.syntax import Part, PartKind


async def preview(case: Case) -> Opinion:
    """Take away limits that the question does not ask for."""
    draft, top = case.draft, case.shape.top
    edits = limits(case)
    if not edits:
        return _complete(case)
    if top is not None:
        order = draft.clause(PartKind.ORDER)
        end = order.end if order else draft.order_place()
        edits.append(Edit(end, end, f" LIMIT {top}"))
    sparql = draft.edited(*edits).rstrip()
    table = await case.run(sparql)
    if table is None or (table.rows, table.boolean, table.total) == (
        case.table.rows,
        case.table.boolean,
        case.table.total,
    ):
        return _complete(case)
    said = f"{shown(case.table.total)} rows with the limit, {shown(table.total)} without"
    return fix(sparql, said if top is None else f"the question asks for {top}")


def limits(case: Case) -> list[Edit]:
    """Return edits that take away the limits which the question does not ask for."""
    draft = case.draft
    if case.shape.superlative != "none" and case.shape.form != "ask":
        return []
    clauses = (each for each in draft.syntax.parts if each.kind in (PartKind.LIMIT, PartKind.OFFSET))
    # What a yes or no is cut to does not matter, but for what is within.
    cutting = [each for each in clauses if not _is_meant(case, each) and (each.scope or not draft.is_ask)]
    return [Edit(each.start, each.end, "") for each in cutting]


def _complete(case: Case) -> Opinion:
    if case.table.complete:
        return PASS
    return ask(f"The endpoint did not give all rows; these are {shown(case.table.total)} of them.")


def _is_meant(case: Case, clause: Part) -> bool:
    """Whether a limit belongs to what is asked: the first of an order, as many as the question says."""
    draft = case.draft
    if clause.scope is None and case.shape.form == "count":
        # A list that is counted loses its limits then.
        return True
    number = int(draft.syntax.words(clause)[-1])
    if clause.kind is PartKind.OFFSET:
        return number == 0 or _is_ordered(draft, clause)
    if clause.scope is None and case.shape.top is not None:
        return number == case.shape.top
    return number == 1 and _is_ordered(draft, clause)


def _is_ordered(draft: Draft, clause: Part) -> bool:
    return any(each.kind is PartKind.ORDER and each.scope is clause.scope for each in draft.syntax.parts)
