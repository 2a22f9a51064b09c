"""Check 6, hops: the answer is what the question asks for, and not what stands one step before it."""

from __future__ import annotations

from collections.abc import Sequence

from plugins.nl.contract import AnswerForm
from plugins.nl.gate.case import PASS, Case, Opinion, ask
from plugins.nl.gate.naming import classes_called
from plugins.nl.gate.values import ValueKind, kinds
from plugins.nl.tools.asker import column
from proxy.results.terms import Term
from proxy.syntax import Variable

_SAMPLE = 5
_EXPECTED: dict[AnswerForm, frozenset[ValueKind]] = {
    "number": frozenset({"number"}),
    "count": frozenset({"number"}),
    "date": frozenset({"time", "number"}),
    "year": frozenset({"time", "number"}),
    "label": frozenset({"text"}),
    "entity": frozenset({"thing", "text"}),
    "list": frozenset({"thing", "text"}),
    "winner": frozenset({"thing", "text"}),
}
_MEANT: dict[AnswerForm, str] = {
    "number": "a number about it",
    "count": "how many there are",
    "date": "a date about it",
    "year": "a year about it",
    "label": "a name of it",
    "entity": "a thing",
    "list": "things",
    "winner": "a thing",
}


async def hops(case: Case) -> Opinion:
    """Look at five values of the answer: what they are, and of which class."""
    expected = _EXPECTED.get(case.shape.form)
    held = {name: each for name, each in kinds(case.table).items() if each}
    if expected is None or not held or case.draft.is_ask:
        return PASS
    found = next((name for name, each in held.items() if each in expected or _is_code(case, name, each)), None)
    if found is None:
        return await _wrong_kind(case, next(iter(held)))
    things = [name for name, each in held.items() if each == "thing"]
    return await _of_class(case, things[0]) if things and expected >= {"thing"} else PASS


def _is_code(case: Case, name: str, held: ValueKind) -> bool:
    """Whether a text is as good as the number that is asked for, as an area code is."""
    return case.shape.form == "number" and held == "text" and any(map(str.isdigit, _sample(case, name)[0].value))


async def _wrong_kind(case: Case, name: str) -> Opinion:
    """Say what was returned, by name and class, and what the question asks for."""
    values = _sample(case, name)
    meant = _MEANT[case.shape.form]
    if values[0].kind != "iri":
        return ask(f"You returned {case.tools.wording.term(values[0])}; the question asks for {meant}.")
    thing = values[0].value
    classes = (await _classes(case, [thing])).get(thing, ())
    await case.tools.labels.learn((thing, *classes))
    labels = case.tools.labels
    kind = f" ({', '.join(map(labels.of, classes))})" if classes else ""
    return ask(f"You returned {labels.named(thing)}{kind}; the question asks for {meant}. One more step is missing.")


async def _of_class(case: Case, name: str) -> Opinion:
    """Hold the classes of the values, and all above them, against the class that the question names."""
    wanted = [case.shape.type_iri] if case.shape.type_iri else []
    if not wanted and case.shape.type_label:
        wanted = [hit.iri for hit in await classes_called(case, case.shape.type_label)]
    values = [term.value for term in _sample(case, name) if term.kind == "iri"]
    if not wanted or not values or _says_so(case, name, wanted):
        return PASS
    listed = ", ".join(map(case.iri, wanted))
    branches = (f"{{ <{iri}> {case.typed()} ?c FILTER(?c IN ({listed})) BIND(<{iri}> AS ?x) }}" for iri in values)
    table = await case.probe(f"SELECT DISTINCT ?x {{ {' UNION '.join(branches)} }}")
    if table is None or table.total:
        return PASS
    classes = await _classes(case, values)
    shown = dict.fromkeys(each for found in classes.values() for each in found)
    if not shown:
        return PASS
    labels = case.tools.labels
    await labels.learn((*values, *shown))
    asked = case.shape.type_label or labels.of(wanted[0])
    kind = ", ".join(map(labels.of, list(shown)[:3]))
    return ask(f"You returned {labels.named(values[0])} ({kind}); the question asks for: {asked}.")


def _says_so(case: Case, name: str, wanted: Sequence[str]) -> bool:
    """Whether the query itself demands the class of its answer."""
    return any(
        case.is_type(each) and each.subject == Variable(name) and getattr(each.object, "value", "") in wanted
        for each in case.draft.patterns
    )


def _sample(case: Case, name: str) -> list[Term]:
    return list(dict.fromkeys(column(case.table, name)))[:_SAMPLE]


async def _classes(case: Case, iris: Sequence[str]) -> dict[str, list[str]]:
    """Return the classes of some things, without those above them."""
    step = case.iri(case.words.types[0])
    branches = (f"{{ <{iri}> {step} ?c BIND(<{iri}> AS ?x) }}" for iri in iris)
    table = await case.probe(f"SELECT ?x ?c {{ {' UNION '.join(branches)} }} LIMIT 50")
    found: dict[str, list[str]] = {}
    for thing, kind in table.rows if table else ():
        if thing is not None and kind is not None:
            found.setdefault(thing.value, []).append(kind.value)
    return found
