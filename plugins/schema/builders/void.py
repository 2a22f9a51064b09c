"""VoID: class and property partitions and linksets, which are counts of what is in a graph.

Source: https://www.w3.org/TR/void/ section 4.5.
"""

from __future__ import annotations

from collections import defaultdict

from rdflib import VOID, Graph, URIRef
from rdflib.term import Node

from plugins.schema.builders.counts import number
from plugins.schema.builders.sides import Sides
from plugins.schema.draft import Draft


def add_partitions(graph: Graph, sides: Sides, draft: Draft) -> None:
    """Add counted sides, usage, and how many instances of a class have a property."""
    classes = {part: str(name) for part, name in graph.subject_objects(VOID["class"]) if isinstance(name, URIRef)}
    instances: dict[str, int] = defaultdict(int)
    pairs: dict[tuple[str, str], int] = defaultdict(int)
    inner: set[Node] = set()
    for partition, class_iri in sorted(classes.items()):
        draft.number(class_iri)
        instances[class_iri] += _count(graph, partition, VOID.entities) or 0
        for part in graph.objects(partition, VOID.propertyPartition):
            inner.add(part)
            iri = graph.value(part, VOID.property)
            if isinstance(iri, URIRef):
                triples = _count(graph, part, VOID.triples)
                sides.count(iri, "domain", class_iri, 1 if triples is None else triples)
                pairs[class_iri, str(iri)] += _count(graph, part, VOID.distinctSubjects) or triples or 0
                _add_objects(graph, part, iri, classes, sides)
                _name(graph, part, iri, sides)
    _add_usage(graph, inner, sides)
    _add_linksets(graph, classes, sides)
    seen_with = {class_iri for (class_iri, _), count in pairs.items() if count}
    for class_iri, count in instances.items():
        # A class without counted properties says nothing: not that its instances have none.
        if count and class_iri in seen_with:
            draft.add_instances(class_iri, count)
    for (class_iri, name), count in pairs.items():
        if count:
            # Triples stand in for subjects where these were not counted: never more than there are.
            draft.add_evidence(class_iri, name, min(count, instances[class_iri] or count))


def _add_objects(graph: Graph, part: Node, iri: URIRef, classes: dict[Node, str], sides: Sides) -> None:
    for each in graph.objects(part, VOID.classPartition):
        if each in classes:
            triples = _count(graph, each, VOID.triples)
            sides.count(iri, "range", classes[each], 1 if triples is None else triples)


def _add_usage(graph: Graph, inner: set[Node], sides: Sides) -> None:
    """Add the triples of partitions of the whole graph; those inside a class partition are counted there already."""
    outer: dict[URIRef, int] = defaultdict(int)
    within: dict[URIRef, int] = defaultdict(int)
    for part, iri in graph.subject_objects(VOID.property):
        if isinstance(iri, URIRef):
            (within if part in inner else outer)[iri] += _count(graph, part, VOID.triples) or 0
    for iri in outer.keys() | within.keys():
        sides.use(iri, outer[iri] if outer.get(iri) else within.get(iri, 0))


def _add_linksets(graph: Graph, classes: dict[Node, str], sides: Sides) -> None:
    for link, iri in graph.subject_objects(VOID.linkPredicate):
        target = graph.value(link, VOID.objectsTarget)
        if isinstance(iri, URIRef) and target in classes:
            triples = _count(graph, link, VOID.triples)
            sides.count(iri, "range", classes[target], 1 if triples is None else triples)


def _name(graph: Graph, part: Node, iri: URIRef, sides: Sides) -> None:
    label = graph.value(part, URIRef("http://www.w3.org/2000/01/rdf-schema#label"))
    if label is not None:
        sides.name(iri, str(label))


def _count(graph: Graph, part: Node, predicate: URIRef) -> int | None:
    value = graph.value(part, predicate)
    return None if value is None else number(str(value))
