"""Labels that look alike: the nearest first, none that shares too little, read in steps by several at once."""

from __future__ import annotations

from collections.abc import Generator

from plugins.schema.model import Property
from plugins.schema.trigrams import Trigrams, label_trigrams

LABELS = {
    "P1": "date of birth",
    "P2": "date of death",
    "P3": "birthday",
    "P4": "element symbol",
    "P5": "",
    "P6": "ÖFFENTLICHE Straße",
}


def properties() -> Generator[Property, None, None]:
    for name, label in LABELS.items():
        yield Property(id=name, iri=f"http://e.org/{name}", label=label)
    yield Property(id="P7", iri="http://e.org/P7", label="date of birth", kind="external-id")


def nearest(labels: Trigrams, text: str, least: float = 0.3, most: int = 10) -> list[str]:
    for _ in labels.growing():
        pass
    steps = labels.nearest(text, least, most)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return list(end.value)


def test_the_nearest_come_first_and_nothing_that_shares_too_little() -> None:
    assert nearest(Trigrams(properties()), "date of birth") == ["P1", "P2", "P3"]
    assert nearest(Trigrams(properties()), "date of birth", most=1) == ["P1"]
    assert nearest(Trigrams(properties()), "date of birth", least=0.9) == ["P1"]
    assert nearest(Trigrams(properties()), "population", least=0.5) == []


def test_case_and_white_space_are_folded_and_no_label_is_like_none() -> None:
    labels = Trigrams(properties())
    assert nearest(labels, "  öffentliche   STRASSE ") == ["P6"]
    assert nearest(labels, "", least=0.0) == []
    assert label_trigrams(" \n") == frozenset()


def test_two_that_read_by_turns_leave_nothing_out() -> None:
    labels = Trigrams(properties())
    one, other = labels.growing(), labels.growing()
    while next(one, StopIteration) is None and next(other, StopIteration) is None:
        pass
    assert nearest(labels, "date of birth") == ["P1", "P2", "P3"]


def test_who_leaves_before_the_end_is_followed_by_the_next() -> None:
    labels = Trigrams(properties())
    next(labels.growing())
    assert nearest(labels, "date of birth") == ["P1", "P2", "P3"]
