"""SHACL shapes: which classes have a property, and what its values are.

A shape says what instances of its target class must look like, not that others may not have the property. So what
comes of it is a suggestion: it ranks and explains.
"""

from __future__ import annotations

from rdflib import SH, Graph, Literal, URIRef
from rdflib.term import Node

from plugins.schema.builders.expressions import members
from plugins.schema.builders.sides import Sides

_DEEPEST = 10


def add_shapes(graph: Graph, sides: Sides) -> None:
    """Add what the shapes with a target class say of plain paths."""
    for shape, target in sorted(graph.subject_objects(SH.targetClass), key=str):
        if isinstance(target, URIRef) and not _off(graph, shape):
            for each in sorted(_property_shapes(graph, shape, 0), key=str):
                _add(graph, each, target, sides)


def _property_shapes(graph: Graph, shape: Node, depth: int) -> set[Node]:
    """Return the property shapes of a shape, also those inside `sh:or`, `sh:and`, `sh:xone` and `sh:node`."""
    if depth > _DEEPEST:
        return set()
    found = set(graph.objects(shape, SH.property))
    inner = [each for part in (SH["or"], SH["and"], SH.xone) for head in graph.objects(shape, part)
             for each in members(graph, head)]  # fmt: skip
    for each in (*inner, *graph.objects(shape, SH.node)):
        found |= _property_shapes(graph, each, depth + 1)
        if graph.value(each, SH.path) is not None:
            found.add(each)
    return {each for each in found if not _off(graph, each)}


def _add(graph: Graph, shape: Node, target: URIRef, sides: Sides) -> None:
    path = graph.value(shape, SH.path)
    values = _values(graph, shape, 0)
    if isinstance(path, URIRef):
        sides.suggest(path, "domain", [str(target)])
        sides.suggest(path, "range", values or ())
        name = graph.value(shape, SH.name)
        if isinstance(name, Literal):
            sides.name(path, str(name))
        return
    back = graph.value(path, SH.inversePath) if path is not None else None
    if isinstance(back, URIRef):
        sides.suggest(back, "range", [str(target)])
        sides.suggest(back, "domain", values or ())


def _values(graph: Graph, shape: Node, depth: int) -> list[str] | None:
    """Return classes and datatypes of the values, or None where anything may stand there."""
    for part in (SH["class"], SH.datatype):
        named = [str(each) for each in graph.objects(shape, part) if isinstance(each, URIRef)]
        if named:
            return sorted(named)[:1] if part == SH["class"] else named
    for node in graph.objects(shape, SH.node):
        targets = sorted(str(each) for each in graph.objects(node, SH.targetClass) if isinstance(each, URIRef))
        if targets:
            return targets
    for part in (SH["or"], SH.xone):
        head = graph.value(shape, part)
        if head is not None and depth < _DEEPEST:
            found: list[str] = []
            for each in members(graph, head):
                inner = _values(graph, each, depth + 1)
                if not inner:
                    return None
                found += inner
            return found or None
    if graph.value(shape, SH.nodeKind) == SH.Literal:
        return ["http://www.w3.org/2000/01/rdf-schema#Literal"]
    return None


def _off(graph: Graph, shape: Node) -> bool:
    value = graph.value(shape, SH.deactivated)
    return isinstance(value, Literal) and str(value) in ("true", "1")
