"""The gate: twelve checks that every strategy's candidate passes, and what they change.

Deterministic checks come first: those that may rewrite the query, each on the query as the ones before left it, then
those that only look. Limits go early, so that what follows compares whole answers. A rewritten query is run; it takes
the place of the old one if it answers at least as well.
Source: specs/strategies.md section 5.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

from plugins.nl.answer import Judgement
from plugins.nl.contract import Candidate, Check, OutOfBudget, Question, Shape, Table
from plugins.nl.gate.case import Case, Opinion
from plugins.nl.gate.classes import classes
from plugins.nl.gate.count import count
from plugins.nl.gate.coverage import coverage
from plugins.nl.gate.date import date
from plugins.nl.gate.form import form
from plugins.nl.gate.hops import hops
from plugins.nl.gate.judge import judge
from plugins.nl.gate.known import known
from plugins.nl.gate.polarity import polarity
from plugins.nl.gate.preview import preview
from plugins.nl.gate.rank import rank
from plugins.nl.gate.values import mass
from plugins.nl.gate.winner import winner
from plugins.nl.model.contract import ChatModel
from plugins.nl.tools import Execution, Tools
from proxy.errors import BadQuery, ClientError, UpstreamError

__all__ = ["CHECKS", "Gate", "skipped"]

CHECKS: tuple[tuple[Check, Callable[[Case], Awaitable[Opinion]]], ...] = (
    ("form", form),
    ("polarity", polarity),
    ("preview", preview),
    ("rank", rank),
    ("class", classes),
    ("count", count),
    ("date", date),
    ("winner", winner),
    ("hops", hops),
    ("coverage", coverage),
    ("known", known),
    ("judge", judge),
)


class Gate:
    """Check candidates; ``model`` judges them, where there is one."""

    def __init__(self, model: ChatModel | None = None) -> None:
        self._model = model

    async def run(
        self, candidate: Candidate, question: Question, shape: Shape, tools: Tools
    ) -> tuple[Candidate, tuple[Judgement, ...]]:
        """Return the candidate as the checks leave it, and what each said, in the order in which they ran.

        A candidate that was not run is run first. Raises OutOfBudget and ProxyError where not even that can be done.
        """
        if candidate.table is None:
            done = await tools.execute(candidate.sparql)
            if done.table is None:
                return candidate, skipped(f"the query does not run: {done.problem}")
            candidate = replace(candidate, table=done.table)
        case = Case(candidate, question, shape, tools, self._model)
        obstacle = _obstacle(case)
        if obstacle:
            return candidate, skipped(obstacle)
        judgements = []
        for name, check in CHECKS:
            case, judgement = await _judged(case, name, check)
            judgements.append(judgement)
        return case.candidate, tuple(judgements)


async def _judged(case: Case, name: Check, check: Callable[[Case], Awaitable[Opinion]]) -> tuple[Case, Judgement]:
    """Return what one check says, and the case as it leaves it. A check that cannot end changes nothing."""
    try:
        opinion = await check(case)
        if opinion.verdict == "fix":
            return await _tried(case, name, opinion)
    except OutOfBudget:
        return case, Judgement(check=name, verdict="skipped", why="the budget was spent")
    except (ClientError, UpstreamError) as error:
        return case, Judgement(check=name, verdict="skipped", why=error.detail)
    return _capped(case, opinion), Judgement(check=name, verdict=opinion.verdict, why=opinion.why)


async def _tried(case: Case, name: Check, opinion: Opinion) -> tuple[Case, Judgement]:
    """Run a rewritten query, and take it if it answers at least as well."""
    done = await case.tools.execute(opinion.sparql)
    worse = _worse(case.table, done, opinion)
    if worse or done.table is None:
        return case, Judgement(check=name, verdict="ask", why=f"{opinion.why}; not changed: {worse}")
    before = case.candidate.sparql
    fixed = _capped(case.over(opinion.sparql, done.table), opinion)
    # What the gate itself brought in is not made up.
    case.tools.seen.update(set(fixed.names.values()) - set(case.names.values()))
    return fixed, Judgement(check=name, verdict="fix", why=opinion.why, before=before)


def _worse(before: Table, done: Execution, opinion: Opinion) -> str:
    """Say why a rewritten query answers less well than the one before; nothing where it does not."""
    if done.table is None:
        return done.problem or "the changed query does not run"
    if before.complete and not done.table.complete:
        return "the changed query has no whole answer"
    if not opinion.bare and mass(before) and not mass(done.table) and done.table.boolean is None:
        return "the changed query finds nothing"
    return ""


def _capped(case: Case, opinion: Opinion) -> Case:
    candidate = case.candidate
    if opinion.confidence >= candidate.confidence:
        return case
    return replace(case, candidate=replace(candidate, confidence=opinion.confidence))


def _obstacle(case: Case) -> str:
    """Say why the query cannot be checked at all."""
    try:
        return case.draft.obstacle
    except BadQuery as error:
        return error.detail


def skipped(why: str) -> tuple[Judgement, ...]:
    """Return the judgements of a gate that could not check."""
    return tuple(Judgement(check=name, verdict="skipped", why=why) for name, _ in CHECKS)
