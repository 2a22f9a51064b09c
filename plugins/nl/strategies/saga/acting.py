"""ExecuteAction: the actions beside lookup, execute and stop, and what comes of a reply that is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from plugins.nl.model.contract import Choice
from plugins.nl.strategies.saga import names
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.history import Observation
from plugins.nl.tools.wording import clipped
from plugins.schema.annotation import annotation, tidy
from plugins.schema.fit import Answer, Entity, Subject, Typed, fit
from plugins.schema.model import Property
from plugins.search import Hit
from plugins.search.desk import annotated, line

UNREADABLE = "unreadable"
# Source: SPINACH, as strategies.md section 7 has it.
_ENTITIES, _PROPERTIES = 8, 4
_MISFIT = " [does not fit what you hold]"


async def execute_action(attempt: Attempt, choice: Choice) -> Observation:
    """Line 22 of Algorithm 1. Raises OutOfBudget, ProxyError."""
    if choice.action == "search":
        return await _search(attempt, choice.argument.strip().strip("\"'"))
    if choice.action == "examples":
        return await _examples(attempt, choice.argument)
    text = f"Your reply could not be read: {choice.argument} Give one thought and one action."
    return Observation(text=text, kind="fail", lasting=False)


async def _search(attempt: Attempt, text: str) -> Observation:
    if not text:
        return Observation(text="search takes a name.", kind="fail")
    entities = await attempt.tools.search(text, "entity", _ENTITIES)
    properties = await attempt.tools.search(text, "property", _PROPERTIES)
    lines = [
        *map(line, entities),
        *(_property_line(attempt, hit) for hit in sorted(properties, key=lambda hit: _place(attempt, hit))),
    ]
    if not lines:
        attempt.log.add("fail", f"search: nothing is called {text}")
        return Observation(text="Nothing is called so. Try a shorter name, another spelling, or English.", kind="fail")
    attempt.log.add("ok", f"search {text}: {_count(entities, 'entity', 'entities')}, {_count(properties, 'property')}")
    return Observation(text=clipped(lines))


def _place(attempt: Attempt, hit: Hit) -> tuple[int, bool]:
    """Return the order of a property: what fits the things that are known first, then what leads to the answer."""
    record = _record(attempt, hit)
    if record is None:
        return 1, True
    return _fits(attempt, record), not wanted(attempt, record)


def _fits(attempt: Attempt, record: Property) -> int:
    """Say whether a property fits any thing that is known: 0 where one does, 2 where all conflict, else 1."""
    index = attempt.tools.knowledge.schema
    if index is None or attempt.published:
        return 1
    answers = {
        fit(index, record, record.domain, _subject(attempt, key, types), used=record.iri)
        for key, types in attempt.theta.facts
    }
    if Answer.FITS in answers:
        return 0
    return 2 if answers == {Answer.CONFLICTS} else 1


def _subject(attempt: Attempt, key: str, types: tuple[str, ...]) -> Subject:
    """Return what is known, as the schema is asked about it: what a thing itself has is no evidence for it."""
    around = attempt.around.get(key)
    if around is None:
        return Typed(classes=types)
    return Entity(iri=key, classes=types, present=frozenset(line.property.iri for line in around.out.values()))


def wanted(attempt: Attempt, record: Property) -> bool:
    """Whether a property leads to what is expected, by its range or by what came up in this run."""
    side = record.range
    classes: Sequence[str] = side.classes if side is not None else attempt.theta.evidence.get(record.id, ())
    alike = attempt.updating.alike
    return any(alike(cls, expected) for cls in classes for expected in attempt.answer.types)


def _property_line(attempt: Attempt, hit: Hit) -> str:
    record, index = _record(attempt, hit), attempt.tools.knowledge.schema
    if record is None or index is None:
        return line(hit)
    # As much of the schema as this question may use, which can be less than the search has.
    shown = annotated(hit, index)
    evidence = seen_range(attempt, record)
    misfit = _MISFIT if _fits(attempt, record) == 2 else ""
    return line(replace(shown, range=evidence or shown.range)) + misfit


def seen_range(attempt: Attempt, record: Property) -> str:
    """Return what values of a property without a range were in this run; empty where nobody looked."""
    types = attempt.theta.evidence.get(record.id, ()) if record.range is None else ()
    return f"{', '.join(map(attempt.tools.labels.named, types))} (seen in this run)" if types else ""


def _record(attempt: Attempt, hit: Hit) -> Property | None:
    index = attempt.tools.knowledge.schema
    return index.property(hit.iri) if index is not None else None


async def _examples(attempt: Attempt, argument: str) -> Observation:
    tools, index = attempt.tools, attempt.tools.knowledge.schema
    record = names.any_property(argument, tools.knowledge)
    if record is None:
        return Observation(text=f"examples takes the id of a property, not {argument!r}; search for it.", kind="fail")
    tools.seen.add(record.iri)
    head = annotation(index, record) if index is not None else tidy(record.name)
    pairs = await tools.examples(record)
    term = tools.wording.term
    facts = [f"{term(first)} -- {record.id} --> {term(second)}" for first, second in pairs]
    attempt.log.add("ok" if facts else "fail", f"examples of {record.name} ({record.id}): {len(facts)}")
    return Observation(text=clipped([head, *(facts or ["No fact has this property."])]), kind="ok" if facts else "fail")


def _count(found: Sequence[Hit], one: str, many: str = "properties") -> str:
    return f"{len(found)} {one if len(found) == 1 else many}"
