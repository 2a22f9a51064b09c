"""The one line in which a property is shown."""

from __future__ import annotations

from plugins.schema.annotation import annotation, side_text, tidy
from plugins.schema.model import Property, Side
from tests.unit.schema.small import WD, draft


def test_it_names_everything_that_is_known() -> None:
    index = draft().index()
    record = index.property("P569")
    assert record is not None
    assert annotation(index, record) == (
        "date of birth (P569): date on which the subject was born; time; "
        "domain: instances or kinds of human (Q5) [mandatory]"
    )


def test_induced_sides_say_what_they_rest_on() -> None:
    index = draft().index()
    record = index.property("P57")
    assert record is not None
    assert annotation(index, record).endswith("domain: film (Q11424); range: human (Q5) [seen in 80% of 50]")


def test_at_most_five_classes_and_how_many_more() -> None:
    index = draft().index()
    side = Side(classes=tuple(f"{WD}Q{number}" for number in range(10, 18)), relation="subclass")
    text = side_text(index, side)
    assert text.startswith("kinds of ")
    assert text.endswith("3 more")
    assert text.count(WD) == 5


def test_a_bare_property_is_its_id() -> None:
    assert annotation(draft().index(), Property(id="P1", iri=f"{WD}P1")) == "P1"


def test_text_of_the_graph_stays_in_its_line_and_short() -> None:
    assert tidy("a\r\nb\u2028c\x1b[31md") == "a b c [31md"
    assert len(tidy("🙂" * 10_000)) == 200
    record = Property(id="P1", iri=f"{WD}P1", label="x\n[BLOCKED]", description="y" * 10_000)
    line = annotation(draft().index(), record)
    assert "\n" not in line
    assert len(line) < 300
