"""The history H: actions with their observations, the memory of what was done, and the end of going in circles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from plugins.nl.contract import Candidate
from plugins.nl.model.contract import Choice
from plugins.nl.strategies.saga.log import Kind

MOST_STEPS = 5
# An action that is among so many before it is a repetition. Source: SPINACH, as strategies.md section 1 has it.
_WINDOW = 4
_STEPS_BACK = 2
_WHOLE = 2
_CUT_AT, _CUT_MORE = 1_000, 300
_MOST_THOUGHT = 600

Circling = Literal["", "again", "back", "stop"]
Length = Literal["whole", "usual", "short"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What came of an action.

    Shapes: ``kind`` is that of its line in the knowledge log; ``lasting`` says that the same action comes out the same;
    ``more`` are further members of the event, such as the counts of a lookup; ``offers`` are queries that it brings up.
    """

    text: str
    kind: Kind = "ok"
    lasting: bool = True
    more: Mapping[str, Any] = field(default_factory=dict)
    offers: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn, as the model sees it again."""

    number: int
    thought: str
    action: str
    argument: str
    kind: Kind
    text: str


class History:
    """What was done in one attempt."""

    def __init__(self) -> None:
        self._steps: list[Step] = []
        self._memory: dict[tuple[str, str], tuple[int, Observation]] = {}
        self._recent: list[tuple[str, str]] = []
        self._circles = 0
        self._count = 0

    def append(self, choice: Choice, seen: Observation) -> None:
        """Line 24 of Algorithm 1."""
        self._count += 1
        step = Step(
            number=self._count,
            thought=choice.thought[:_MOST_THOUGHT],
            action=choice.action,
            argument=choice.argument,
            kind=seen.kind,
            text=seen.text,
        )
        self._steps.append(step)
        if seen.lasting:
            self._memory.setdefault(_key(choice), (self._count, seen))

    def remembered(self, choice: Choice) -> Observation | None:
        """Return what came of the same action before, with a word about that; None for a new one."""
        found = self._memory.get(_key(choice))
        if found is None:
            return None
        number, seen = found
        text = f"[WARNING] You did this in step {number}, and it comes out the same. Do something else.\n{seen.text}"
        return replace(seen, text=text, kind="fail")

    def circling(self, choice: Choice) -> Circling:
        """Say whether the model goes in circles: first it is told, then two steps are taken back, then it is over."""
        key = _key(choice)
        repeated = key in self._memory and key in self._recent[-_WINDOW:]
        self._recent.append(key)
        self._circles = self._circles + 1 if repeated else 0
        if self._circles == 0:
            return ""
        return "again" if self._circles == 1 else "back" if self._circles == 2 else "stop"

    def step_back(self) -> None:
        """Take the last two steps out of what the model sees: they led nowhere."""
        del self._steps[-_STEPS_BACK:]

    def recent(self, length: Length = "usual") -> list[Step]:
        """Return the last five steps: whole, with all but the last two cut, or the last two alone and cut."""
        steps = self._steps[-MOST_STEPS:]
        if length == "whole":
            return steps
        if length == "short":
            return [_cut(each, _CUT_MORE) for each in steps[-_WHOLE:]]
        return [*(_cut(each, _CUT_AT) for each in steps[:-_WHOLE]), *steps[-_WHOLE:]]


def _key(choice: Choice) -> tuple[str, str]:
    return choice.action, " ".join(choice.argument.split()).strip("\"'")


def _cut(step: Step, most: int) -> Step:
    text = step.text if len(step.text) <= most else f"{step.text[:most]} (...)"
    return replace(step, text=text)
