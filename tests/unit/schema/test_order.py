"""The order of properties: nothing is lost, the asked one comes first, misfits come last."""

from __future__ import annotations

import random
import time

from hypothesis import given
from hypothesis import strategies as st

from plugins.schema.lexicon import Lexicon
from plugins.schema.model import Property
from plugins.schema.order import Edge, folded_line, order


def made(name: str, label: str, aliases: tuple[str, ...] = (), **more: object) -> Property:
    return Property(id=name, iri=f"urn:{name}", label=label, aliases=aliases, **more)  # type: ignore[arg-type]


BIRTH = made("P569", "date of birth", ("birth date", "born on"), kind="time", usage=5_000_000)
PLACE = made("P19", "place of birth", ("birthplace", "born in"), kind="item", usage=3_000_000)
SPOUSE = made("P26", "spouse", ("partner",), kind="item", usage=60_000)
PEAK = made("P610", "highest point", (), kind="item", usage=4_000)
DIRECTOR = made("P57", "director", ("directed by",), kind="item", usage=300_000)
VIAF = made("P214", "VIAF ID", (), kind="external-id", usage=2_000_000)
IMDB = made("P345", "IMDb ID", (), kind="external-id", usage=900_000)
ALL = (BIRTH, PLACE, SPOUSE, PEAK, DIRECTOR, VIAF, IMDB)
# As rare as among all properties of a graph: `of` says little, `spouse` much.
LEXICON = Lexicon([*ALL, *(made(f"P9{number}", f"number of thing {number}") for number in range(2_000))])


def first(question: str, *edges: Edge, **more: object) -> list[str]:
    given_edges = edges or tuple(Edge(property=record) for record in ALL)
    found = order(given_edges, question, LEXICON, **more)  # type: ignore[arg-type]
    return [each.property.id for each in found.shown]


def test_the_label_in_the_question_comes_first() -> None:
    assert first("What is the highest point of France?")[0] == "P610"


def test_aliases_stems_and_irregular_words_count() -> None:
    assert first("Who directed Inception?")[0] == "P57"
    assert first("Who was the wife of Barack Obama?")[0] == "P26"
    assert first("Where was she born in?")[0] == "P19"


def test_the_kind_of_the_answer_decides_between_equals() -> None:
    assert first("When was Obama born?", answers=frozenset({"time"}))[0] == "P569"


def test_words_of_the_entity_say_nothing() -> None:
    assert first("Who is in Director?", entity="Director")[0] != "P57"


def test_a_value_in_the_question_lifts_its_property() -> None:
    edges = (Edge(property=PLACE, values=("Honolulu",)), Edge(property=SPOUSE, values=("Michelle Obama",)))
    assert first("How does Michelle Obama belong to him?", *edges)[0] == "P26"
    assert first("How does Honolulu belong to him?", *edges)[0] == "P19"


def test_typical_properties_of_the_class_come_before_rare_ones() -> None:
    one, other = made("P1", "abc", usage=10), made("P2", "def", usage=10)
    assert first("?", Edge(property=one), Edge(property=other, share=0.9)) == ["P2", "P1"]


def test_conflicts_come_last_whatever_the_question_says_and_are_marked() -> None:
    edges = (Edge(property=PEAK, conflicts=True), Edge(property=SPOUSE), Edge(property=DIRECTOR))
    assert first("highest point", *edges)[-1] == "P610"
    found = order(edges, "highest point", LEXICON, first=1)
    assert folded_line(found.folded).endswith("highest point (P610) [does not fit]")


def test_learned_words_join_the_order() -> None:
    edges = (Edge(property=SPOUSE), Edge(property=PEAK), Edge(property=DIRECTOR, learned=3.0))
    assert first("who made it", *edges)[0] == "P57"


def test_ids_stand_apart_those_named_first() -> None:
    found = order((Edge(property=record) for record in ALL), "What is his IMDb number?", LEXICON)
    assert [each.property.id for each in found.ids] == ["P345", "P214"]


@given(st.lists(st.tuples(st.sampled_from(ALL), st.booleans(), st.floats(0, 5)), max_size=60), st.text(max_size=80))
def test_no_property_is_ever_lost_and_the_order_is_the_same_every_time(
    drawn: list[tuple[Property, bool, float]], question: str
) -> None:
    edges = [Edge(property=record, conflicts=bad, learned=learned) for record, bad, learned in drawn]
    found = order(edges, question, LEXICON)
    assert sorted(map(id, (*found.shown, *found.folded, *found.ids))) == sorted(map(id, edges))
    assert len(found.shown) <= 20
    assert order(edges, question, LEXICON) == found


def test_a_huge_neighbourhood_and_a_huge_question_take_a_moment_only() -> None:
    chance = random.Random(5)
    letters = "abcdefghijklmnop"
    records = [
        made(f"P{number}", " ".join("".join(chance.choices(letters, k=6)) for _ in range(3)), usage=number)
        for number in range(1_000)
    ]
    started = time.perf_counter()
    order([Edge(property=each) for each in records], "word " * 100_000, Lexicon(records))
    assert time.perf_counter() - started < 5
