"""What came of every question: one JSON object a line, so that a run can be resumed and read by others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from proxy.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a strategy made of one question. Units: ``seconds`` of wall time.

    Shapes: ``gold`` and ``given`` count answers; with a ``gold`` of 0 the question is left out of all figures, since
    its gold query finds nothing on this endpoint.
    """

    id: str
    dataset: str
    group: str
    strategy: str
    question: str
    status: str = ""
    confidence: float | None = None
    sparql: str = ""
    gold: int = 0
    given: int = 0
    f1: float = 0.0
    exact: bool = False
    queries: int = 0
    seconds: float = 0.0
    problem: str = ""

    @property
    def counts(self) -> bool:
        """Whether the question has an answer here."""
        return self.gold > 0


class Journal:
    """The outcomes of one strategy, in a file that only grows."""

    def __init__(self, path: Path) -> None:
        """Read what is there. Raises UsageError for a file that is none of ours."""
        self.path = path
        self.outcomes: dict[tuple[str, str], Outcome] = {}
        if path.exists():
            self.outcomes = {(each.dataset, each.id): each for each in self._read()}

    def add(self, outcome: Outcome) -> None:
        """Write one outcome; a run that is killed loses none but the one it was at."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(outcome), ensure_ascii=False) + "\n")
        self.outcomes[outcome.dataset, outcome.id] = outcome

    def _read(self) -> Iterator[Outcome]:
        whole = self.path.read_text(encoding="utf-8")
        # The last line of a killed run may be cut: it goes, so that the next one is not glued to it.
        kept = whole[: whole.rfind("\n") + 1]
        if kept != whole:
            self.path.write_text(kept, encoding="utf-8")
        for number, line in enumerate(kept.splitlines(), 1):
            try:
                found: dict[str, Any] = json.loads(line)
                yield Outcome(**found)
            except (ValueError, TypeError) as error:
                raise UsageError(f"{self.path}, line {number}: not an outcome of `saga evaluate run`") from error
