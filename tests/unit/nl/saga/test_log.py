"""The knowledge log, and how it tells a wrong way from a wrong wording."""

from __future__ import annotations

from plugins.nl.strategies.saga.log import KnowledgeLog


def test_the_last_six_outcomes_are_kept_in_one_line_each() -> None:
    log = KnowledgeLog()
    for number in range(8):
        log.add("ok", f"step\n{number}")
    assert [text for _, text in log.lines] == [f"step {number}" for number in range(2, 8)]


def test_the_same_outcome_stands_once() -> None:
    log = KnowledgeLog()
    for text in ("a", "b", "a"):
        log.add("fail", text)
    assert log.lines == (("fail", "b"), ("fail", "a"))


def test_a_property_with_which_nothing_was_ever_found_is_told_at_the_third_time() -> None:
    log = KnowledgeLog()
    assert log.failed(["P6"]) == ()
    assert log.failed(["P6", "P17"]) == ()
    assert log.failed(["P6", "P6"]) == ("P6",)
    assert log.failed(["P6"]) == ("P6",)


def test_one_that_worked_once_is_none_of_them() -> None:
    log = KnowledgeLog()
    log.worked(["P6"])
    assert [log.failed(["P6"]) for _ in range(4)] == [()] * 4
