"""The nouns of question answering: Question, Shape, Candidate, Event, Budget, Work, Strategy.

A strategy reads a question and yields events; it never sees HTTP, and never runs a query but through the tools. The
runner stamps its events, gives the last candidate to the gate, and makes the answer.
"""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from plugins.nl.switches import ALL_ON as ALL_ON
from plugins.nl.switches import Filter as Filter
from plugins.nl.switches import Switches as Switches
from proxy.results.terms import Term

if TYPE_CHECKING:
    # Tools and models are made of these nouns; a strategy only holds them.
    from plugins.nl.model.contract import ChatModel
    from plugins.nl.tools import Tools

AnswerForm = Literal["ask", "count", "number", "date", "year", "entity", "list", "label", "winner", "text"]
Superlative = Literal["none", "min", "max"]
# What a superlative or a comparative measures; the oldest has the least time, the youngest the most.
Measure = Literal["", "time", "count", "size", "height", "length", "depth", "weight", "speed", "value"]
# Words that turn or narrow what is asked; `alive` is "still alive", "still exists".
Polarity = Literal["not", "never", "without", "except", "only", "alive"]
DatePart = Literal["", "year", "month", "day"]
# Which ranks and times a question is about: the present ones, all that ever were, or those of a year.
Span = Literal["best", "now", "ever", "year"]
Comparison = Literal["<", "<=", "=", ">=", ">"]
Status = Literal["answered", "partial", "unanswered", "out_of_budget", "unavailable"]
Kind = Literal["thought", "action", "observation", "candidate", "gate", "answer", "error"]
Check = Literal[
    "form", "polarity", "count", "date", "winner", "hops", "coverage", "rank", "class", "preview", "known", "judge"
]
Verdict = Literal["pass", "fix", "ask", "skipped"]
_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One earlier question of a conversation, and what came of it.

    Shapes: ``labels`` are those of the entities of query and answer, by IRI.
    """

    question: str
    sparql: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asks.

    Shapes: ``language`` is a tag such as `en`, empty where nobody said; ``history`` has the oldest turn first.
    """

    text: str
    endpoint: str
    language: str = ""
    history: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Words of the question that may name something.

    Units: ``start`` and ``end`` are offsets into the question's text.
    """

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A number that the question compares with: at least two, more than 2000."""

    comparison: Comparison
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TextMatch:
    """What a literal must start with, contain or end with."""

    where: Literal["start", "inside", "end"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What kind of answer a question wants, read from its words alone.

    Shapes: ``language`` is the one that the words were read in; ``type_label`` are the words for the answer's class
    ("which bridges"), ``type_iri`` its class where it is linked; ``negated`` asks for what does not hold, by one of the
    words in ``polarity``; ``superlative`` is the end of ``measure`` that is wanted, in a comparison that of its first
    thing; ``compare`` are the things that a question puts side by side; ``place`` is the n of "the second largest";
    ``top`` the n of "the ten largest"; ``bound`` what values are held against; ``excluded`` what "except" names;
    ``year`` goes with the span `year`; ``since`` and ``until`` are the first and last year of "after 1990" or "in the
    1990s"; ``date_part`` is what is wanted of a date, empty for all of it; ``label_language`` is set where the question
    asks for a name in a language; ``text_matches`` is what a literal must be like; ``mentions`` are what may name
    entities, longest first.
    """

    form: AnswerForm
    language: str = "en"
    type_label: str = ""
    type_iri: str | None = None
    negated: bool = False
    polarity: tuple[Polarity, ...] = ()
    superlative: Superlative = "none"
    measure: Measure = ""
    compare: tuple[str, ...] = ()
    place: int = 1
    top: int | None = None
    bound: Bound | None = None
    excluded: tuple[str, ...] = ()
    span: Span = "best"
    year: int | None = None
    since: int | None = None
    until: int | None = None
    date_part: DatePart = ""
    label_language: str = ""
    text_matches: TextMatch | None = None
    mentions: tuple[Mention, ...] = ()

    def document(self) -> dict[str, Any]:
        """Return the JSON form. Source: design.md section 4."""
        said = {"form": self.form}
        named = self.type_label or self.type_iri
        return {**said, "type": {"id": self.type_iri or "", "label": self.type_label}} if named else said


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The answer of a query, as far as it is held in memory.

    Shapes: ``rows`` hold one term a variable, None where unbound; ``boolean`` is the answer of an ASK, and a table
    without variables then. ``total`` counts all rows, also those that are not held; ``complete`` is False where the
    endpoint cut the answer, or where we stopped reading.
    """

    variables: tuple[str, ...] = ()
    rows: tuple[tuple[Term | None, ...], ...] = ()
    boolean: bool | None = None
    total: int = 0
    complete: bool = True

    @property
    def empty(self) -> bool:
        """Whether nothing was found. A Boolean is an answer, whichever it is."""
        return self.boolean is None and self.total == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A query that may answer the question.

    Shapes: ``table`` is what it returned, None where it was not run; ``confidence`` is between 0 and 1, as the strategy
    judges it; ``types`` are classes by IRI or variable, as far as they came up.
    """

    sparql: str
    table: Table | None = None
    confidence: float = 0.0
    why: str = ""
    labels: Mapping[str, str] = field(default_factory=lambda: _EMPTY)
    types: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: _EMPTY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that happened on the way to an answer.

    Shapes: ``data`` are the members of the JSON object beside `seq`, `t` and `kind`; a `candidate` carries the
    Candidate as well. Units: ``t`` in seconds since the question came; ``seq`` counts from 1; both are stamped by the
    runner.
    """

    kind: Kind
    data: Mapping[str, Any] = field(default_factory=lambda: _EMPTY)
    candidate: Candidate | None = None
    seq: int = 0
    t: float = 0.0

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"seq": self.seq, "t": round(self.t, 3), "kind": self.kind, **self.data}


def thought(text: str) -> Event:
    """Return an event that says what a strategy thinks."""
    return Event(kind="thought", data={"text": text})


def action(name: str, argument: str) -> Event:
    """Return an event that says what a strategy does."""
    return Event(kind="action", data={"action": name, "argument": argument})


def observation(text: str, ms: int, **more: Any) -> Event:
    """Return an event that says what came of the last action; ``more`` are members such as `edges`."""
    return Event(kind="observation", data={"observation": text, "ms": ms, **more})


def found(candidate: Candidate) -> Event:
    """Return an event that offers a candidate; the last one counts."""
    return Event(kind="candidate", data={"sparql": candidate.sparql, "why": candidate.why}, candidate=candidate)


# What a budget has a limit for, beside the seconds.
Limited = Literal["actions", "queries", "llm_calls", "tokens", "money"]


class OutOfBudget(Exception):
    """The budget of a question is spent: actions, queries, calls of the model, tokens, money or seconds."""


@dataclass(slots=True, kw_only=True)
class Budget:
    """What one question may cost, and what it has cost.

    Units: ``seconds`` since ``started``, on ``clock``; ``money`` in the currency of the configured prices.
    """

    clock: Callable[[], float]
    actions: int = 15
    queries: int = 60
    llm_calls: int = 40
    tokens: int = 200_000
    money: float = math.inf
    seconds: float = 60.0
    started: float = 0.0
    spent: dict[str, float] = field(default_factory=dict)

    @property
    def left_s(self) -> float:
        """Seconds that are left, never below 0."""
        return max(0.0, self.seconds - (self.clock() - self.started))

    def spend(self, what: Limited, amount: float = 1) -> None:
        """Count something. Raises OutOfBudget where there is none left, or no time."""
        total = self.spent.get(what, 0) + amount
        most: float = getattr(self, what)
        if total > most or not self.left_s:
            raise OutOfBudget(what)
        self.spent[what] = total

    def count(self, what: str, amount: float = 1) -> None:
        """Count something that has no limit of its own."""
        self.spent[what] = self.spent.get(what, 0) + amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """All that a strategy has: the question, its shape, the tools, the model, and what it may cost.

    Shapes: ``model`` is None where none is configured.
    """

    question: Question
    shape: Shape
    tools: Tools
    budget: Budget
    model: ChatModel | None = None
    switches: Switches = ALL_ON


class Strategy(Protocol):
    """A way from a question to a query."""

    @property
    def name(self) -> str:
        """Its name in the configuration."""

    def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Yield what happens. Raises OutOfBudget; ProxyError where the endpoint is gone."""
