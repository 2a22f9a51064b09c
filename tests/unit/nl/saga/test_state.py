"""What the type state learns, keeps and shows."""

from __future__ import annotations

from plugins.nl.strategies.saga.state import Known, NoTypeState, TypeState


def test_what_is_learned_is_news_once() -> None:
    theta = TypeState()
    assert theta.learn("?x", ["human"], "pattern")
    assert not theta.learn("?x", ["human"], "pattern")
    assert theta.learn("?x", ["city"], "values")
    assert theta.of("?x") == Known(("city",), "values")
    assert theta.of("?y").types == ()


def test_a_guess_never_takes_the_place_of_a_fact() -> None:
    theta = TypeState()
    theta.learn("?x", ["city"], "schema")
    theta.learn("?x", ["capital"], "values")
    assert not theta.learn("?x", ["place"], "schema")
    assert not theta.learn("?x", ["place"], "question")
    assert theta.of("?x").types == ("capital",)


def test_nothing_is_no_type() -> None:
    theta = TypeState()
    theta.learn("?x", ["city"], "values")
    assert not theta.learn("?x", [], "values")
    assert theta.of("?x").types == ("city",)


def test_five_are_shown_the_latest_last_and_all_are_kept() -> None:
    theta = TypeState()
    for name in "abcdefg":
        theta.learn(name, [name.upper()], "entity")
    theta.learn("d", ["D", "DD"], "values")
    assert [key for key, _ in theta.recent()] == ["c", "e", "f", "g", "d"]
    assert set(theta.mapping) == set("abcdefg")


def test_only_facts_count_as_such() -> None:
    theta = TypeState()
    theta.learn("?x", ["city"], "schema")
    theta.learn("e", ["human"], "entity")
    assert theta.facts == (("e", ("human",)),)
    assert theta.mapping == {"e": ("human",)}


def test_a_state_that_is_switched_off_learns_nothing() -> None:
    theta = NoTypeState()
    assert not theta.learn("e", ["human"], "entity")
    assert theta.recent() == []
