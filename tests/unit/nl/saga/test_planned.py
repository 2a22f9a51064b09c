"""What a query says of its variables, read against a schema."""

from __future__ import annotations

import pytest

from plugins.nl.strategies.saga.planned import Plan, planned
from plugins.nl.tools import Knowledge
from proxy.syntax import read
from tests.saga import WD


def plan(knowledge: Knowledge, body: str) -> Plan:
    return planned(read(f"SELECT * {{ {body} }}", prefixes=knowledge.prefixes), knowledge)


def short(found: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    return {name: [each.removeprefix(WD) for each in types] for name, types in found.items()}


@pytest.mark.parametrize(
    "body",
    [
        "?x wdt:P31 wd:Q5",
        "?x wdt:P31/wdt:P279* wd:Q5",
        "?x p:P31/ps:P31 wd:Q5",
        "?x wdt:P31 ?t VALUES ?t { wd:Q5 }",
        "OPTIONAL { ?x wdt:P31 wd:Q5 }",
        "{ SELECT ?x { ?x wdt:P31 wd:Q5 } }",
    ],
)
def test_explicit_types(knowledge: Knowledge, body: str) -> None:
    assert short(plan(knowledge, body).patterns) == {"?x": ["Q5"]}


@pytest.mark.parametrize(
    ("body", "types"),
    [
        ("wd:Q142 wdt:P36 ?c", {"?c": ["Q515"]}),
        ("?s wdt:P36 ?c", {"?c": ["Q515"], "?s": ["Q6256"]}),
        ("?c ^wdt:P36 wd:Q142", {"?c": ["Q515"]}),
        ("wd:Q236 wdt:P35/wdt:P19 ?c", {"?c": ["Q515"]}),
        ("wd:Q236 wdt:P35 ?p . ?p wdt:P19 ?c", {"?p": ["Q5"], "?c": ["Q515"]}),
        ("wd:Q142 p:P36 ?s . ?s ps:P36 ?c", {"?c": ["Q515"]}),
        ("wd:Q142 (wdt:P36|wdt:P159) ?c", {"?c": ["Q515"]}),
    ],
)
def test_types_along_the_path(knowledge: Knowledge, body: str, types: dict[str, list[str]]) -> None:
    assert short(plan(knowledge, body).schema) == types


def test_what_other_endpoints_match_says_nothing(knowledge: Knowledge) -> None:
    assert plan(knowledge, "SERVICE <http://e.org/> { ?s wdt:P36 ?c }").schema == {}


def test_properties_with_the_things_that_they_stand_on(knowledge: Knowledge) -> None:
    found = plan(knowledge, "wd:Q142 wdt:P36 ?c . VALUES ?x { wd:Q183 } ?x wdt:P1082 ?n . ?c wdt:P31 wd:Q515")
    assert set(found.properties) == {"P36", "P1082"}
    assert [(iri.removeprefix(WD), record.id) for iri, record in found.subjects] == [("Q142", "P36"), ("Q183", "P1082")]


def test_a_property_that_no_schema_has_leads_anywhere(knowledge: Knowledge) -> None:
    found = plan(knowledge, "wd:Q142 wdt:P99999 ?x ; wdt:P36 ?c ; wdt:P571 ?d")
    assert {name: record.id for name, record in found.unranged.items()} == {"?x": "P99999"}


def test_text_that_is_only_partly_read_still_says_something(knowledge: Knowledge) -> None:
    syntax = read("SELECT * { wd:Q142 wdt:P36 ?c . GIBBERISH", prefixes=knowledge.prefixes)
    assert short(planned(syntax, knowledge).schema) == {"?c": ["Q515"]}
