"""The index: what is written is read again, by every name it has."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.schema.draft import Draft
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, Property, Side
from tests.unit.schema.small import WD, draft

W = "http://www.wikidata.org/"
VARIANTS = {
    "entity/": "entity",
    "prop/direct/": "direct",
    "prop/direct-normalized/": "direct_normalized",
    "prop/": "claim",
    "prop/statement/": "statement",
    "prop/statement/value/": "statement_value",
    "prop/statement/value-normalized/": "statement_normalized",
    "prop/qualifier/": "qualifier",
    "prop/qualifier/value/": "qualifier_value",
    "prop/qualifier/value-normalized/": "qualifier_normalized",
    "prop/reference/": "reference",
    "prop/reference/value/": "reference_value",
    "prop/reference/value-normalized/": "reference_normalized",
    "prop/novalue/": "no_value",
}


def test_a_property_comes_back_as_it_was_written() -> None:
    made = draft()
    index = made.index()
    assert {each.iri: each for each in index.properties()} == made.properties
    assert index.property("P569") == made.properties[f"{WD}P569"]


@pytest.mark.parametrize(("space", "role"), VARIANTS.items())
def test_every_variant_is_the_one_property_and_tells_its_role(space: str, role: str) -> None:
    index = draft().index()
    found = index.role_of(f"{W}{space}P569")
    assert found is not None
    assert (found[0].id, found[1]) == ("P569", role)
    assert index.property(f"{W}{space}P569") is found[0]


@pytest.mark.parametrize(
    "iri", [f"{W}prop/direct/P999", f"{W}prop/direct/", f"{W}elsewhere/P569", "P569x", "", f"{W}prop/direct/{WD}P569"]
)
def test_other_iris_are_no_property(iri: str) -> None:
    assert draft().index().role_of(iri) is None
    assert draft().index().property(iri) is None


def test_an_id_alone_has_no_role_but_names_its_property() -> None:
    index = draft().index()
    assert index.role_of("P569") is None
    assert index.property("P569") is not None


def test_without_a_statement_model_a_property_is_direct() -> None:
    made = Draft("rdf", {"http://e.org/": "e:"})
    made.add_property(Property(id="e:p", iri="http://e.org/p"))
    index = made.index()
    assert index.role_of("http://e.org/p") == (made.properties["http://e.org/p"], "direct")
    assert index.role_of("e:p") is None
    assert index.property("e:p") is not None


def test_classes_by_id_and_iri() -> None:
    index = draft().index()
    human = ClassInfo(iri=f"{WD}Q5", id="Q5", label="human", description="what human is")
    assert index.class_info("Q5") == index.class_info(f"{WD}Q5") == human
    lost = index.class_info("Q700")
    assert lost is not None
    assert lost.mediator
    assert index.class_info("Q35120") == ClassInfo(iri=f"{WD}Q35120", id="Q35120")
    assert index.class_info("Q0") is None
    assert {each.id for each in index.classes()} == {"Q5", "Q215627", "Q11424", "Q35120", "Q900", "Q901", "Q700"}


def test_evidence_is_zero_where_a_class_was_counted_and_none_where_not() -> None:
    index = draft().index()
    assert index.evidence(f"{WD}Q5", "P569") == (15, 20)
    assert index.evidence(f"{WD}Q5", "P57") == (0, 20)
    assert index.evidence(f"{WD}Q11424", "P57") is None
    assert index.evidence(f"{WD}Q5", "P0") is None
    assert [(record.id, count) for record, count in index.typical(f"{WD}Q5")] == [("P569", 15)]
    assert list(index.typical(f"{WD}Q11424")) == []


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("date of birth", ["P569"]),
        ("DATE  of Birth", ["P569"]),
        ("dob", ["P569"]),
        ("Geburtsdatum", ["P569"]),
        ("出生日期", ["P569"]),
        ("date of", ["P569", "P570"]),
        ("P57", ["P57"]),
        ("birth director", []),
        ("", []),
        ("=director", ["P57"]),
    ],
)
def test_find(text: str, ids: list[str]) -> None:
    assert [each.id for each in draft().index().find(text)] == ids


def test_age_and_parts_apart(tmp_path: Path) -> None:
    made = draft()
    assert not made.index().parts_apart()
    made.dates = {"hierarchy": "2021-02-15", "constraints": "2026-07-01"}
    made.write(tmp_path / "index")
    index = Index.open(tmp_path / "index")
    assert index.parts_apart()
    assert index.dates["hierarchy"] == datetime.date(2021, 2, 15)
    day = datetime.timedelta(days=1)
    assert (
        index.aged(1, index.built + 2 * day) == f"the schema index is of {index.built:%Y-%m-%d}, more than 1 days old"
    )
    assert index.aged(2, index.built + 2 * day) == index.aged(365, index.built) == ""
    index.close()


def test_counts_say_what_is_inside() -> None:
    counts = draft().index().counts
    assert counts["properties"] == 3
    assert counts["with_domain"] == 2
    assert counts["with_range"] == 0
    assert counts["with_induced_side"] == 1
    assert counts["evidence_pairs"] == 1


def test_a_property_with_five_thousand_domain_classes_and_a_class_of_its_own() -> None:
    made = draft()
    many = tuple(f"{WD}Q{number}" for number in range(10_000, 15_000))
    made.add_property(Property(id="P1", iri=f"{WD}P1", domain=Side(classes=many)))
    found = made.index().property("P1")
    assert found is not None
    assert found.domain is not None
    assert found.domain.classes == many


text = st.text(max_size=40)


@given(label=text, description=text, aliases=st.lists(text, max_size=3), usage=st.integers(0, 2**40))
def test_any_text_survives(label: str, description: str, aliases: list[str], usage: int) -> None:
    made = draft()
    record = replace(
        made.properties[f"{WD}P569"], label=label, description=description, aliases=tuple(aliases), usage=usage
    )
    made.add_property(record)
    info = ClassInfo(iri=f"{WD}Q5", id="Q5", label=label.replace("\0", ""), description=description.replace("\0", ""))
    made.add_class(info)
    index = made.index()
    assert index.property("P569") == record
    assert index.class_info("Q5") == info


def test_half_a_surrogate_from_a_broken_graph_does_no_harm() -> None:
    made = draft()
    made.add_property(Property(id="P1", iri=f"{WD}P1", label="half \ud800"))
    assert made.index().property("P1").label == "half ?"  # type: ignore[union-attr]
    assert made.index().property("\ud800") is None
