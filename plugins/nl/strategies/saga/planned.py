"""What a query itself says of its variables: explicit types, and along its paths what domains and ranges declare.

A pure reading of the text by the proxy's own grammar; the graph is not asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from plugins.nl.tools import Knowledge
from plugins.schema.edges import Edge, edges
from plugins.schema.model import Property, Role, Side
from plugins.schema.variables import Variables
from proxy.syntax import Iri, Syntax, Term, Variable

# The variants of a property that stand before a value, and those that stand behind the thing itself.
_TO_VALUE: frozenset[Role] = frozenset(("direct", "direct_normalized", "statement"))
_FROM_THING: frozenset[Role] = frozenset(("direct", "direct_normalized", "claim"))
# An induced side of a smaller share says nothing.
_LEAST_SHARE = 0.5


@dataclass(slots=True, kw_only=True)
class Plan:
    """Variables with their question mark, and what the query makes of them.

    Shapes: ``patterns`` are the classes of type patterns; ``schema`` those that a domain or range declares;
    ``unranged`` are properties without a range that lead to a variable; ``properties`` are all that it uses, with the
    constants that each stands on, in ``subjects``.
    """

    patterns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    schema: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unranged: dict[str, Property] = field(default_factory=dict)
    properties: dict[str, Property] = field(default_factory=dict)
    subjects: list[tuple[str, Property]] = field(default_factory=list)


def planned(syntax: Syntax, knowledge: Knowledge) -> Plan:
    """Read a query against the schema."""
    plan = Plan()
    variables = Variables(syntax, knowledge.vocabulary)
    for pattern in syntax.patterns:
        found = [cls for each in variables.types(pattern.subject, pattern.scope) for cls in each.classes]
        if found and isinstance(pattern.subject, Variable):
            plan.patterns.setdefault(str(pattern.subject), tuple(dict.fromkeys(found)))
    for edge, record, role in _uses(syntax, knowledge):
        plan.properties[record.id] = record
        if role in _TO_VALUE:
            _typed(plan, edge.object, record.range)
            if record.range is None and record.kind in ("", "item") and isinstance(edge.object, Variable):
                plan.unranged.setdefault(str(edge.object), record)
        if role in _FROM_THING and edge.subject is not None:
            _typed(plan, edge.subject, record.domain)
            constants = variables.constants(edge.subject, edge.pattern.scope)
            plan.subjects += [(each.value, record) for each in constants if isinstance(each, Iri)]
    return plan


def _uses(syntax: Syntax, knowledge: Knowledge) -> Iterator[tuple[Edge, Property, Role]]:
    """Yield the edges whose property is known, but for those that say the type."""
    index, grammar = knowledge.schema, {*knowledge.vocabulary.types, *knowledge.vocabulary.superclasses}
    for edge in edges(syntax):
        if edge.property.value in grammar:
            continue
        found = index.role_of(edge.property.value) if index is not None else None
        if found is None:
            record = knowledge.property(edge.property.value)
            found = (record, "direct") if record is not None else None
        if found is not None:
            yield edge, *found


def _typed(plan: Plan, term: Term | None, side: Side | None) -> None:
    """Type a variable by a side of a property; the first that says something counts."""
    if isinstance(term, Variable) and side is not None and (side.source == "declared" or side.share >= _LEAST_SHARE):
        plan.schema.setdefault(str(term), side.classes)
