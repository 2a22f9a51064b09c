"""The last look before the end: whether the query is about the question at all, and what the gate would ask.

Source: SAGA, appendix E.6 ("a lightweight consistency guard"); strategies.md section 5, checks 6, 7 and 11.
"""

from __future__ import annotations

from dataclasses import dataclass

from plugins.nl.contract import Candidate, OutOfBudget, Question, Shape
from plugins.nl.gate.case import Case
from plugins.nl.gate.coverage import OFF_TOPIC, coverage
from plugins.nl.gate.hops import hops
from plugins.nl.gate.known import known
from plugins.nl.tools import Tools
from proxy.errors import ProxyError


@dataclass(frozen=True, slots=True)
class Doubt:
    """What speaks against a query; nothing where ``why`` is empty."""

    why: str = ""

    @property
    def off_topic(self) -> bool:
        """Whether it is a query for another question."""
        return self.why.startswith(OFF_TOPIC)


async def reviewed(candidate: Candidate, question: Question, shape: Shape, tools: Tools) -> Doubt:
    """Return the first doubt of the checks that only look. One that cannot end has none."""
    case = Case(candidate, question, shape, tools)
    try:
        if case.draft.obstacle:
            return Doubt()
        for check in (coverage, hops, known):
            opinion = await check(case)
            if opinion.verdict == "ask":
                return Doubt(opinion.why)
    except (OutOfBudget, ProxyError):
        # The gate looks again, with queries of its own.
        return Doubt()
    return Doubt()
