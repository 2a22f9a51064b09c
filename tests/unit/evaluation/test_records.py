"""Questions with gold, from files as people have them: lines, lists, packed, damaged."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from plugins.evaluation.records import records
from proxy.errors import UsageError
from proxy.results.terms import iri

LINE = {"question": "Who?", "sparql": "ASK {}"}


def written(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def refused(path: Path, **how: Any) -> str:
    with pytest.raises(UsageError) as error:
        records([path], **how)
    return str(error.value)


def many(path: Path, count: int) -> Path:
    return written(path, *({"id": n, **LINE} for n in range(count)))


def test_texts_and_texts_by_language_are_taken(tmp_path: Path) -> None:
    path = written(
        tmp_path / "mine.jsonl",
        LINE,
        "",
        {"id": 7, "dataset": "d", "group": "g", "question": {"en": "Who?", "de": "Wer?"}, "query": "ASK {}"},
        {"question": "Which?", "answers": ["m.1"]},
    )
    first, second, third = records([path])
    assert (first.id, first.dataset, first.group, first.text("en")) == ("1", "mine", "1", "Who?")
    assert (second.id, second.dataset, second.group, second.text("de")) == ("7", "d", "g", "Wer?")
    assert second.text("fr") == ""
    assert (third.sparql, third.answers) == ("", ((iri("http://rdf.freebase.com/ns/m.1"),),))
    assert (first.answers, first.place, second.place) == (None, f"{path}:1", f"{path}:3")


def test_the_same_number_in_two_splits_is_two_questions(tmp_path: Path) -> None:
    line = {"id": "1", **LINE}
    path = written(tmp_path / "q.jsonl", {**line, "split": "train"}, {**line, "split": "test"})
    assert [each.id for each in records([path])] == ["train-1", "test-1"]


def test_answers_that_are_cut_are_no_gold(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", {**LINE, "answers": ["m.1"], "answers_count": 9, "answers_truncated": True})
    assert records([path])[0].answers is None


def test_a_question_whose_gold_is_empty_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", {"question": "Who?", "sparql": None}, {"question": "Who?", "sparql": ""})
    assert [(each.sparql, each.answers) for each in records([path])] == [("", None), ("", None)]


@pytest.mark.parametrize(("ending", "opener"), [("gz", gzip.open), ("bz2", bz2.open), ("xz", lzma.open)])
def test_packed_files(tmp_path: Path, ending: str, opener: Any) -> None:
    path = tmp_path / f"q.v2.jsonl.{ending}"
    with opener(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps(LINE) + "\n")
    assert [each.dataset for each in records([path])] == ["q.v2"]


def test_a_packed_file_that_is_cut_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(LINE) + "\n").encode() * 1_000)[:60])
    assert str(path) in refused(path)


def test_a_limit_takes_the_first_of_each_file(tmp_path: Path) -> None:
    paths = [many(tmp_path / "a.jsonl", 5), many(tmp_path / "b.jsonl", 5)]
    assert [(each.dataset, each.id) for each in records(paths, 2)] == [("a", "0"), ("a", "1"), ("b", "0"), ("b", "1")]


def test_what_comes_after_the_limit_may_be_damaged(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", LINE, "damaged")
    assert len(records([path], 1)) == 1
    assert f"{path}:2" in refused(path, limit=2)


def test_a_sample_is_drawn_from_all_and_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    path = many(tmp_path / "a.jsonl", 200)
    first, again, other = (records([path], sample=20, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert first != other
    assert len({each.id for each in first}) == 20
    assert max(int(each.id) for each in first) > 100
    assert [int(each.id) for each in first] == sorted(int(each.id) for each in first)
    assert len(records([path], sample=999)) == 200
    assert all(int(each.id) < 30 for each in records([path], limit=30, sample=20))


def test_a_group_has_one_fold_and_folds_are_used_evenly(tmp_path: Path) -> None:
    found = records([written(tmp_path / "q.jsonl", *({"id": n, "group": f"g{n // 2}", **LINE} for n in range(400)))])
    assert all(found[n].fold(5) == found[n + 1].fold(5) for n in range(0, 400, 2))
    counts = [sum(each.fold(5) == fold for each in found) for fold in range(5)]
    assert min(counts) > 40


def test_half_a_character_is_no_harm_to_folds(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", '{"group": "\\ud800", "question": "Who?", "sparql": "ASK {}"}')
    assert records([path])[0].fold(5) in range(5)


def test_a_list_and_one_object_are_files_too(tmp_path: Path) -> None:
    path = written(tmp_path / "q.json", json.dumps([LINE, {**LINE, "id": "x"}], indent=1))
    assert [(each.id, each.place) for each in records([path])] == [("1", f"{path}#0"), ("x", f"{path}#1")]
    alone = written(tmp_path / "one.json", json.dumps(LINE, indent=1))
    assert [each.place for each in records([alone])] == [f"{alone}#0"]


def test_line_separators_within_texts_do_not_end_a_line(tmp_path: Path) -> None:
    path = written(
        tmp_path / "q.jsonl", json.dumps({**LINE, "question": "Who\u2028is\x85it?"}, ensure_ascii=False), LINE
    )
    assert [each.place for each in records([path])] == [f"{path}:1", f"{path}:2"]


def test_a_byte_order_mark_and_carriage_returns_are_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(LINE).encode() + b"\r\n" + json.dumps(LINE).encode() + b"\r\n")
    assert len(records([path])) == 2


DAMAGED = {
    "no JSON": ("damaged", ":2: damaged line"),
    "cut": ('{"question": "Who?", "sp', ":2: damaged line"),
    "no object": ('["a", "list"]', ":2: not an object but a list"),
    "a number": ("5", ":2: not an object but a number"),
    "no question": ({"sparql": "ASK {}"}, ":2: this question of format jsonl has no `question`"),
    "an empty question": ({"question": " ", "sparql": "ASK {}"}, ":2: this question of format jsonl has no `question`"),
    "no gold": ({"question": "Who?"}, ":2: this question of format jsonl has neither a gold query nor gold answers"),
    "a query that is a number": ({"question": "Who?", "sparql": 5}, ":2: this question of format jsonl has a `sparql`"),
    "answers that are none": ({"question": "Who?", "answers": [[[1]]]}, ":2: this question of format jsonl"),
    "deep": ("[" * 100_000, ":2: damaged line: it nests too deeply"),
}


@pytest.mark.parametrize(("line", "said"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_line_is_named_with_its_file(tmp_path: Path, line: object, said: str) -> None:
    path = written(tmp_path / "q.jsonl", LINE, line, LINE)
    assert f"{path}{said}" in refused(path)


def test_a_damaged_first_line_is_one(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", '{"question": "Who?", "sparql": ', LINE)
    assert f"{path}:1: damaged line" in refused(path)


@pytest.mark.parametrize("text", ['[\n {"question": "Who?",\n "sparql": }\n]', '{\n "questions": [\n {"id" 5}]}'])
def test_a_damaged_document_is_named_with_its_line(tmp_path: Path, text: str) -> None:
    path = written(tmp_path / "q.json", text)
    assert f"{path}:3: damaged JSON" in refused(path)


def test_a_damaged_entry_of_a_list_is_named_with_its_index(tmp_path: Path) -> None:
    path = written(tmp_path / "q.json", json.dumps([LINE, {"question": 5, "sparql": "ASK {}"}]))
    assert f"{path}#1: this question of format jsonl has no `question`" in refused(path)
    path = written(tmp_path / "q.json", json.dumps([LINE, None]))
    assert f"{path}#1: not an object but null" in refused(path)


@pytest.mark.parametrize("text", ["", " \n\n", "[]", '{"questions": []}', "\ufeff"])
def test_an_empty_file_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "q.json"
    path.write_text(text, "utf-8")
    assert f"{path}: the file is empty" in refused(path)


def test_a_file_that_is_absent_and_a_folder_are_named(tmp_path: Path) -> None:
    assert f"{tmp_path / 'none.jsonl'}: no such file" in refused(tmp_path / "none.jsonl")
    assert f"{tmp_path}: no such file" in refused(tmp_path)


def test_what_is_no_utf8_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes(
        json.dumps(LINE).encode() + b"\n" + '{"question": "Wer ist Müller?", "sparql": ""}'.encode("latin-1")
    )
    assert f"{path}:2: not UTF-8" in refused(path)


def test_an_unknown_format_is_described_and_the_known_ones_are_listed(tmp_path: Path) -> None:
    said = refused(written(tmp_path / "q.jsonl", {"prompt": "Who?", "completion": "ASK {}"}))
    assert "q.jsonl:1: unknown format: an object with `prompt`, `completion`" in said
    for name in ("jsonl", "qald", "lcquad2", "wwq", "spinach", "webqsp", "cwq", "grailqa"):
        assert f"\n  {name}" in said
    assert "holds no questions but a number" in refused(written(tmp_path / "q.json", "5"))


def test_a_format_that_is_not_there_is_refused_with_the_ones_that_are(tmp_path: Path) -> None:
    said = refused(many(tmp_path / "q.jsonl", 1), format="squad")
    assert "'squad'" in said
    assert "auto, qald" in said


def test_a_format_that_is_said_is_not_guessed(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", {"id": "1", "utterance": "Who?", "question": "What?", "sparql": "ASK {}"})
    assert records([path])[0].text("en") == "Who?"
    assert records([path], format="jsonl")[0].text("en") == "What?"
    assert "this question of format grailqa has no `question`" in refused(
        written(tmp_path / "p.jsonl", {"qid": 1, "sparql_query": ""}), format="grailqa"
    )


def test_two_questions_with_one_id_are_both_named(tmp_path: Path) -> None:
    path = written(tmp_path / "q.jsonl", {"id": "a", **LINE}, LINE, {"id": "a", **LINE})
    assert f"{path}:1 and {path}:3: two questions of q have the id 'a'" in refused(path)
    assert f"{path}:1 and {path}:3" in refused(path, sample=1), "also where they are not drawn"


def test_an_id_in_two_files_of_one_data_set_is_refused_and_in_two_data_sets_is_not(tmp_path: Path) -> None:
    one, two = (written(tmp_path / name, {"id": "a", "dataset": "d", **LINE}) for name in ("one.jsonl", "two.jsonl"))
    with pytest.raises(UsageError, match="two questions of d") as error:
        records([one, two])
    assert f"{one}:1 and {two}:1" in str(error.value)
    assert len(records([many(tmp_path / "a.jsonl", 2), many(tmp_path / "b.jsonl", 2)])) == 4


def test_a_file_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    path = many(tmp_path / "a.jsonl", 2)
    with pytest.raises(UsageError, match="given twice"):
        records([path, path])
