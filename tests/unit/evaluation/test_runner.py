"""Questions at the same time, gold once for all variants, and what becomes of errors."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from plugins.evaluation.answering import Done
from plugins.evaluation.oracle import Oracle
from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.patience import Patience
from plugins.evaluation.records import Record
from plugins.evaluation.runner import Contestant, Runner
from plugins.evaluation.scoreboard import Scoreboard
from plugins.evaluation.truth import Truth
from plugins.evaluation.variants import Variant
from plugins.nl.answer import Answer
from plugins.nl.contract import Question, Shape, Switches, Table
from proxy.core import Core
from proxy.errors import UsageError
from proxy.loader import check
from proxy.results.terms import iri
from tests import stage
from tests.unit.evaluation.outcome import outcome

GOLD = Table(variables=("x",), rows=((iri("http://example.org/a"),),), total=1)


@dataclass
class Asked:
    """Answer what the gold is, and take note of who is there at the same time."""

    gone: frozenset[str] = frozenset()
    most: int = 0
    now: int = 0
    asked: list[str] = field(default_factory=list)

    async def ask(self, text: str, language: str, strategy: str, name: str) -> Done:
        self.asked.append(name)
        self.now += 1
        self.most = max(self.most, self.now)
        # Everybody who may be there at the same time comes in before anybody leaves.
        for _ in range(20):
            await asyncio.sleep(0)
        self.now -= 1
        if name in self.gone:
            return Done(answer=None, seconds=0.5, problem="nobody is there", gone=True)
        answer = Answer(
            id=name,
            conversation=name,
            question=Question(text=text, endpoint="demo", language=language),
            strategy=strategy,
            status="answered",
            shape=Shape(form="entity"),
            sparql="SELECT ?x {}",
            table=GOLD,
            usage={"queries": 2, "cost": 0.25},
        )
        return Done(answer=answer, seconds=0.5, events=({"kind": "answer"},))


@dataclass
class Told:
    """Say what gold is, by the record's id."""

    truths: dict[str, Truth] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def of(self, record: Record) -> Truth:
        self.asked.append(record.id)
        return self.truths.get(record.id, Truth(table=GOLD))


class Noted(Journal):
    """A journal that says when it is written."""

    def __init__(self, path: Path, order: list[str]) -> None:
        super().__init__(path)
        self._order = order

    def add(self, outcome: Outcome) -> None:
        self._order.append(outcome.variant)
        super().add(outcome)


@pytest.fixture
async def oracle(demo_store: Path) -> AsyncIterator[Oracle]:
    tables = {"endpoints": {"demo": {"store": str(demo_store)}}, "plugins": {"enabled": []}}
    async with Core(check(tables, stage.ROOT)).lifespan() as context:
        yield Oracle(context, "demo")


def records(count: int) -> list[Record]:
    return [
        Record(id=str(n), dataset="d", questions={"en": f"q{n}"}, sparql="ASK {}", group=str(n)) for n in range(count)
    ]


def runner(
    folder: Path, oracle: Oracle, asked: Asked, told: Told, names: Sequence[str] = ("s",), concurrency: int = 3
) -> Runner:
    contestants = [
        Contestant(
            variant=Variant(strategy=name, switches=Switches()),
            journal=Journal(folder / f"{name}.jsonl"),
            asking=lambda record: asked,
            patience=Patience(0),
        )
        for name in names
    ]
    return Runner(
        folder=folder,
        contestants=contestants,
        oracle=oracle,
        truth=told.of,
        language="en",
        scoreboard=Scoreboard(io.StringIO()),
        concurrency=concurrency,
        patience=Patience(0),
    )


async def test_so_many_at_a_time_and_never_more(tmp_path: Path, oracle: Oracle) -> None:
    asked = Asked()
    await runner(tmp_path, oracle, asked, Told()).run(records(10))
    assert asked.most == 3
    assert sorted(asked.asked) == [f"d-{n}" for n in range(10)]
    found = Journal(tmp_path / "s.jsonl").outcomes
    assert [each.place for each in found] == list(range(10))
    assert {(each.f1, each.exact, each.queries, each.cost, each.gold, each.given) for each in found} == {
        (1.0, True, 2, 0.25, 1, 1)
    }
    assert len(list((tmp_path / "traces" / "s").iterdir())) == 10


async def test_gold_is_asked_once_for_all_and_each_is_first_in_turn(tmp_path: Path, oracle: Oracle) -> None:
    told, asked = Told(), Asked()
    made = runner(tmp_path, oracle, asked, told, names=("a", "b", "c"), concurrency=1)
    order: list[str] = []
    noted = [replace(each, journal=Noted(each.journal.path, order)) for each in made.contestants]
    await replace(made, contestants=noted).run(records(3))
    assert told.asked == ["0", "1", "2"]
    assert order == list("abcbcacab")


async def test_only_what_is_missing_is_asked(tmp_path: Path, oracle: Oracle) -> None:
    first = Asked(gone=frozenset({"d-1"}))
    told = Told({"2": Truth(left_out="empty")})
    await runner(tmp_path, oracle, first, told, names=("a",)).run(records(4))
    assert [each.status for each in Journal(tmp_path / "a.jsonl").outcomes] == [
        "answered",
        "unavailable",
        "",
        "answered",
    ]
    second = Asked()
    await runner(tmp_path, oracle, second, told, names=("a", "b")).run(records(4))
    assert sorted(second.asked) == ["d-0", "d-1", "d-1", "d-3"]
    one, other = (Journal(tmp_path / f"{name}.jsonl").outcomes for name in ("a", "b"))
    assert [each.f1 for each in one] == [each.f1 for each in other] == [1.0, 1.0, 0.0, 1.0]
    assert [each.left_out for each in one] == ["", "", "empty", ""]


async def test_a_query_that_a_living_endpoint_cannot_do_is_a_failure(tmp_path: Path, oracle: Oracle) -> None:
    told = Told({"0": Truth(left_out="unavailable", why="502")})
    await runner(tmp_path, oracle, Asked(), told).run(records(1))
    (found,) = Journal(tmp_path / "s.jsonl").outcomes
    assert (found.left_out, found.problem) == ("failed", "502")


async def test_a_question_that_is_not_there_in_the_language_is_left_out(tmp_path: Path, oracle: Oracle) -> None:
    told = Told()
    given = [Record(id="0", dataset="d", questions={"de": "Wer?"}, sparql="ASK {}", group="0")]
    await runner(tmp_path, oracle, Asked(), told).run(given)
    assert [each.left_out for each in Journal(tmp_path / "s.jsonl").outcomes] == ["language"]
    assert not told.asked


async def test_a_full_disk_ends_all_of_them_with_one_reason(tmp_path: Path, oracle: Oracle) -> None:
    made = runner(tmp_path, oracle, Asked(), Told())
    (tmp_path / "traces").write_text("in the way")
    with pytest.raises(UsageError, match="traces"):
        await made.run(records(5))
    assert not Journal(tmp_path / "s.jsonl").outcomes, "no outcome without its trace"


def test_the_scoreboard_says_how_far_and_how_good() -> None:
    now = [0.0]
    out = io.StringIO()
    board = Scoreboard(out, lambda: now[0])
    board.begin(4, {"s": [outcome("1", f1=1.0), outcome("2", f1=0.0, status="unavailable")]})
    board.add(outcome("3", f1=0.0))
    board.add(outcome("4", left_out="empty"))
    now[0] = 61.0
    board.step()
    assert out.getvalue() == "1 of 4 questions, 0.0 per second, 183 s left; F1 so far: s 50.0\n"
    board.end()
    assert out.getvalue().endswith("1 of 4 questions, 0.0 per second, 183 s left; F1 so far: s 50.0\n")
