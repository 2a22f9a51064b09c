"""What to use instead: close in meaning, fitting, on the entity; never what conflicts."""

from __future__ import annotations

import pytest

from plugins.schema.fit import Entity, Subject, Typed
from plugins.schema.model import Property
from plugins.schema.suggestions import Adviser, Wanted, closeness
from tests.unit.schema.demo_schema import DIRECT, demo_draft, demo_index, item


def prop(name: str) -> Property:
    found = demo_index().property(name)
    assert found is not None
    return found


def ids(name: str, subject: Subject | None = None, *present: str) -> list[str]:
    here = frozenset(DIRECT + each for each in present)
    return [
        each.name.id
        for each in Adviser(demo_index()).suggestions(Wanted(property=prop(name), subject=subject, present=here))
    ]


COUNTRY = Entity(iri=item("Q142"), classes=(item("Q3624078"),))
HUMAN = Typed(classes=(item("Q5"),))


def test_a_date_of_another_kind_is_proposed_for_a_country() -> None:
    found = ids("P569", COUNTRY)
    assert "P571" in found
    assert "P569" not in found
    # It fits people only, however close it is.
    assert "P570" not in found


def test_what_stands_on_the_entity_goes_first() -> None:
    assert ids("P2044", HUMAN)[0] == "P2048"
    assert ids("P569", COUNTRY, "P571")[0] == "P571"
    found = Adviser(demo_index()).suggestions(Wanted(property=prop("P569"), present=frozenset({DIRECT + "P571"})))
    assert found[0].why == "on this entity, also a date"


def test_there_are_three_at_most_and_none_where_nothing_is_close() -> None:
    for each in demo_index().properties():
        assert len(ids(each.id, COUNTRY)) <= 3
    assert ids("P246", COUNTRY) == []


def test_closeness_is_symmetric_and_knows_aliases() -> None:
    assert closeness(prop("P569"), prop("P569")) == 1.0
    assert closeness(prop("P19"), prop("P569")) == closeness(prop("P569"), prop("P19")) > 0.3
    assert closeness(prop("P569"), prop("P246")) < 0.35


def test_a_label_that_is_spelt_alike_is_close_without_a_common_word() -> None:
    made = demo_draft()
    made.add_property(Property(id="P9001", iri=item("P9001"), label="populational", kind="quantity"))
    made.add_property(Property(id="P9002", iri=item("P9002"), label="xylograph quartz", kind="quantity"))
    wrong = Property(id="P9003", iri=item("P9003"), label="depopulations", kind="quantity")
    made.add_property(wrong)
    found = [each.name.id for each in Adviser(made.index()).suggestions(Wanted(property=wrong))]
    assert "P9001" in found
    assert "P9002" not in found


@pytest.mark.parametrize("label", ["zzyzx", "Q", "", "漢字", "🦔" * 50, "of the", "x" * 5_000])
def test_nothing_is_advised_for_a_name_unlike_all_others(label: str) -> None:
    wrong = Property(id="P9003", iri=item("P9003"), label=label, kind="quantity")
    assert Adviser(demo_index()).suggestions(Wanted(property=wrong, subject=COUNTRY)) == ()


def test_two_that_prepare_by_turns_advise_the_same() -> None:
    adviser = Adviser(demo_index())
    wanted = [Wanted(property=prop(name), subject=COUNTRY) for name in ("P569", "P19")]
    steps = [adviser.preparing(each) for each in wanted]
    while steps:
        steps = [each for each in steps if next(each, StopIteration) is None]
    alone = [Adviser(demo_index()).suggestions(each) for each in wanted]
    assert [adviser.suggestions(each) for each in wanted] == alone
