"""The file of outcomes: whole lines, whatever happens."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plugins.evaluation.outcomes import Journal
from proxy.errors import UsageError
from tests.unit.evaluation.outcome import outcome


def test_outcomes_come_back_in_the_order_of_the_questions(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    journal = Journal(path)
    for place in (2, 0, 1):
        journal.add(outcome(str(place), place=place, question="Wo liegt Köln?\n", sparql="\ud800"))
    again = Journal(path).outcomes
    assert [each.id for each in again] == [each.id for each in journal.outcomes] == ["0", "1", "2"]
    assert again[0].question == "Wo liegt Köln?\n"


def test_a_journal_goes_on_behind_a_line_that_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Journal(path).add(outcome("1"))
    whole = path.read_bytes()
    for cut in (b'{"id": "2", "data', whole[:-1], b"\xc3", b"{"):
        path.write_bytes(whole + cut)
        journal = Journal(path)
        assert [each.key for each in journal.outcomes] == [("d", "1")]
        journal.add(outcome("2", place=1))
        assert [each.id for each in Journal(path).outcomes] == ["1", "2"]


def test_of_a_question_that_was_asked_again_the_later_outcome_counts(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    journal = Journal(path)
    journal.add(outcome("1", status="unavailable"))
    journal.add(outcome("2", left_out="unavailable"))
    assert not journal.settled(("d", "1"))
    assert not journal.settled(("d", "2"))
    assert not journal.settled(("d", "3"))
    journal.add(outcome("1", status="unanswered"))
    assert journal.settled(("d", "1"))
    assert Journal(path).settled(("d", "1"))
    assert [each.status for each in Journal(path).outcomes] == ["unanswered", "answered"]


@pytest.mark.parametrize("line", ['{"something": "else"}', "[1]", "no JSON", "3", ""])
def test_a_file_of_something_else_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "s.jsonl"
    Journal(path).add(outcome("1"))
    with path.open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(UsageError, match="line 2"):
        Journal(path)


def test_what_a_later_version_adds_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Journal(path).add(outcome("1"))
    path.write_text(json.dumps({**json.loads(path.read_text()), "colour": "blue"}) + "\n")
    assert [each.id for each in Journal(path).outcomes] == ["1"]


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Let no file of this process grow above so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_line_that_has_no_room_is_not_there_at_all(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    journal = Journal(path)
    journal.add(outcome("1"))
    size = path.stat().st_size
    with limited(size + 100), pytest.raises(UsageError, match="--resume goes on"):
        journal.add(outcome("2"))
    assert path.stat().st_size == size
    assert [each.id for each in journal.outcomes] == ["1"], "what is not written does not count"
    journal.add(outcome("2", place=1))
    assert [each.id for each in Journal(path).outcomes] == ["1", "2"]
