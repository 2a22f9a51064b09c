"""What RDFS, schema.org, OWL, SHACL and VoID say of a property, from small ontologies."""

from __future__ import annotations

import time

import pytest
from rdflib import Graph

from plugins.schema.builders import rdf
from plugins.schema.index import Index
from plugins.schema.model import Property, Side

PREFIXES = """@prefix : <urn:e:> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix schema: <https://schema.org/> . @prefix void: <http://rdfs.org/ns/void#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""


def index(text: str) -> Index:
    graph = Graph()
    graph.parse(data=PREFIXES + text, format="turtle")
    draft = rdf.new_draft({"e": "urn:e:"})
    rdf.fill(graph, draft)
    return draft.index()


def one(text: str, name: str = "e:p") -> Property:
    found = index(text).property(name)
    assert found is not None
    return found


def names(side: Side | None) -> list[str]:
    return [] if side is None else [each.removeprefix("urn:e:") for each in side.classes]


def test_rdfs_with_texts() -> None:
    found = one(':p rdfs:domain :A ; rdfs:range :B ; rdfs:label "pe"@en ; rdfs:comment "what" ; skos:altLabel "pee" .')
    assert (names(found.domain), names(found.range)) == (["A"], ["B"])
    assert (found.id, found.label, found.description, found.aliases) == ("e:p", "pe", "what", ("pee",))
    assert found.kind == "item"
    assert found.domain is not None
    assert (found.domain.source, found.domain.status) == ("declared", "normal")


def test_schema_org_includes_are_a_choice() -> None:
    found = one(":p schema:domainIncludes :A, :B ; schema:rangeIncludes :C, xsd:string .")
    assert (names(found.domain), names(found.range)) == (["A", "B"], ["C"])


def test_owl_unions_intersections_and_what_cannot_be_read() -> None:
    union = "[ a owl:Class ; owl:unionOf ( :A [ owl:unionOf ( :B :C ) ] ) ]"
    assert names(one(f":p rdfs:domain {union} .").domain) == ["A", "B", "C"]
    both = "[ owl:intersectionOf ( :A [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom :B ] ) ]"
    assert names(one(f":p rdfs:domain {both} .").domain) == ["A"]
    # A union with a part that may be anything says nothing.
    restricted = "[ owl:unionOf ( :A [ a owl:Restriction ; owl:onProperty :q ; owl:someValuesFrom :B ] ) ]"
    assert one(f":p a owl:ObjectProperty ; rdfs:domain {restricted} .").domain is None
    assert one(":p a owl:ObjectProperty ; rdfs:domain owl:Thing .").domain is None
    assert one(":p a owl:ObjectProperty ; rdfs:domain [ owl:complementOf :A ] .").domain is None


def test_inverse_both_ways() -> None:
    text = ":p owl:inverseOf :q . :p a owl:ObjectProperty . :q a owl:ObjectProperty ."
    assert one(text).inverse == "e:q"
    assert one(text, "e:q").inverse == "e:p"


@pytest.mark.parametrize(
    ("range_", "kind"),
    [
        ("xsd:date", "time"),
        ("xsd:integer", "quantity"),
        ("xsd:string", "string"),
        ("xsd:anyURI", "literal"),
        (":B", "item"),
    ],
)
def test_kinds_by_range(range_: str, kind: str) -> None:
    assert one(f":p rdfs:range {range_} .").kind == kind


def test_a_declared_range_beside_literals_is_neither_items_nor_literals() -> None:
    assert one(":p schema:rangeIncludes :B, xsd:date .").kind == "other"


def test_shacl_suggests() -> None:
    text = """:S a sh:NodeShape ; sh:targetClass :A ;
  sh:property [ sh:path :p ; sh:class :B ; sh:name "pe" ] , [ sh:path :d ; sh:datatype xsd:date ] ,
    [ sh:path :o ; sh:or ( [ sh:class :B ] [ sh:class :C ] ) ] , [ sh:path [ sh:inversePath :i ] ; sh:class :B ] ,
    [ sh:path :off ; sh:deactivated true ] , [ sh:path :lit ; sh:nodeKind sh:Literal ] ;
  sh:or ( [ sh:property [ sh:path :x ] ] [ sh:path :y ; sh:class :C ] ) .
:T a sh:NodeShape ; sh:targetClass :Z ; sh:property [ sh:path :p ; sh:node [ sh:targetClass :C ] ] ."""
    found = index(text)

    def sides(name: str) -> tuple[list[str], list[str]]:
        record = found.property(name)
        assert record is not None
        return names(record.domain), names(record.range)

    assert sides("e:p") == (["A", "Z"], ["B", "C"])
    assert sides("e:o") == (["A"], ["B", "C"])
    assert sides("e:i") == (["B"], ["A"])
    assert sides("e:x") == (["A"], [])
    assert sides("e:y") == (["A"], ["C"])
    assert found.property("e:off") is None
    kinds = {name: record.kind for name in ("e:d", "e:lit") if (record := found.property(name))}
    assert kinds == {"e:d": "time", "e:lit": "literal"}
    record = found.property("e:p")
    assert record is not None
    assert record.domain is not None
    # A shape forbids nothing to other classes: it may never accuse.
    assert (record.label, record.domain.status) == ("pe", "suggestion")


def test_a_declaration_beats_a_shape() -> None:
    found = one(":p rdfs:domain :A . :S sh:targetClass :B ; sh:property [ sh:path :p ] .")
    assert names(found.domain) == ["A"]
    assert found.domain is not None
    assert found.domain.status == "normal"


def test_void_counts_sides_usage_and_evidence() -> None:
    text = """:d void:classPartition
  [ void:class :A ; void:entities 100 ; void:propertyPartition [ void:property :p ; void:triples 90 ;
      void:distinctSubjects 60 ; void:classPartition [ void:class :B ; void:triples 90 ] ] ] ,
  [ void:class :C ; void:entities 50 ; void:propertyPartition [ void:property :p ; void:triples 5 ] ] ;
  void:propertyPartition [ void:property :p ; void:triples 97 ] ."""
    found = index(text)
    record = found.property("e:p")
    assert record is not None
    assert record.domain is not None
    assert (names(record.domain), names(record.range)) == (["A"], ["B"])
    assert (record.domain.source, record.domain.support, record.domain.share) == ("induced", 95, 0.947)
    assert record.usage == 97
    assert found.evidence("urn:e:A", "e:p") == (60, 100)
    assert found.evidence("urn:e:C", "e:p") == (5, 50)


def test_a_linkset_gives_the_range() -> None:
    text = """:l void:linkPredicate :p ; void:triples 9 ; void:objectsTarget [ void:class :B ; void:entities 3 ] ."""
    assert names(one(text).range) == ["B"]


def test_classes_are_below_the_top_and_equal_ones_below_each_other() -> None:
    found = index(
        ":A a owl:Class ; rdfs:label 'a class' . :B rdfs:subClassOf :A . :C owl:equivalentClass :A . "
        ":D rdfs:subClassOf [ owl:intersectionOf ( :A :B ) ] . :E rdfs:subClassOf [ owl:unionOf ( :A :B ) ] . "
        ":p rdfs:domain :Never ."
    ).hierarchy
    top = "http://www.w3.org/2002/07/owl#Thing"
    for name in "ABCDE":
        assert found.known(f"urn:e:{name}"), name
        assert found.is_under(f"urn:e:{name}", top)
    assert found.is_under("urn:e:D", "urn:e:B")
    assert not found.is_under("urn:e:E", "urn:e:A")
    assert found.is_under("urn:e:A", "urn:e:C")
    assert not found.known("urn:e:Never")


def test_hostile_lists_and_depth_end() -> None:
    started = time.perf_counter()
    cyclic = "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . _:l rdf:first :A ; rdf:rest _:l . "
    assert names(one(cyclic + ":p rdfs:domain [ owl:unionOf _:l ] .").domain) == ["A"]
    deep = ":A"
    for _ in range(25):
        deep = f"[ owl:unionOf ( {deep} ) ]"
    assert one(f":p a owl:ObjectProperty ; rdfs:domain {deep} .").domain is None
    own = "_:u owl:unionOf ( _:u :A ) . :p a owl:ObjectProperty ; rdfs:domain _:u ."
    assert one(own).domain is None
    shape = "_:s sh:targetClass :A ; sh:node _:s ; sh:property [ sh:path :p ; sh:class :B ] ."
    assert names(one(shape).domain) == ["A"]
    assert time.perf_counter() - started < 5
