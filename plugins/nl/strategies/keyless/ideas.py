"""Queries that may answer a question: what each edge says, in the words of SPARQL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.surroundings import VALUED, Edge, Way
from plugins.nl.tools import Knowledge, Tools
from plugins.schema.index import Index
from plugins.schema.model import Property

Ask = Literal["things", "count", "whether"]
# The roles of predicates that lead over a statement and its qualifier.
_STATEMENTS = frozenset(
    (
        ("through", ("claim", "qualifier")),
        ("meet", ("statement", "qualifier")),
        ("meet", ("qualifier", "statement")),
        ("in", ("qualifier",)),
        ("chain in", ("qualifier", "statement")),
        ("through", ("claim", "statement")),
        ("role", ("claim", "statement", "qualifier")),
        ("stated", ("claim", "qualifier")),
        ("owner", ("qualifier", "claim")),
    )
)

# Of what a schema says by counting, a few are errors of the graph.
_ALL = 0.99
_ROLES = frozenset(("P106", "P39"))


@dataclass(frozen=True, slots=True)
class Measure:
    """What decides which of the answers are meant.

    Shapes: ``of`` says what is measured: a ``value`` that an answer has; the ``answer`` itself, which is one; how many
    ``values`` it has; of how many ``holders`` it is a value. ``condition`` is a filter of ?value; ``modifiers`` are
    solution modifiers.
    """

    record: Property
    of: Literal["value", "answer", "values", "holders"] = "value"
    condition: str = ""
    modifiers: str = ""

    @property
    def counts(self) -> bool:
        """Whether a number of things is measured."""
        return self.of in ("values", "holders")


@dataclass(frozen=True, slots=True)
class Idea:
    """A query that may answer: an edge, the properties that it uses, and what is asked of ?x.

    Shapes: ``roles`` are those of the edge's predicates; ``constraint`` is the class that answers must be of, where one
    is demanded; ``negated`` takes what is so by the first of two conditions, and not by the second.
    """

    edge: Edge
    uses: tuple[Property, ...]
    roles: tuple[str, ...]
    constraint: Anchor | None = None
    ask: Ask = "things"
    measure: Measure | None = None
    negated: bool = False

    @property
    def way(self) -> Way:
        """How the anchors are joined with the answer."""
        return self.edge.way

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Where it starts from."""
        return self.edge.anchors

    @property
    def query(self) -> tuple[object, ...]:
        """What its query is made of: equal for equal queries."""
        known = self.measure
        measure = known and (known.record.iri, known.of, known.condition, known.modifiers)
        return self.way, self.anchors, self.edge.predicates, self.constraint, self.ask, self.negated, measure

    @property
    def kinds(self) -> tuple[str, ...]:
        """The classes of the answers, the most frequent first."""
        return self.edge.kinds

    @property
    def half(self) -> bool:
        """Whether it leads to a statement, which is no answer but may be on the way to one."""
        return self.statement and (self.way == "in" or self.roles == ("claim", "statement"))

    @property
    def statement(self) -> bool:
        """Whether it reads a statement and its qualifier."""
        return self.roles[0] != "direct"


def says_kind(record: Property, knowledge: Knowledge) -> bool:
    """Whether a property says what a thing is: of a class, an occupation, an office."""
    steps = knowledge.vocabulary.types
    return record.id in _ROLES or any(iri == record.iri or iri.endswith(f"/{record.id}") for iri in steps)


def ideas(edges: Iterable[Edge], anchors: Iterable[Anchor], tools: Tools) -> Iterator[Idea]:
    """Yield what edges may mean: each alone, and each with a class that its answers must be of."""
    classes = [each for each in anchors if each.hit.is_class]
    for edge in edges:
        idea = _idea(edge, tools)
        if idea is None:
            continue
        yield idea
        for each in classes:
            if _may_be(idea, each, tools):
                yield replace(idea, constraint=each)


def _may_be(idea: Idea, kind: Anchor, tools: Tools) -> bool:
    """Whether some answers are of a class, by the hierarchy of the schema."""
    if any(kind.span.overlaps(each.span) for each in idea.anchors) or len(idea.anchors) > 1:
        return False
    index = tools.knowledge.schema
    if index is None:
        return kind.iri in idea.kinds
    if _is_implied(idea, kind.iri, index):
        return False
    return any(each == kind.iri or index.hierarchy.is_under(each, kind.iri) for each in idea.kinds)


def gives_only(idea: Idea) -> tuple[str, ...]:
    """Return the classes of all that a property gives; nothing where they are not known, or not of all of it."""
    side = idea.uses[-1].range if idea.way in VALUED else None
    return side.classes if side and side.share >= _ALL else ()


def _is_implied(idea: Idea, kind: str, index: Index) -> bool:
    """Whether a property gives nothing but what is of a class: the teams that somebody played for."""
    return bool(classes := gives_only(idea)) and all(
        each == kind or index.hierarchy.is_under(each, kind) for each in classes
    )


def _idea(edge: Edge, tools: Tools) -> Idea | None:
    """Return what an edge means; None for one that means nothing to a person."""
    if _circular(edge):
        return None
    known = [found for iri in edge.predicates if (found := _role(iri, tools)) is not None]
    if len(known) < len(edge.predicates) or any(record.kind == "external-id" for record, _ in known):
        return None
    uses = tuple(record for record, _ in known)
    roles = tuple(role for _, role in known)
    if set(roles) != {"direct"} and (edge.way, roles) not in _STATEMENTS:
        return None
    return Idea(edge, uses, roles, ask="whether" if edge.way == "link" else "things")


def _circular(edge: Edge) -> bool:
    """Whether what it starts from comes out again: the country of Belgium is Belgium, the actors of films with one."""
    if edge.way in ("chain in", "meet on") and edge.predicates[-1] in edge.predicates[:-1]:
        return True
    if edge.way not in ("out", "in", "chain", "chain in", "shared") or edge.count != 1 or edge.sample is None:
        return False
    return edge.sample.value == edge.anchors[0].iri


def _role(iri: str, tools: Tools) -> tuple[Property, str] | None:
    index = tools.knowledge.schema
    known = index.role_of(iri) if index else None
    if known is not None:
        return known
    record = tools.knowledge.property(iri)
    return None if record is None else (record, "direct")
