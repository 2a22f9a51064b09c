"""The best query so far, by what it returned and what it says, and not simply the last one.

The published rule, the last query that was run, is there for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from plugins.nl.contract import AnswerForm, Candidate, Shape, Work
from plugins.nl.gate.case import Case
from plugins.nl.gate.naming import in_answer, named
from plugins.nl.gate.values import ValueKind, kinds
from plugins.nl.switches import Mode
from plugins.nl.tools import Execution
from proxy.errors import BadQuery

_THINGS: frozenset[ValueKind] = frozenset(("thing", "text"))
# What an answer holds where it is what was asked for. A yes or no, and a count, can still be made of what was found.
_WANTED: Mapping[AnswerForm, frozenset[ValueKind]] = {
    "ask": frozenset(("truth",)),
    "count": frozenset(("number",)),
    "number": frozenset(("number",)),
    "date": frozenset(("time", "number")),
    "year": frozenset(("time", "number")),
    "label": frozenset(("text",)),
}
_MENDED: frozenset[AnswerForm] = frozenset(("ask", "count"))
_WHY: Mapping[Mode, str] = {"default": "the best query that was run", "paper": "the last query that was run"}
_SURE, _LIKELY, _UNLIKELY = 0.9, 0.6, 0.3


class Score(NamedTuple):
    """What speaks for a query, the weightiest first: rows, their kind, names of the question, a whole answer."""

    found: bool
    kind: float
    named: float
    whole: bool

    @property
    def confidence(self) -> float:
        """Between 0 and 1, as far as it can be judged without the gate."""
        if not self.found or not self.kind:
            return _UNLIKELY
        return _SURE if self.kind == self.named == 1 and self.whole else _LIKELY


class Best:
    """Keep the best query of one attempt, and those that are as good."""

    def __init__(self) -> None:
        self._equals: dict[str, Candidate] = {}
        self._score: Score | None = None
        self.candidate: Candidate | None = None

    def offer(self, done: Execution, work: Work, shape: Shape) -> Iterator[Candidate]:
        """Take what was run, and yield it where it is now the best. Of equals the later one is."""
        if done.table is None:
            return
        case = Case(Candidate(sparql=done.sparql, table=done.table), work.question, shape, work.tools)
        score, mode = _scored(case, done), work.switches.mode
        if mode == "default" and self._score is not None and score < self._score:
            return
        if score != self._score:
            self._equals.clear()
        self._score = score
        self._equals[done.sparql.strip()] = replace(case.candidate, confidence=score.confidence, why=_WHY[mode])
        yield from self.again(done.sparql)

    def again(self, sparql: str) -> Iterator[Candidate]:
        """Take a query that was run before and is as good as the best: who sends it again at the end means it."""
        found = self._equals.get(sparql.strip())
        if found is not None:
            self.candidate = found
            yield found


def _scored(case: Case, done: Execution) -> Score:
    # A count of nothing is as good as no row; the diagnosis says of which kind an answer is.
    found = not case.table.empty and done.diagnosis is None
    return Score(found, _kind(case), _named(case), case.table.complete)


def _kind(case: Case) -> float:
    form = case.shape.form
    wanted = _WANTED.get(form, _THINGS)
    if case.table.boolean is not None:
        return float(form == "ask")
    held = set(kinds(case.table).values()) - {""}
    if held & wanted:
        return 1.0
    return 0.5 if held and form in _MENDED else 0.0


def _named(case: Case) -> float:
    """Return the share of the question's names that query or answer have."""
    try:
        present = {*case.names.values(), *in_answer(case)}
    except BadQuery:
        return 0.0
    mentioned = named(case)
    found = [each for each in mentioned if not present.isdisjoint(hit.iri for hit in each.hits)]
    return len(found) / len(mentioned) if mentioned else 1.0
