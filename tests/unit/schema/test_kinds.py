"""Which kind of answer a question asks for, and which properties give one."""

from __future__ import annotations

import pytest

from plugins.schema.draft import Draft
from plugins.schema.kinds import Kinds, kinds
from plugins.schema.model import ClassInfo, Property, Side

CLASSES = {"human": "thing", "politician": "human", "location": "thing", "city": "location", "film": "thing"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who directed Inception?", {"person"}),
        ("Where was she born?", {"place"}),
        ("Which city is the capital?", {"place"}),
        ("When did he die?", {"time"}),
        ("How old is she?", {"time"}),
        ("How many people live in Berlin?", {"quantity"}),
        ("Who won, and when?", {"person", "time"}),
        ("Name the films of Nolan.", set()),
        ("Whoever anywhere", set()),
        ("", set()),
    ],
)
def test_a_question_says_what_it_wants(question: str, expected: set[str]) -> None:
    assert kinds(question) == expected


def made(kind: str, *classes: str) -> Property:
    side = Side(classes=tuple(f"urn:{each}" for each in classes)) if classes else None
    return Property(id="p", iri="urn:p", kind=kind, range=side)


@pytest.fixture
def index_kinds() -> Kinds:
    draft = Draft("rdf", {"urn:": ""})
    draft.roots.add("urn:thing")
    draft.add_property(made("item", "human"))
    for name, above in CLASSES.items():
        draft.add_class(ClassInfo(iri=f"urn:{name}", id=name, label=name.capitalize()))
        draft.add_superclass(f"urn:{name}", f"urn:{above}")
    return Kinds(draft.index())


def test_dates_and_numbers_are_told_by_the_datatype(index_kinds: Kinds) -> None:
    assert index_kinds.fits(made("time"), "time")
    assert not index_kinds.fits(made("time"), "quantity")
    assert not index_kinds.fits(made("item", "human"), "time")


def test_persons_and_places_are_told_by_the_range_and_what_is_above_it(index_kinds: Kinds) -> None:
    assert index_kinds.fits(made("item", "politician"), "person")
    assert index_kinds.fits(made("item", "film", "city"), "place")
    assert not index_kinds.fits(made("item", "city"), "person")
    assert not index_kinds.fits(made("item", "film"), "place")
    assert not index_kinds.fits(made("item"), "person")
    assert not index_kinds.fits(made("item", "unheard of"), "person")
