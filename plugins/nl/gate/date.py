"""Check 4, date: the year, the month or the day where the question asks for just that."""

from __future__ import annotations

from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.values import is_date
from plugins.nl.tools.asker import column
from proxy.syntax import Iri

_WIKIBASE = "http://wikiba.se/ontology#"
_NEW_YEAR = "-01-01T00:00:00Z"
# Precisions up to this one are years, decades, centuries. Source: Wikibase data model, time values.
_YEAR = 9
_MOST = 10


async def date(case: Case) -> Opinion:
    """Take from a date the part that the question asks for."""
    part = case.shape.date_part or ("year" if case.shape.form == "year" else "")
    if case.draft.is_ask or (case.shape.form not in ("date", "year") and not part):
        return PASS
    dated = [name for name in case.table.variables if any(is_date(term) for term in column(case.table, name))]
    if len(dated) != 1:
        return PASS
    vague = part != "year" and await _is_vague(case, dated[0])
    if vague:
        said = "The graph knows no more than the year; the day and the month stand for nothing."
        return ask(said) if part else Opinion(verdict="pass", why=said)
    if not part:
        return PASS
    return fix(_taken(case, dated[0], part), f"the question asks for the {part}, the query returned the date")


async def _is_vague(case: Case, name: str) -> bool:
    """Whether a date that looks like a first of January is exact to the year only."""
    if not any(_NEW_YEAR in term.value for term in column(case.table, name)):
        return False
    found = [(each, own) for each in case.touching((name,)) if (own := case.direct(each)) is not None]
    if len(found) != 1:
        return False
    pattern, own = found[0]
    base = case.words.properties
    steps = case.path(base + own, f"{base}statement/value/{own}")
    subject = pattern.subject if isinstance(pattern.subject, Iri) else "?s"
    value, precision = case.iri(_WIKIBASE + "timeValue"), case.iri(_WIKIBASE + "timePrecision")
    dates = ", ".join(f'"{term.value}"^^<{term.datatype}>' for term in column(case.table, name)[:_MOST])
    table = await case.probe(
        f"ASK {{ {subject} {steps} ?v . ?v {value} ?d ; {precision} ?t FILTER(?t <= {_YEAR}) FILTER(?d IN ({dates})) }}"
    )
    return table is not None and bool(table.boolean)


def _taken(case: Case, name: str, part: str) -> str:
    """Put YEAR() or the like around a column; around the whole query where the column is computed, or is `*`."""
    draft, new = case.draft, case.draft.fresh(part)
    taken = f"({part.upper()}(?{name}) AS ?{new})"
    own = next((each for each in draft.columns if each.name == name), None)
    if own is not None and not draft.aggregated and draft.syntax.written(own) in (f"?{name}", f"${name}"):
        return draft.edited(Edit(own.start, own.end, taken))
    others = (f"?{each}" for each in case.table.variables if each != name)
    return f"{draft.head}SELECT {' '.join((*others, taken))} WHERE {{ {{ {draft.whole} }} }}"
