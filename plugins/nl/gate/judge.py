"""Check 12, judge: a model reads question, query and rows.

It says that the query is done, how to refine it, or that it answers something else. A refined query is judged once more
before it is proposed, so that a question costs two calls at most. It may name nothing that did not come up: what a
label in the graph says to the judge cannot lead to another topic.
Source: specs/strategies.md section 5; GRASP's feedback.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.naming import in_answer
from plugins.nl.model.contract import ChatModel, ModelUnavailable, Unreadable
from plugins.nl.prompts import prompt
from plugins.schema.annotation import tidy
from proxy.errors import BadQuery

_NO_MODEL = Opinion(verdict="skipped", why="it takes a model, and this gate has none")
_MOST_NAMES = 30
_RETRY = 0.3
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "verdict": {"type": "string", "enum": ["done", "refine", "retry"]},
        "why": {"type": "string"},
        "sparql": {"type": "string"},
    },
    "required": ["verdict", "why", "sparql"],
    "additionalProperties": False,
}


async def judge(case: Case) -> Opinion:
    """Ask the model what it thinks of the query; a model that is gone, or is not understood, thinks nothing."""
    if case.model is None:
        return _NO_MODEL
    try:
        return await _judged(case, case.model)
    except Unreadable as error:
        return Opinion(verdict="skipped", why=f"the model's judgement cannot be read: {error}")
    except ModelUnavailable as error:
        return Opinion(verdict="skipped", why=error.detail)


async def _judged(case: Case, model: ChatModel) -> Opinion:
    verdict, why, refined = await _asked(case, model)
    if verdict == "done":
        return PASS
    if verdict == "retry":
        return Opinion(verdict="ask", why=why, confidence=_RETRY)
    trial = await _trial(case, refined)
    if trial is None:
        return ask(why)
    again, objection, _ = await _asked(trial, model)
    return fix(refined, why) if again == "done" else ask(f"{why} A change did not help: {objection}")


async def _asked(case: Case, model: ChatModel) -> tuple[str, str, str]:
    """Return the verdict, what is wrong, and a refined query."""
    iris = list(dict.fromkeys((*case.names.values(), *in_answer(case))))[:_MOST_NAMES]
    await case.tools.labels.learn(iris)
    said = await model.fill(
        prompt(
            "judge",
            "judge",
            question=case.question.text,
            sparql=case.candidate.sparql,
            names=list(map(case.tools.labels.named, iris)),
            answer=case.tools.wording.table(case.table),
        ),
        _SCHEMA,
    )
    verdict, why, sparql = (str(said.get(name) or "").strip() for name in ("verdict", "why", "sparql"))
    return verdict if verdict in ("refine", "retry") else "done", tidy(why), sparql


async def _trial(case: Case, sparql: str) -> Case | None:
    """Return the case with a refined query; None for one that does not run, or names what never came up."""
    if not sparql or sparql == case.candidate.sparql:
        return None
    try:
        trial = case.over(sparql, case.table)
        known = {*case.names.values(), *case.tools.seen}
        if trial.draft.obstacle or not known.issuperset(trial.names.values()):
            return None
    except BadQuery:
        return None
    done = await case.tools.execute(sparql)
    return case.over(sparql, done.table) if done.table is not None else None
