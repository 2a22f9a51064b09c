"""Check 3, count: one number, each thing counted once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.values import number, shown, things
from plugins.schema.words import stems
from proxy.syntax import Iri, Part, PartKind, Variable

# What labels of properties say that hold a number of something: `number of children`.
_NUMBER = frozenset(stems("number total count quantity amount"))
_SMALL = frozenset(stems("of the in"))
_MOST_PROPERTIES = 60


async def count(case: Case) -> Opinion:
    """Count what was listed, count it once, and look at a number that the graph states itself."""
    if case.shape.form != "count" or case.draft.is_ask:
        return PASS
    opinion = _listed(case) or await _distinct(case)
    if not opinion.sparql:
        return await _stated(case, opinion)
    table = await case.run(opinion.sparql)
    if table is None:
        return opinion
    return await _stated(case.over(opinion.sparql, table), opinion)


def _listed(case: Case) -> Opinion | None:
    """Count the things of a list; None where the answer is a number already."""
    draft = case.draft
    if number(case.table) is not None or "COUNT" in draft.said(PartKind.COLUMN):
        return None
    entities = things(case.table)
    if draft.aggregated or (not entities and not case.table.empty):
        return ask("The question asks for one number; the query returns several rows of something else.")
    counted = entities[0] if entities else next(iter(draft.syntax.projection or ()), "")
    if not counted:
        return ask("The question asks for a number; what is to be counted cannot be told.")
    return fix(_counting(case, counted), f"the question asks how many: ?{counted} is counted")


def _counting(case: Case, counted: str) -> str:
    draft = case.draft
    opening = f"SELECT (COUNT(DISTINCT ?{counted}) AS ?{draft.fresh('count')})"
    return draft.edited(Edit(draft.opening.start, draft.opening.end, opening), *draft.without()).rstrip()


async def _distinct(case: Case) -> Opinion:
    """Count each thing once."""
    draft = case.draft
    column = next((each for each in draft.columns if "COUNT" in draft.syntax.words(each)), None)
    if column is None:
        return PASS
    if case.table.total > 1 or len(draft.columns) > 1:
        return ask("The question asks for one number; the query counts by groups.")
    inner = _count_of(case, column)
    if inner is None:
        return PASS
    sparql = draft.edited(Edit(column.start, column.end, f"(COUNT(DISTINCT {inner}) AS ?{column.name})"))
    table = await case.run(sparql)
    if table is None or number(table) == number(case.table):
        return PASS
    before, after = number(case.table) or 0, number(table) or 0
    return fix(sparql, f"things were counted more than once: {shown(before)} rows, {shown(after)} things")


def _count_of(case: Case, column: Part) -> str | None:
    """Return the variable that is counted without DISTINCT; None for any other expression."""
    words = case.draft.syntax.words(column)
    match words:
        case ("(", "COUNT", "(", name, ")", "AS", _, ")") if name[0] in "?$":
            return str(name)
    return None


async def _stated(case: Case, opinion: Opinion) -> Opinion:
    """Compare with a number that the graph states itself, such as the number of children, and explain a zero."""
    listed = number(case.table)
    stated = await _direct(case) if "COUNT" in case.draft.said(PartKind.COLUMN) else {}
    if len(stated) == 1:
        (sparql, (label, value)), *_ = stated.items()
        said = f"{label} says {shown(value)}, counted are {shown(listed or 0)}"
        if value != listed and (not listed or _asks_for(case, label)):
            return fix(sparql, f"{said}; the stated number is taken")
        if value != listed:
            return replace(opinion, why="; ".join(filter(None, (opinion.why, said))))
    if listed == 0 and opinion.verdict == "pass":
        done = await case.tools.execute(case.candidate.sparql)
        why = done.diagnosis.text if done.diagnosis else "[WARNING] The count is 0."
        return ask(why)
    return opinion


def _asks_for(case: Case, label: str) -> bool:
    """Whether the question says the property's whole name, with the words that make it a number."""
    return set(stems(label)) <= set(stems(case.question.text))


async def _direct(case: Case) -> Mapping[str, tuple[str, float]]:
    """Return queries for numbers that are stated of the one thing whose things are counted, with label and number."""
    about = {each.subject.value for each in case.draft.patterns if isinstance(each.subject, Iri)}
    about |= {
        each.object.value
        for each in case.draft.patterns
        if isinstance(each.object, Iri) and isinstance(each.subject, Variable) and not case.is_type(each)
    }
    if len(about) != 1:
        return {}
    thing = case.iri(about.pop())
    table = await case.probe(f"SELECT ?p ?v {{ {thing} ?p ?v FILTER(ISNUMERIC(?v)) }} LIMIT {_MOST_PROPERTIES}")
    found: dict[str, tuple[str, float]] = {}
    asked = set(stems(case.question.text))
    for used, value in table.rows if table else ():
        record = case.tools.knowledge.property(used.value) if used is not None else None
        if record is None or used is None or value is None:
            continue
        label = record.label or await _label(case, record.iri)
        said = set(stems(label))
        what = said - _NUMBER - _SMALL
        if said & _NUMBER and what and what <= asked:
            found[f"SELECT ?count {{ {thing} {case.iri(used.value)} ?count }}"] = (label, float(value.value))
    return found


async def _label(case: Case, iri: str) -> str:
    await case.tools.labels.learn([iri])
    return case.tools.labels.mapping([iri]).get(iri, "")
