"""Questions with gold queries, from files as people have them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.records import records
from proxy.errors import UsageError


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_texts_and_texts_by_language_are_taken_and_lines_without_either_are_not(tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine.jsonl",
        {"question": "Who?", "sparql": "ASK {}"},
        {"id": 7, "dataset": "d", "group": "g", "question": {"en": "Who?", "de": "Wer?"}, "query": "ASK {}"},
        {"question": "Who?"},
        {"question": "", "sparql": "ASK {}"},
        "no JSON",
        ["a", "list"],
    )
    first, second = records([path])
    assert (first.id, first.dataset, first.group, first.text("en")) == ("1", "mine", "1", "Who?")
    assert (second.id, second.dataset, second.group, second.text("de")) == ("7", "d", "g", "Wer?")
    assert second.text("fr") == ""


def test_the_same_number_in_two_splits_is_two_questions(tmp_path: Path) -> None:
    line = {"id": "1", "question": "Who?", "sparql": "ASK {}"}
    path = written(tmp_path / "q.jsonl", {**line, "split": "train"}, {**line, "split": "test"})
    assert len({each.id for each in records([path])}) == 2


def test_packed_files_and_limits(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(json.dumps({"id": n, "question": "q", "sparql": "ASK {}"}) + "\n" for n in range(5))
    assert [each.id for each in records([path, path], 2)] == ["0", "1", "0", "1"]


def test_a_file_that_is_absent_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.jsonl"):
        records([tmp_path / "none.jsonl"])


def test_a_group_has_one_fold_and_folds_are_used_evenly(tmp_path: Path) -> None:
    lines = [{"id": n, "group": f"g{n // 2}", "question": "q", "sparql": "ASK {}"} for n in range(400)]
    found = records([written(tmp_path / "q.jsonl", *lines)])
    assert all(found[n].fold(5) == found[n + 1].fold(5) for n in range(0, 400, 2))
    counts = [sum(each.fold(5) == fold for each in found) for fold in range(5)]
    assert min(counts) > 40


def outcome(name: str) -> Outcome:
    return Outcome(id=name, dataset="d", group=name, strategy="s", question="q")


def test_a_journal_goes_on_behind_a_line_that_was_cut(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    Journal(path).add(outcome("1"))
    with path.open("a") as file:
        file.write('{"id": "2", "data')
    journal = Journal(path)
    assert list(journal.outcomes) == [("d", "1")]
    journal.add(outcome("2"))
    assert list(Journal(path).outcomes) == [("d", "1"), ("d", "2")]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "s.jsonl", {"something": "else"})
    with pytest.raises(UsageError, match="line 1"):
        Journal(path)
