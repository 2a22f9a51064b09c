"""What came of a query, in words: rows, why there are none, and what about them should give pause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from plugins.nl.contract import Candidate, OutOfBudget
from plugins.nl.gate.case import Case
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.beside import beside, worded
from plugins.nl.strategies.saga.history import Observation
from plugins.nl.strategies.saga.log import Kind
from plugins.nl.strategies.saga.planned import Plan
from plugins.nl.tools import Execution
from plugins.nl.tools.wording import clipped
from proxy.errors import ProxyError
from proxy.syntax import Form, read

_MOST_QUERY = 110
_MOST_THINGS = 2
# As many rows as a preview has at its two ends, and some.
_HEAD, _TAIL = 10, 5
_AGAIN = "Sent again, the same query runs."


async def observed(attempt: Attempt, done: Execution, notes: Sequence[str] = ()) -> Observation:
    """Return what the model sees of a query, and take note of it in the log."""
    with suppress(OutOfBudget):
        await attempt.tools.labels.learn(_shown(done))
    kind, said, text = _told(attempt, done)
    attempt.log.add(kind, f"{said}: {_short(done.sparql)}")
    return Observation(text=clipped([text, *notes]), kind=kind, lasting=done.outcome in ("complete", "failed"))


def _shown(done: Execution) -> Iterator[str]:
    """Yield the things in the rows that are shown."""
    rows = done.table.rows if done.table is not None else ()
    for row in (*rows[:_HEAD], *rows[-_TAIL:]):
        yield from (term.value for term in row if term is not None and term.kind == "iri")


def _told(attempt: Attempt, done: Execution) -> tuple[Kind, str, str]:
    """Return the kind of outcome, a word for the log, and the whole of it."""
    wording, table = attempt.tools.wording, done.table
    if done.outcome == "blocked":
        problem = done.problem if done.problem.startswith("[BLOCKED]") else f"[BLOCKED] {done.problem}"
        return "fail", "BLOCKED", problem if attempt.published else f"{problem} {_AGAIN}"
    if table is None:
        return "fail", "not run", f"[ERROR] {done.problem}"
    if done.diagnosis is not None and not attempt.published:
        said = "" if table.empty else f"{wording.table(table)}\n"
        return "fail", "EMPTY", said + done.diagnosis.text
    if table.empty:
        return "fail", "EMPTY", "[WARNING] 0 rows: check that each property fits the type of its subject."
    text = wording.table(table)
    return "ok", text.partition("\n")[0].rstrip("."), text


def stuck(attempt: Attempt, done: Execution, plan: Plan) -> list[str]:
    """Say that no query with a property has come to anything: the way is wrong, and not the wording."""
    found = done.table is not None and not done.table.empty and done.diagnosis is None
    if found:
        attempt.log.worked(plan.properties)
        return []
    names = [f"{plan.properties[each].name} ({each})" for each in attempt.log.failed(plan.properties)]
    if not names or attempt.published:
        return []
    listed = ", ".join(names)
    return [
        f"[WARNING] No query with {listed} has found anything so far: it is the wrong way. "
        "Look at what else stands around the thing, or search for another one."
    ]


async def remembered(attempt: Attempt, done: Execution) -> list[str]:
    """Say what ids mean that the model wrote from memory; from then on they have come up."""
    work, tools = attempt.work, attempt.tools
    if attempt.published or done.table is None:
        return []
    case = Case(Candidate(sparql=done.sparql), work.question, attempt.answer.shape, tools)
    fresh = [iri for iri in dict.fromkeys(case.names.values()) if iri not in tools.seen]
    if not fresh:
        return []
    with suppress(OutOfBudget):
        await tools.labels.learn(fresh)
    tools.seen.update(tools.labels.mapping(fresh))
    listed = ", ".join(map(tools.labels.named, fresh))
    return [f"No observation had shown these before, so see that they are what you mean: {listed}."]


async def neighbours(attempt: Attempt, done: Execution, plan: Plan) -> list[str]:
    """Say which properties beside those of a yes or no are called nearly alike, once each."""
    if attempt.published or read(done.sparql).form is not Form.ASK or done.table is None:
        return []
    notes = []
    for iri, record in plan.subjects[:_MOST_THINGS]:
        with suppress(OutOfBudget, ProxyError):
            if iri not in attempt.around:
                attempt.around[iri] = await attempt.tools.lookup(iri, "out")
            others = beside(record, attempt.around[iri])
            note = worded(record, others, attempt.tools.labels.named(iri)) if others else ""
            notes += [note] if attempt.once(note) else []
    return notes


def _short(sparql: str) -> str:
    text = " ".join(sparql.split())
    return text if len(text) <= _MOST_QUERY else f"{text[:_MOST_QUERY]}..."
