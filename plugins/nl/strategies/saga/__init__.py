"""SAGA: an agent that grounds a question in the schema, one action at a time.

This is Algorithm 1 of the paper; the numbers beside the lines are the paper's. What goes beyond it (repetition answered
from memory, the last look before the end, the best query instead of the last one) is off in the mode `paper`.
Source: SAGA, Algorithm 1 and appendix F; strategies.md section 1.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace

from plugins.nl.contract import Candidate, Event, Filter, Work, action, found, observation, thought
from plugins.nl.model.contract import ChatModel, Choice, ModelUnavailable
from plugins.nl.strategies.saga import names
from plugins.nl.strategies.saga.acting import execute_action, seen_range, wanted
from plugins.nl.strategies.saga.answer_type import infer_answer_type
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.compact import compact_format, preferring, published_format, type_filter
from plugins.nl.strategies.saga.controller import controller
from plugins.nl.strategies.saga.enduring import enduring
from plugins.nl.strategies.saga.history import Observation
from plugins.nl.strategies.saga.outcome import neighbours, observed, remembered, stuck
from plugins.nl.strategies.saga.planned import Plan, planned
from plugins.nl.strategies.saga.pruning import llm_prune
from plugins.nl.strategies.saga.review import reviewed
from plugins.nl.tools import Execution, Neighbourhood
from proxy.errors import BadQuery
from proxy.syntax import read

__all__ = ["Saga"]

_OFF_TOPIC = 0.05
_NO_MODEL = "The strategy `saga` needs a model: give `base_url` and `model` in the table `[llm]`."
_RUN_FIRST = "No query that you ran has an answer yet. Run the query that answers the question, then stop."


class Saga:
    """The strategy that asks a model for each step."""

    name = "saga"

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Yield what happens. Raises OutOfBudget, ModelUnavailable; ProxyError where the endpoint is gone."""
        attempt = Attempt.begun(work, _model(work))  # 1: H, Θ; 3: not stopped
        attempt.answer = await infer_answer_type(work, attempt.model)  # 2
        while not attempt.stopped:  # 4
            work.budget.spend("actions")
            a = await controller(attempt)  # 5
            for event in _announced(a):
                yield event
            began = work.budget.clock()
            if (o := again(attempt, a)) is not None:
                pass
            elif a.action == "lookup":  # 6
                o = await enduring(attempt, lookup(attempt, a.argument))  # 7 to 15
            elif a.action == "execute":  # 16
                done = await work.tools.execute(a.argument)  # 17
                for better in attempt.best.offer(done, work, attempt.answer.shape):
                    yield found(better)
                o = await observed(attempt, done, await update_type_state(attempt, done))  # 18
            elif a.action == "stop":  # 19
                o = await stop(attempt)  # 20
            else:  # 21
                o = await enduring(attempt, execute_action(attempt, a))  # 22, 23
            attempt.history.append(a, o)  # 24
            for event in _shown(o, work.budget.clock() - began):
                yield event
            attempt = attempt.successor or attempt  # 25
        for final in final_query(attempt):  # 26
            yield found(final)  # 27


async def lookup(attempt: Attempt, argument: str) -> Observation:
    """Lines 7 to 15: what stands around an entity, ranked or filtered by its types."""
    if names.declared_property(argument, attempt.tools.knowledge) is not None:
        return await execute_action(attempt, Choice(thought="", action="examples", argument=argument))
    e = names.entity(argument, attempt.tools.knowledge)
    if e is None:
        text = f"lookup takes the id of an entity, not {argument!r}; search for its name first."
        return Observation(text=text, kind="fail")
    neighbors = await get_neighborhood(attempt, e)  # 8
    types = get_types(attempt, neighbors)  # 7: the same queries have read them
    if attempt.theta.learn(e, types, "entity"):  # 9
        attempt.log.add("info", f"{attempt.tools.labels.named(e)} is {attempt.updating.said(attempt.theta.of(e))}")
    if not (neighbors.out or neighbors.into or types):
        return Observation(text=f"The graph says nothing of {attempt.tools.knowledge.short(e)}.", kind="fail")
    if types:  # 10
        kept = type_filter(neighbors, types, _filter(attempt))  # 11
        text = formatted(attempt, kept)  # 12
    else:  # 13
        kept = await llm_prune(attempt, neighbors)  # 14
        text = in_words(attempt, kept)
    return Observation(text=text, more={"edges": kept.edges})  # 15


async def get_neighborhood(attempt: Attempt, e: str) -> Neighbourhood:
    """Line 8: the properties around an entity; by the published rule only those that go out (Eq. 2)."""
    mode: Filter = "off" if _filter(attempt) == "off" else "demote"
    neighbors = await attempt.tools.lookup(e, "out" if attempt.published else "both", mode)
    attempt.around[e] = neighbors
    return replace(neighbors, suspicion="") if mode == "off" else neighbors


def get_types(attempt: Attempt, neighbors: Neighbourhood) -> tuple[str, ...]:
    """Line 7: the declared types; of a class those above it, which the published rule does not look at."""
    return neighbors.types or (() if attempt.published else neighbors.superclasses)


def _filter(attempt: Attempt) -> Filter:
    """Return what becomes of properties that do not fit; the published rule removes where ours ranks."""
    mode = attempt.work.switches.filter
    return "strict" if attempt.published and mode == "demote" else mode


def formatted(attempt: Attempt, kept: Neighbourhood) -> str:
    """Line 12: CompactFormat, with what leads to the expected answer further up."""
    return in_words(attempt, preferring(kept, lambda record: not attempt.published and wanted(attempt, record)))


def in_words(attempt: Attempt, kept: Neighbourhood) -> str:
    """Put a neighbourhood into words, in its own order."""
    if attempt.published:
        return published_format(kept, attempt.tools)
    records = [line.property for line in kept.out.values()]
    evidence = [f"{each.name} ({each.id}) leads to {seen}" for each in records if (seen := seen_range(attempt, each))]
    return compact_format(kept, attempt.tools, evidence)


async def update_type_state(attempt: Attempt, done: Execution) -> list[str]:
    """Line 18: let Θ know what query and rows say of types. Return what about them should give pause."""
    try:
        plan = planned(read(done.sparql, prefixes=attempt.tools.asker.prefixes), attempt.tools.knowledge)
    except BadQuery:
        return []
    notes = [*stuck(attempt, done, plan), *await remembered(attempt, done), *await neighbours(attempt, done, plan)]
    return [*notes, *await _typed(attempt, done, plan)]


async def _typed(attempt: Attempt, done: Execution, plan: Plan) -> list[str]:
    if not attempt.work.switches.type_state:
        return []
    for news in await attempt.updating.update(plan, done.table):
        attempt.log.add("info", news)
    missing = attempt.updating.shortfall(done.table)
    return [missing] if missing else []


async def stop(attempt: Attempt) -> Observation:
    """Line 20: end the loop, but for a last look: nothing was run, or the best query leaves something to ask.

    Where that is about something else than the question, a fresh attempt takes over, once.
    """
    best = attempt.best.candidate
    if best is None and not attempt.published and attempt.once(_RUN_FIRST):
        return Observation(text=_RUN_FIRST, kind="fail", lasting=False)
    if best is not None and not attempt.published and attempt.work.switches.gate:
        doubt = await reviewed(best, attempt.work.question, attempt.answer.shape, attempt.tools)
        if doubt.off_topic and not attempt.fresh:
            attempt.anew(f"[WARNING] {doubt.why}")
            weak = replace(best, confidence=_OFF_TOPIC, why="about something else than the question")
            return Observation(text=f"[WARNING] {doubt.why}", kind="fail", offers=(weak,))
        if doubt.why and attempt.once("reviewed"):
            text = f"[WARNING] Before you stop: {doubt.why} Mend the query, or stop again."
            return Observation(text=text, kind="fail", lasting=False)
    attempt.stopped = True
    return Observation(text="")


def again(attempt: Attempt, a: Choice) -> Observation | None:
    """Answer an action that was done before from memory; who goes in circles is taken back two steps, then stopped."""
    circling = attempt.history.circling(a)
    remembered = attempt.history.remembered(a)
    if remembered is None or attempt.published:
        return None
    attempt.log.add("fail", f"the same {a.action} again")
    if circling == "back":
        attempt.history.step_back()
    attempt.stopped = circling == "stop"
    return replace(remembered, offers=tuple(attempt.best.again(a.argument)))


def final_query(attempt: Attempt) -> Iterator[Candidate]:
    """Line 26: the best query; by the published rule the last one that was run."""
    if attempt.best.candidate is not None:
        yield replace(attempt.best.candidate, types=attempt.theta.mapping)


def _model(work: Work) -> ChatModel:
    if work.model is None:
        raise ModelUnavailable(_NO_MODEL)
    return work.model


def _announced(a: Choice) -> Iterator[Event]:
    if a.thought:
        yield thought(a.thought)
    yield action(a.action, a.argument)


def _shown(o: Observation, seconds: float) -> Iterator[Event]:
    yield observation(o.text, round(seconds * 1000), **o.more)
    yield from map(found, o.offers)
