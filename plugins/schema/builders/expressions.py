"""OWL class expressions, as far as they name classes: unions, intersections and restrictions, to a bound of depth."""

from __future__ import annotations

from collections.abc import Iterator

from rdflib import OWL, RDF, RDFS, XSD, Graph, URIRef
from rdflib.term import Node

_DEEPEST = 20
_LONGEST_LIST = 10_000
_TOPS = frozenset((OWL.Thing, RDFS.Resource))
_LITERAL = frozenset((RDFS.Literal, RDF.langString, RDF.HTML, RDF.XMLLiteral, RDF.PlainLiteral))


def classes_of(graph: Graph, node: Node, *, union: bool = True) -> tuple[str, ...]:
    """Return the classes that an expression allows; none where it says nothing that we can use.

    A union is all its members, and nothing at all where one of them is no class. An intersection is its named members.
    Without ``union`` (above a class) a union says nothing: being below one of several is being below none of them.
    """
    return tuple(dict.fromkeys(str(each) for each in _members(graph, node, union, 0) or ()))


def is_datatype(node: Node) -> bool:
    """Whether an IRI names a kind of literal."""
    return isinstance(node, URIRef) and (node in _LITERAL or str(node).startswith(str(XSD)))


def members(graph: Graph, head: Node | None) -> Iterator[Node]:
    """Yield the members of an RDF list; a cyclic or endless one ends at the second visit."""
    seen: set[Node] = set()
    while head is not None and head != RDF.nil and head not in seen and len(seen) < _LONGEST_LIST:
        seen.add(head)
        first = graph.value(head, RDF.first)
        if first is not None:
            yield first
        head = graph.value(head, RDF.rest)


def _members(graph: Graph, node: Node, union: bool, depth: int) -> list[Node] | None:
    """Return the classes, or None where the expression may allow anything."""
    if isinstance(node, URIRef):
        return None if node in _TOPS else [node]
    if depth >= _DEEPEST:
        return None
    either = graph.value(node, OWL.unionOf)
    if either is not None:
        return _union(graph, either, depth) if union else None
    both = graph.value(node, OWL.intersectionOf)
    if both is not None:
        parts = [found for each in members(graph, both) if (found := _members(graph, each, union, depth + 1))]
        # Whatever satisfies all parts satisfies the first of them.
        return (parts[0] if union else [each for part in parts for each in part]) if parts else None
    return None


def _union(graph: Graph, head: Node, depth: int) -> list[Node] | None:
    found: list[Node] = []
    for each in members(graph, head):
        part = _members(graph, each, True, depth + 1)
        if part is None:
            return None
        found += part
    return found or None
