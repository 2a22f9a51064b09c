"""What a model may call a thing or a property."""

from __future__ import annotations

import pytest

from plugins.nl.strategies.saga.names import any_property, declared_property, entity
from plugins.nl.tools import Knowledge
from proxy.graphs import BUILT_IN
from tests.saga import WD
from tests.unit.nl.saga.conftest import NoSearch


@pytest.mark.parametrize(
    "argument",
    ["Q76", "wd:Q76", " wd:Q76 ", f"<{WD}Q76>", f"{WD}Q76", "Barack Obama (Q76)", "Barack Obama (wd:Q76)", '"Q76"'],
)
def test_a_thing_by_its_id(knowledge: Knowledge, argument: str) -> None:
    assert entity(argument, knowledge) == f"{WD}Q76"


@pytest.mark.parametrize("argument", ["", "Barack Obama", "foo:bar", "Q", "http://", "xQ76y", "<http://a b>"])
def test_what_is_no_id(knowledge: Knowledge, argument: str) -> None:
    assert entity(argument, knowledge) in (None, "http://a")


@pytest.mark.parametrize("argument", ["P57", "wdt:P57", "wd:P57", "p:P57", f"<{WD}P57>", "director (P57)"])
def test_a_property_by_any_of_its_variants(knowledge: Knowledge, argument: str) -> None:
    record = declared_property(argument, knowledge)
    assert record is not None
    assert record.id == "P57"


def test_a_property_that_no_schema_has_is_one_all_the_same(knowledge: Knowledge) -> None:
    assert declared_property("P99999", knowledge) is None
    record = any_property("P99999", knowledge)
    assert record is not None
    assert record.id == "P99999"
    assert any_property("Q76", knowledge) is None
    assert any_property("director", knowledge) is None


@pytest.mark.parametrize("argument", ["m.02mjmr", "ns:m.02mjmr", "Barack Obama (m.02mjmr)"])
def test_the_names_of_freebase(argument: str) -> None:
    prefixes = BUILT_IN["freebase"].prefixes
    freebase = Knowledge(endpoint="fb", graph="freebase", prefixes=prefixes, searcher=NoSearch())
    assert entity(argument, freebase) == "http://rdf.freebase.com/ns/m.02mjmr"
