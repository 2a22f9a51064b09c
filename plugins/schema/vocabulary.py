"""How a graph says type, superclass and label, by the name of its profile."""

from __future__ import annotations

from dataclasses import dataclass

_RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_WD = "http://www.wikidata.org/"
_NS = "http://rdf.freebase.com/ns/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """The IRIs that a look-up needs.

    Shapes: ``statement_type`` are the two steps that say type by a statement, empty where there is no statement model;
    ``properties``, ``entities`` and ``statements`` are namespaces, empty where a graph has no rule for its IRIs.
    """

    types: tuple[str, ...] = (_RDF_TYPE,)
    superclasses: tuple[str, ...] = (_RDFS + "subClassOf",)
    labels: tuple[str, ...] = (_RDFS + "label",)
    statement_type: tuple[str, ...] = ()
    properties: str = ""
    entities: str = ""
    statements: str = ""

    def is_entity(self, iri: str) -> bool:
        """Whether an IRI is by its form that of an entity, and not of a statement."""
        return bool(self.entities) and iri.startswith(self.entities) and not iri.startswith(self.statements)


_GRAPHS = {
    "wikidata": Vocabulary(
        types=(_WD + "prop/direct/P31",),
        superclasses=(_WD + "prop/direct/P279",),
        statement_type=(_WD + "prop/P31", _WD + "prop/statement/P31"),
        properties=_WD + "prop/",
        entities=_WD + "entity/",
        statements=_WD + "entity/statement/",
    ),
    "freebase": Vocabulary(
        types=(_NS + "type.object.type", _RDF_TYPE),
        superclasses=(),
        labels=(_NS + "type.object.name", _RDFS + "label"),
    ),
}


def vocabulary(graph: str) -> Vocabulary:
    """Return the vocabulary of a profile; that of RDF where it has none of its own."""
    return _GRAPHS.get(graph, Vocabulary())
