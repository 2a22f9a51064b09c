"""Quantities in several units: compared by their normalised values."""

from __future__ import annotations

from plugins.nl.gate.case import Case
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.values import things
from proxy.syntax import TriplePattern, Variable

_AMOUNT = "http://wikiba.se/ontology#quantityAmount"
_UNIT = "http://wikiba.se/ontology#quantityUnit"
_MOST = 3


async def normalised(case: Case) -> str:
    """Return the query with normalised quantities where a property is given in several units; empty where none is."""
    edits = [
        Edit(*pattern.verb, _steps(case, name, "value-normalized", _AMOUNT))
        for pattern, name in _quantities(case)
        if await _mixed(case, name)
    ]
    return case.draft.edited(*dict.fromkeys(edits)) if edits else ""


def _quantities(case: Case) -> list[tuple[TriplePattern, str]]:
    """Return the patterns that lead straight to what may be a quantity."""
    entities = set(things(case.table)) | {
        each.subject.name for each in case.draft.patterns if isinstance(each.subject, Variable)
    }
    found = [
        (each, name)
        for each in case.draft.patterns
        if isinstance(each.object, Variable)
        and each.object.name not in entities
        and (name := case.direct(each)) is not None
    ]
    return found[:_MOST]


async def _mixed(case: Case, name: str) -> bool:
    """Whether a property has several units, and normalised values."""
    units = await case.probe(f"SELECT DISTINCT ?u {{ ?s {_steps(case, name, 'value', _UNIT)} ?u }} LIMIT 2")
    if units is None or units.total < 2:
        return False
    has = await case.probe(f"ASK {{ ?s {_steps(case, name, 'value-normalized', _AMOUNT)} ?n }}")
    return has is not None and bool(has.boolean)


def _steps(case: Case, name: str, kind: str, last: str) -> str:
    base = case.words.properties
    return case.path(base + name, f"{base}statement/{kind}/{name}", last)
