"""Profiles of graphs that are built in; a `[graphs.NAME]` table of the same name adds to one."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.settings import Graph
from proxy.syntax import Prefixes

_RDF = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
}

_WD = "http://www.wikidata.org/"

# The prefixes that the Wikidata Query Service knows without a PREFIX line.
# Source: Wikibase RDF dump format, "Prefixes used".
_WIKIDATA = {
    **_RDF,
    "wd": f"{_WD}entity/",
    "wds": f"{_WD}entity/statement/",
    "wdv": f"{_WD}value/",
    "wdref": f"{_WD}reference/",
    "wdt": f"{_WD}prop/direct/",
    "wdtn": f"{_WD}prop/direct-normalized/",
    "p": f"{_WD}prop/",
    "ps": f"{_WD}prop/statement/",
    "psv": f"{_WD}prop/statement/value/",
    "psn": f"{_WD}prop/statement/value-normalized/",
    "pq": f"{_WD}prop/qualifier/",
    "pqv": f"{_WD}prop/qualifier/value/",
    "pqn": f"{_WD}prop/qualifier/value-normalized/",
    "pr": f"{_WD}prop/reference/",
    "prv": f"{_WD}prop/reference/value/",
    "prn": f"{_WD}prop/reference/value-normalized/",
    "wdno": f"{_WD}prop/novalue/",
    "wdata": f"{_WD}wiki/Special:EntityData/",
    "wikibase": "http://wikiba.se/ontology#",
    "schema": "http://schema.org/",
    "prov": "http://www.w3.org/ns/prov#",
    "geo": "http://www.opengis.net/ont/geosparql#",
    "geof": "http://www.opengis.net/def/geosparql/function/",
    "cc": "http://creativecommons.org/ns#",
    "dct": "http://purl.org/dc/terms/",
    "ontolex": "http://www.w3.org/ns/lemon/ontolex#",
    "mwapi": "https://www.mediawiki.org/ontology#API/",
    "mediawiki": "https://www.mediawiki.org/ontology#",
    "gas": "http://www.bigdata.com/rdf/gas#",
    "bd": "http://www.bigdata.com/rdf#",
    "bds": "http://www.bigdata.com/rdf/search#",
    "hint": "http://www.bigdata.com/queryHints#",
}

_FREEBASE = {
    **_RDF,
    "ns": "http://rdf.freebase.com/ns/",
    "fb": "http://rdf.freebase.com/ns/",
    "key": "http://rdf.freebase.com/key/",
}

BUILT_IN: Mapping[str, Graph] = {
    "rdf": Graph(prefixes=_RDF),
    "wikidata": Graph(prefixes=_WIKIDATA),
    "freebase": Graph(prefixes=_FREEBASE),
}


def profiles(configured: Mapping[str, Graph]) -> Mapping[str, Graph]:
    """Return the built-in profiles with the configured ones laid over them."""
    known = dict(BUILT_IN)
    for name, graph in configured.items():
        base = known.get(name, BUILT_IN["rdf"])
        known[name] = Graph(prefixes={**base.prefixes, **graph.prefixes})
    return {name: Graph(prefixes=Prefixes(graph.prefixes)) for name, graph in known.items()}
