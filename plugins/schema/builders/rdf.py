"""The schema of any RDF graph: RDFS, schema.org, OWL, SHACL and VoID, as far as they say what a property is for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from rdflib import OWL, RDF, RDFS, SH, SKOS, VOID, XSD, BNode, Graph, Literal, URIRef
from rdflib.term import Node

from plugins.schema.builders.answers import Answers
from plugins.schema.builders.expressions import classes_of
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.shapes import add_shapes
from plugins.schema.builders.sides import Sides, Where
from plugins.schema.builders.texts import LANGUAGES, Texts
from plugins.schema.builders.void import add_partitions
from plugins.schema.draft import Draft
from plugins.schema.model import ClassInfo, Property
from plugins.schema.shorthand import shorten
from proxy.results.terms import Solution, Term

_SCHEMA = ("http://schema.org/", "https://schema.org/")
_DOMAINS = (RDFS.domain, *(URIRef(space + "domainIncludes") for space in _SCHEMA))
_RANGES = (RDFS.range, *(URIRef(space + "rangeIncludes") for space in _SCHEMA))
_PROPERTY_TYPES = (RDF.Property, OWL.ObjectProperty, OWL.DatatypeProperty, OWL.AnnotationProperty)
_CLASS_TYPES = (RDFS.Class, OWL.Class)
_TEXTS = (RDFS.label, RDFS.comment, SKOS.prefLabel, SKOS.altLabel, SKOS.definition)
_TYPED = (*_PROPERTY_TYPES, *_CLASS_TYPES, OWL.Restriction, RDFS.Datatype, SH.NodeShape, SH.PropertyShape)
# Predicates that only a schema has; texts and types are asked for apart, since the data is full of them.
_SCHEMA_PREDICATES = (
    *_DOMAINS, *_RANGES, RDFS.subClassOf, OWL.equivalentClass, OWL.inverseOf, OWL.unionOf, OWL.intersectionOf,
    OWL.onProperty, OWL.someValuesFrom, OWL.allValuesFrom, OWL.onClass, OWL.onDataRange, OWL.complementOf, RDF.first,
    RDF.rest, SH.targetClass, SH.path, SH.property, SH["class"], SH.datatype, SH.nodeKind, SH["or"], SH["and"],
    SH.xone, SH.node, SH["in"], SH.inversePath, SH.name, SH.description, SH.deactivated, SH.severity, VOID["class"],
    VOID.classPartition, VOID.property, VOID.propertyPartition, VOID.entities, VOID.triples, VOID.distinctSubjects,
    VOID.subset, VOID.linkPredicate, VOID.subjectsTarget, VOID.objectsTarget,
)  # fmt: skip


def new_draft(prefixes: Mapping[str, str]) -> Draft:
    """Return a draft whose ids are written with the prefixes of the files or the profile."""
    spaces: dict[str, str] = {}
    for prefix, space in prefixes.items():
        if prefix:
            spaces.setdefault(space, f"{prefix}:")
    draft = Draft("rdf", spaces)
    draft.roots.update((str(OWL.Thing), str(RDFS.Resource)))
    return draft


async def read_schema(answers: Answers, draft: Draft, progress: Progress) -> None:
    """Read the schema's triples, and nothing else of the graph, into a draft."""
    graph = Graph()
    progress.part("schema triples")
    listed = ", ".join(f"<{iri}>" for iri in _SCHEMA_PREDICATES)
    for text in (
        # One query, since the labels of blank nodes hold within one answer only.
        f"SELECT ?s ?p ?o {{ ?s ?p ?o . FILTER(?p IN ({listed}) || (?p = <{RDF.type}> && ?o IN ({_iris(_TYPED)}))) }}",
        f"SELECT ?s ?p ?o {{ ?s a ?kind ; ?p ?o . FILTER(?kind IN ({_iris((*_PROPERTY_TYPES, *_CLASS_TYPES))})) "
        f"FILTER(?p IN ({_iris(_TEXTS)})) FILTER(isIRI(?s)) }}",
    ):
        for row in await answers.ask("schema", text):
            graph.add(_triple(row))
            progress.step()
    progress.end()
    await asyncio.to_thread(fill, graph, draft)


def fill(graph: Graph, draft: Draft) -> None:
    """Turn schema triples into records. Takes seconds on a large ontology: never on the event loop of a server."""
    sides = Sides()
    _declare(graph, sides, "domain", _DOMAINS)
    _declare(graph, sides, "range", _RANGES)
    add_shapes(graph, sides)
    add_partitions(graph, sides, draft)
    _add_classes(graph, draft)
    for each in _properties(graph, sides):
        draft.add_property(_record(graph, each, sides, draft.namespaces))


def _declare(graph: Graph, sides: Sides, where: Where, predicates: Sequence[URIRef]) -> None:
    """Add declared sides. Several of RDFS hold together, several of schema.org are a choice: the lenient reading."""
    for predicate in predicates:
        for subject, value in graph.subject_objects(predicate):
            if isinstance(subject, URIRef):
                sides.declare(subject, where, classes_of(graph, value))


def _add_classes(graph: Graph, draft: Draft) -> None:
    declared = {each for kind in _CLASS_TYPES for each in graph.subjects(RDF.type, kind) if isinstance(each, URIRef)}
    for below, above in graph.subject_objects(RDFS.subClassOf):
        if isinstance(below, URIRef):
            declared.add(below)
            for each in classes_of(graph, above, union=False):
                draft.add_superclass(str(below), each)
    for one, other in graph.subject_objects(OWL.equivalentClass):
        if isinstance(one, URIRef) and isinstance(other, URIRef):
            draft.add_superclass(str(one), str(other))
            draft.add_superclass(str(other), str(one))
    for iri in sorted(declared):
        texts = _texts(graph, iri)
        info = ClassInfo(
            iri=str(iri),
            id=shorten(str(iri), draft.namespaces),
            label=texts.label(LANGUAGES),
            description=texts.description(LANGUAGES),
        )
        draft.add_class(info)
        if not any(isinstance(each, URIRef) for each in graph.objects(iri, RDFS.subClassOf)):
            # A declared class without a superclass is right below the top.
            draft.add_superclass(str(iri), str(OWL.Thing))


def _properties(graph: Graph, sides: Sides) -> Sequence[URIRef]:
    typed = {each for kind in _PROPERTY_TYPES for each in graph.subjects(RDF.type, kind)}
    found = {each for each in typed | sides.properties() if isinstance(each, URIRef)}
    return sorted(found)


def _record(graph: Graph, iri: URIRef, sides: Sides, namespaces: Mapping[str, str]) -> Property:
    texts = _texts(graph, iri)
    inverse = graph.value(iri, OWL.inverseOf) or graph.value(predicate=OWL.inverseOf, object=iri)
    return Property(
        id=shorten(str(iri), namespaces),
        iri=str(iri),
        label=texts.label(LANGUAGES) or sides.label(iri),
        labels=texts.labels,
        description=texts.description(LANGUAGES),
        aliases=texts.other_names(LANGUAGES),
        kind=_kind(graph, iri, sides),
        domain=sides.side(iri, "domain"),
        range=sides.side(iri, "range"),
        inverse=shorten(str(inverse), namespaces) if isinstance(inverse, URIRef) else None,
        usage=sides.usage(iri),
    )


_NUMBERS = frozenset(
    str(XSD[name]) for name in ("integer", "decimal", "double", "float", "int", "long", "nonNegativeInteger", "short")
)
_TIMES = frozenset(str(XSD[name]) for name in ("date", "dateTime", "gYear", "gYearMonth", "time"))


def _kind(graph: Graph, iri: URIRef, sides: Sides) -> str:
    datatypes = sides.datatypes(iri)
    declared = sides.side(iri, "range")
    if datatypes and declared is not None:
        return "other"
    for kind, members in (("quantity", _NUMBERS), ("time", _TIMES), ("string", {str(XSD.string)})):
        if datatypes and datatypes <= members:
            return kind
    if datatypes:
        return "literal"
    if declared is not None or (iri, RDF.type, OWL.ObjectProperty) in graph:
        return "item"
    return "literal" if (iri, RDF.type, OWL.DatatypeProperty) in graph else ""


def _texts(graph: Graph, iri: URIRef) -> Texts:
    texts = Texts()
    for predicate in (RDFS.label, SKOS.prefLabel):
        for value in graph.objects(iri, predicate):
            texts.add_label(_literal(value))
    for predicate in (RDFS.comment, SKOS.definition):
        for value in graph.objects(iri, predicate):
            texts.add_description(_literal(value))
    for value in sorted(graph.objects(iri, SKOS.altLabel), key=str):
        texts.add_alias(_literal(value))
    return texts


def _literal(value: Node) -> Term:
    language = value.language if isinstance(value, Literal) else None
    return Term("literal", str(value), "", (language or "").lower().partition("-")[0])


def _iris(each: Sequence[URIRef]) -> str:
    return ", ".join(f"<{iri}>" for iri in each)


def _triple(row: Solution) -> tuple[Node, Node, Node]:
    subject, predicate, value = (_node(row[name]) for name in "spo")
    return subject, predicate, value


def _node(term: Term) -> Node:
    match term.kind:
        case "iri":
            return URIRef(term.value)
        case "blank":
            return BNode(term.value)
        case _:
            datatype = URIRef(term.datatype) if term.datatype else None
            return Literal(term.value, lang=term.language or None, datatype=datatype, normalize=False)
