"""What came of every question: one JSON object a line, so that a run can be resumed and read by others."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Final

from plugins.evaluation.folder import told
from proxy.errors import UsageError

UNAVAILABLE: Final = "unavailable"
# What stands for a budget that was spent, with and without something in hand.
LIMITED = ("out_of_budget", "partial")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a strategy made of one question.

    Shapes: ``place`` counts the questions as they were given; ``variant`` is the strategy with its switches, as tables
    call it; ``left_out`` says why nothing can be compared, and is empty where something was; ``gold`` and ``given``
    count rows, a Boolean being one. What is measured from ``f1`` to ``qald_recall`` is between 0 and 1.
    Units: ``seconds`` of wall time, ``cost`` in the currency of the prices of `[llm]`.
    """

    id: str
    dataset: str
    group: str
    place: int
    strategy: str
    variant: str
    question: str
    form: str = ""
    hops: int = 0
    left_out: str = ""
    status: str = ""
    confidence: float | None = None
    sparql: str = ""
    gold: int = 0
    given: int = 0
    f1: float = 0.0
    exact: bool = False
    column_f1: float = 0.0
    column_exact: bool = False
    rowwise_f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    qald_precision: float = 0.0
    qald_recall: float = 0.0
    actions: int = 0
    lookups: int = 0
    queries: int = 0
    empty_queries: int = 0
    blocked: int = 0
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0
    problem: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells questions apart."""
        return self.dataset, self.id

    @property
    def counts(self) -> bool:
        """Whether the question has an answer here."""
        return not self.left_out

    @property
    def settled(self) -> bool:
        """Whether it need not be asked again: endpoint and model were there."""
        return UNAVAILABLE not in (self.status, self.left_out)


class Journal:
    """The outcomes of one variant, in a file that only grows; where a question stands twice, the later one counts."""

    def __init__(self, path: Path) -> None:
        """Read what is there. Raises UsageError for a file that is none of ours."""
        self.path = path
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        with told(path):
            if path.exists():
                self._outcomes = {each.key: each for each in self._read()}

    @property
    def outcomes(self) -> list[Outcome]:
        """All outcomes in the order of the questions, whichever was there first."""
        return sorted(self._outcomes.values(), key=lambda each: each.place)

    def settled(self, key: tuple[str, str]) -> bool:
        """Whether a question need not be asked again."""
        found = self._outcomes.get(key)
        return found is not None and found.settled

    def add(self, outcome: Outcome) -> None:
        """Write one outcome at once; what is killed loses only what it was at. Raises UsageError on a full disk."""
        line = (json.dumps(asdict(outcome), ensure_ascii=False) + "\n").encode("utf-8", "replace")
        with told(self.path):
            _append(self.path, line)
        self._outcomes[outcome.key] = outcome

    def _read(self) -> Iterator[Outcome]:
        whole = self.path.read_bytes()
        # The last line of a killed run may be cut: it goes, so that the next one is not glued to it.
        kept = whole.rfind(b"\n") + 1
        if kept != len(whole):
            os.truncate(self.path, kept)
        for number, line in enumerate(whole[:kept].split(b"\n")[:-1], 1):
            try:
                yield _outcome(json.loads(line))
            except (ValueError, TypeError) as error:
                raise UsageError(f"{self.path}, line {number}: not an outcome of `saga evaluate run`") from error


_NAMES = frozenset(each.name for each in fields(Outcome))


def _outcome(found: Any) -> Outcome:
    """Read one line. Raises TypeError; members of a later version are left out."""
    if not isinstance(found, dict):
        raise TypeError("no object")
    members: dict[str, Any] = {name: value for name, value in found.items() if name in _NAMES}
    return Outcome(**members)


def _append(path: Path, line: bytes) -> None:
    """Write a line as a whole or not at all. Raises OSError."""
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        before = os.fstat(file).st_size
        try:
            written = os.write(file, line)
            while written < len(line):
                written += os.write(file, line[written:])
        except OSError:
            os.ftruncate(file, before)
            raise
    finally:
        os.close(file)
