"""One attempt at a question: all that an agent remembers. A fresh start is a new one."""

from __future__ import annotations

from dataclasses import dataclass, field

from plugins.nl.contract import Turn, Work
from plugins.nl.model.contract import ChatModel
from plugins.nl.strategies.saga.answer_type import AnswerType
from plugins.nl.strategies.saga.best import Best
from plugins.nl.strategies.saga.history import History
from plugins.nl.strategies.saga.log import KnowledgeLog
from plugins.nl.strategies.saga.state import NoTypeState, TypeState
from plugins.nl.strategies.saga.updating import Updating
from plugins.nl.tools import Neighbourhood, Tools


@dataclass(slots=True, kw_only=True)
class Attempt:
    """What is known and done so far.

    Shapes: ``history`` is H and ``theta`` is Θ of Algorithm 1; ``around`` are the neighbourhoods that were read;
    ``turns`` are the questions before; ``fresh`` says that this attempt began anew; ``said`` are notes that were given
    already, each of which is given once; ``successor`` is the attempt that takes over.
    """

    work: Work
    model: ChatModel
    answer: AnswerType
    turns: tuple[Turn, ...] = ()
    fresh: bool = False
    theta: TypeState = field(default_factory=TypeState)
    history: History = field(default_factory=History)
    best: Best = field(default_factory=Best)
    log: KnowledgeLog = field(default_factory=KnowledgeLog)
    around: dict[str, Neighbourhood] = field(default_factory=dict)
    said: set[str] = field(default_factory=set)
    stopped: bool = False
    shortened: bool = False
    unreadable: int = 0
    successor: Attempt | None = None

    @classmethod
    def begun(cls, work: Work, model: ChatModel) -> Attempt:
        """Line 1 of Algorithm 1, with what a conversation has said before."""
        for turn in work.question.history:
            # What came up in an earlier answer is not made up.
            work.tools.seen.update(turn.labels)
        made = cls(work=work, model=model, answer=AnswerType(shape=work.shape), turns=work.question.history)
        made.theta = TypeState() if work.switches.type_state else NoTypeState()
        return made

    def anew(self, why: str) -> None:
        """Let an attempt take over that knows nothing of this one, but why it begins."""
        self.successor = Attempt(work=self.work, model=self.model, answer=self.answer, fresh=True)
        self.successor.theta = type(self.theta)()
        self.successor.log.add("fail", f"a first attempt: {why}")

    @property
    def tools(self) -> Tools:
        """The tools of the question."""
        return self.work.tools

    @property
    def published(self) -> bool:
        """Whether the rule is that of the paper, without what goes beyond."""
        return self.work.switches.mode == "paper"

    @property
    def updating(self) -> Updating:
        """What brings Θ up to date."""
        return Updating(self.theta, self.answer, self.work.tools, self.work.switches)

    def once(self, note: str) -> bool:
        """Whether a note is said for the first time; from then on it is not."""
        new = bool(note) and note not in self.said
        self.said.add(note)
        return new
