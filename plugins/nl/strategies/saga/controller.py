"""Controller: one thought and one action of the model, with the question, H, Θ and the expected type before it."""

from __future__ import annotations

from collections.abc import Mapping

from plugins.nl.contract import Turn, Work
from plugins.nl.model.contract import Choice, Prompt, TooLong, Unreadable
from plugins.nl.prompts import prompt
from plugins.nl.strategies.saga.acting import UNREADABLE
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.history import Length
from plugins.nl.strategies.saga.offers import offers
from plugins.nl.strategies.saga.state import Source

_MOST_UNREADABLE = 3
_MOST_TURNS, _MOST_LABELS = 3, 10
_MOST_PREFIXES = 25
_HOW: Mapping[Source, str] = {
    "entity": "",
    "pattern": ", as a query says",
    "values": ", by what was returned",
    "schema": ", by domain or range",
    "question": ", as the question asks",
}


async def controller(attempt: Attempt) -> Choice:
    """Line 5 of Algorithm 1. Raises OutOfBudget, ModelUnavailable.

    A reply that nobody can read is a choice of its own; the third in a row ends the loop. A prompt that is too long is
    sent once more with less of the history.
    """
    try:
        choice = await _chosen(attempt)
    except Unreadable as error:
        attempt.unreadable += 1
        attempt.stopped = attempt.unreadable >= _MOST_UNREADABLE
        attempt.log.add("fail", "a reply that could not be read")
        return Choice(thought="", action=UNREADABLE, argument=str(error))
    attempt.unreadable = 0
    return choice


async def _chosen(attempt: Attempt) -> Choice:
    chosen = offers(attempt.work)
    try:
        return await attempt.model.choose(_prompt(attempt), chosen)
    except TooLong:
        if attempt.shortened:
            raise
    attempt.shortened = True
    return await attempt.model.choose(_prompt(attempt), chosen)


def _prompt(attempt: Attempt) -> Prompt:
    work, knowledge = attempt.work, attempt.tools.knowledge
    return prompt(
        "controller",
        "controller",
        paper=attempt.published,
        graph=knowledge.graph,
        prefixes=list(knowledge.prefixes.items())[:_MOST_PREFIXES],
        answer_type=attempt.answer.text,
        types=_types(attempt) if work.switches.type_state else None,
        log=attempt.log.lines,
        turns=[_turn(turn, work) for turn in attempt.turns[-_MOST_TURNS:]],
        language=work.question.language or work.shape.language,
        question=work.question.text,
        steps=attempt.history.recent(_length(attempt)),
    )


def _length(attempt: Attempt) -> Length:
    if attempt.shortened:
        return "short"
    return "whole" if attempt.published else "usual"


def _types(attempt: Attempt) -> list[str]:
    """Return what became known last, a line each."""
    labels = attempt.tools.labels
    return [
        f"{key if key.startswith('?') else labels.named(key)}: {attempt.updating.said(known)}{_HOW[known.source]}"
        for key, known in attempt.theta.recent()
    ]


def _turn(turn: Turn, work: Work) -> Mapping[str, str]:
    """Return an earlier question, its query and the names in it."""
    short = work.tools.knowledge.short
    named = [f"{label} ({short(iri)})" for iri, label in list(turn.labels.items())[:_MOST_LABELS]]
    return {"question": turn.question, "sparql": turn.sparql, "labels": ", ".join(named)}
