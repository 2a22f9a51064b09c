"""Small graphs for tests of the search, and indexes that are built from them."""

from __future__ import annotations

import io
from pathlib import Path

import tantivy

from plugins.schema.builders.progress import Progress
from plugins.search.building import build
from plugins.search.folder import unsealed
from plugins.search.index import Index
from plugins.search.profile import profile
from plugins.search.sources import Files

WD = "http://www.wikidata.org/entity/"

WIKIDATA = """
@prefix wd: <http://www.wikidata.org/entity/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix wikibase: <http://wikiba.se/ontology#> .

wd:Q64 rdfs:label "Berlin"@en, "Berlin"@de, "Берлин"@ru, "柏林"@zh ; wikibase:sitelinks 300 ;
  schema:description "capital of Germany"@en, "Hauptstadt Deutschlands"@de ; wdt:P31 wd:Q515 ; wdt:P17 wd:Q183 .
wd:Q821244 rdfs:label "Berlin"@en ; schema:description "city in New Hampshire"@en ; wikibase:sitelinks 40 .
wd:Q821244 wdt:P31 wd:Q515 .
wd:Q5086 rdfs:label "Berlin Wall"@en, "Berliner Mauer"@de ; wikibase:sitelinks 150 .
wd:Q99 rdfs:label "Berlim"@en ; wikibase:sitelinks 1000 .
wd:Q183 rdfs:label "Germany"@en, "Deutschland"@de, "Германия"@ru, "德国"@zh ; skos:altLabel "FRG"@en .
wd:Q183 wikibase:sitelinks 400 .
wd:Q30 rdfs:label "United States"@en, "美国"@zh ; skos:altLabel "US"@en, "USA"@en, "America"@en .
wd:Q30 wikibase:sitelinks 500 .
wd:Q7 rdfs:label "Us"@en ; schema:description "film of 2019"@en ; wikibase:sitelinks 20 .
wd:Q11696 rdfs:label "President of the United States"@en, "美国总统"@zh ; wikibase:sitelinks 200 .
wd:Q1860 rdfs:label "Müller-Łódź"@de ; wikibase:sitelinks 3 .
wd:Q42 rdfs:label "O\u2019Brien"@en ; wikibase:sitelinks 4 .
wd:Q43 rdfs:label "C++"@en ; wikibase:sitelinks 5 .
wd:Q44 rdfs:label "C"@en ; wikibase:sitelinks 2 .
wd:Q45 rdfs:label "Albert Einstein"@en, "Альберт Эйнштейн"@ru ; wikibase:sitelinks 280 .
wd:Q46 rdfs:label "ルートヴィヒ・ヴァン・ベートーヴェン"@ja, "Ludwig van Beethoven"@mul ; wikibase:sitelinks 250 .
wd:Q47 rdfs:label "กรุงเทพมหานคร"@th, "방콕"@ko, "Bangkok"@en ; wikibase:sitelinks 210 .
wd:Q48 rdfs:label "colour"@en-gb ; skos:altLabel "color"@en ; wikibase:sitelinks 90 .
wd:Q515 rdfs:label "city"@en, "Stadt"@de ; wikibase:sitelinks 120 ; wdt:P279 wd:Q486972 .
wd:Q486972 rdfs:label "human settlement"@en .
wd:P17 a wikibase:Property ; rdfs:label "country"@en, "Staat"@de ; skos:altLabel "land"@en .
wd:P31 a wikibase:Property ; rdfs:label "instance of"@en ; skos:altLabel "is a"@en .
wd:Q6256 rdfs:label "country"@en ; wikibase:sitelinks 1 .
"""

RDF = """
@prefix ex: <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .

ex:ada foaf:name "Ada Lovelace" ; rdf:type ex:Person ; ex:birthPlace ex:london .
ex:london rdfs:label "London"@en ; skos:altLabel "The Smoke"@en ; rdfs:comment "a capital"@en .
ex:concept skos:prefLabel "computing"@en .
ex:book dct:title "Notes on the Engine" .
ex:Person a owl:Class ; rdfs:label "person"@en .
ex:wrote a owl:ObjectProperty ; rdfs:label "wrote"@en .
"""

FREEBASE = """
@prefix ns: <http://rdf.freebase.com/ns/> .

ns:m.02mjmr ns:type.object.name "Barack Obama"@en ; ns:common.topic.alias "Obama"@en ;
  ns:type.object.type ns:people.person ; ns:people.person.gender ns:m.05zppz .
ns:m.05zppz ns:type.object.name "Male"@en .
ns:base.svocab.person.height ns:type.object.name "Height"@en .
ns:base.svocab.person ns:type.object.name "Vocabulary person"@en .
ns:m.02mjmr ns:people.person.place_of_birth ns:m.05zppz .
ns:people.person ns:type.object.name "Person"@en .
ns:people.person.gender ns:type.object.name "Gender"@en ; ns:type.object.type ns:type.property .
"""


async def built(folder: Path, turtle: str, graph: str) -> Index:
    """Build an index from a text in Turtle."""
    source = folder / "graph.ttl"
    source.write_text(turtle, encoding="utf-8")
    return await built_from(folder / "index", [source], graph)


async def built_from(out: Path, paths: list[Path], graph: str) -> Index:
    """Build an index from files."""
    files = Files(paths)
    await build(files, profile(graph).extended(prefixes=files.prefixes()), out, Progress(io.StringIO()))
    return Index.open(out, graph)


def contents(out: Path) -> list[bytes]:
    """Return every record of an index as it is stored, in the order of its bytes."""
    searcher = tantivy.Index.open(str(unsealed(out).folder)).searcher()
    hits = searcher.search(tantivy.Query.all_query(), searcher.num_docs, False).hits
    return sorted(bytes(searcher.doc(place).get_first("record") or b"") for _, place in hits)
