"""What was done: the memory of it, what of it is shown, and going in circles."""

from __future__ import annotations

from plugins.nl.model.contract import Choice
from plugins.nl.strategies.saga.history import Circling, History, Observation


def did(history: History, action: str, argument: str, text: str = "seen", *, lasting: bool = True) -> Circling:
    choice = Choice(thought="", action=action, argument=argument)
    circling = history.circling(choice)
    if history.remembered(choice) is None:
        history.append(choice, Observation(text=text, lasting=lasting))
    return circling


def recalls(history: History, action: str, argument: str) -> Observation | None:
    return history.remembered(Choice(thought="again", action=action, argument=argument))


def test_the_same_action_is_remembered_whatever_its_spaces() -> None:
    history = History()
    did(history, "execute", "SELECT ?x\n{ ?x ?p ?o }", "3 rows.")
    again = recalls(history, "execute", "  SELECT ?x { ?x ?p  ?o }")
    assert again is not None
    assert again.text == "[WARNING] You did this in step 1, and it comes out the same. Do something else.\n3 rows."
    assert again.kind == "fail"
    assert recalls(history, "execute", "SELECT ?y { ?y ?p ?o }") is None
    assert recalls(history, "search", "SELECT ?x { ?x ?p ?o }") is None


def test_what_may_come_out_otherwise_is_not_remembered() -> None:
    history = History()
    did(history, "execute", "q", "[BLOCKED]", lasting=False)
    assert recalls(history, "execute", "q") is None
    assert did(history, "execute", "q") == ""


def test_circles_are_told_then_stepped_back_from_then_ended() -> None:
    history = History()
    assert [did(history, "search", "a") for _ in range(4)] == ["", "again", "back", "stop"]


def test_two_actions_in_turn_are_a_circle_too() -> None:
    history = History()
    assert [did(history, "search", each) for each in "ababa"] == ["", "", "again", "back", "stop"]


def test_something_new_ends_a_circle_and_what_is_long_ago_is_none() -> None:
    history = History()
    assert [did(history, "search", each) for each in "aaba"] == ["", "again", "", "again"]
    assert [did(history, "search", each) for each in "cdefga"] == [""] * 6


def test_stepping_back_hides_two_steps_and_forgets_nothing() -> None:
    history = History()
    for each in "abc":
        did(history, "search", each)
    history.step_back()
    assert [step.argument for step in history.recent()] == ["a"]
    assert recalls(history, "search", "c") is not None
    did(history, "search", "d")
    assert [step.number for step in history.recent()] == [1, 4]


def test_five_steps_are_shown_and_long_ones_are_cut_but_for_the_last_two() -> None:
    history = History()
    for each in "abcdefg":
        did(history, "lookup", each, "x" * 5_000)
    usual = history.recent()
    assert [step.argument for step in usual] == list("cdefg")
    assert [len(step.text) > 4_000 for step in usual] == [False, False, False, True, True]
    assert all(len(step.text) == 5_000 for step in history.recent("whole"))
    assert [(step.argument, len(step.text) < 400) for step in history.recent("short")] == [("f", True), ("g", True)]
