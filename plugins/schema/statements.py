"""The statement model misused: a qualifier on an entity, an entity as the value of `p:`, a statement as that of `wdt:`.

Source: specs/guard.md section 4, `model`; the Wikibase RDF dump format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugins.schema.body import Body, Unaskable
from plugins.schema.case import Case, Use, named
from plugins.schema.findings import Named, Suggestion
from plugins.schema.model import Role
from plugins.schema.suspect import Suspect
from plugins.schema.variables import visible
from proxy.syntax import Blank, Iri, Term, Variable

_ON_ENTITY: frozenset[Role] = frozenset(("direct", "direct_normalized", "claim"))
_ON_STATEMENT: frozenset[Role] = frozenset(
    (
        "statement",
        "statement_value",
        "statement_normalized",
        "qualifier",
        "qualifier_value",
        "qualifier_normalized",
    )
)
_MOST_PAIRS = 8


def statements(case: Case) -> Iterator[Suspect]:
    """Yield the edges that take an entity for a statement, or a statement for an entity."""
    for use in case.uses:
        if use.role in _ON_STATEMENT:
            yield from _suspect(case, use, use.edge.subject, _entity_use(case, use, use.edge.subject))
        elif use.role == "claim":
            yield from _suspect(case, use, use.edge.object, _entity_use(case, use, use.edge.object))
        elif use.role == "direct":
            yield from _suspect(case, use, use.edge.object, _statement_use(case, use, use.edge.object))


def _suspect(case: Case, use: Use, term: Term | None, other: Use | bool | None) -> Iterator[Suspect]:
    if not other:
        return
    second = other if isinstance(other, Use) else None
    required = use.edge.required and (second is None or second.edge.required)
    finding = case.finding("model", use.edge, use.property, _reason(case, use, term))
    yield Suspect(
        finding=finding,
        edge=use.edge,
        required=required,
        use=use,
        verified="block" if required else "warn",
        unverified="warn",
        offline="warn",
        proof=_proof(use, second),
    )


def _entity_use(case: Case, use: Use, term: Term | None) -> Use | bool | None:
    """Return what shows that a term is an entity: its own form, or another use of the variable."""
    if isinstance(term, Iri):
        return case.vocabulary.is_entity(term.value)
    if not isinstance(term, Variable | Blank):
        return None
    for each in _near(case.out(term), use, term):
        if each.role in _ON_ENTITY:
            return each
    if use.role == "claim" or any(each.role == "claim" for each in case.into(term)):
        # What `p:` leads to is a statement here; whatever else is said of it is judged there.
        return None
    for each in _near(case.into(term), use, term):
        if each.role == "statement" and each.property.kind in ("item", "property"):
            return each
    return None


def _statement_use(case: Case, use: Use, term: Term | None) -> Use | bool | None:
    """Return what shows that a term is a statement."""
    if isinstance(term, Iri):
        return bool(case.vocabulary.statements) and term.value.startswith(case.vocabulary.statements)
    if not isinstance(term, Variable | Blank) or any(each.role in _ON_ENTITY for each in case.out(term)):
        return None
    return next((each for each in _near(case.out(term), use, term) if each.role in _ON_STATEMENT), None)


def _near(uses: Sequence[Use], use: Use, term: Variable | Blank) -> list[Use]:
    """Return the other uses that mean the same variable, as seen from here; the first few are enough."""
    around = list(visible(term, use.edge.pattern.scope))
    return [each for each in uses[:_MOST_PAIRS] if each is not use and each.edge.pattern.scope in around]


def _proof(use: Use, second: Use | None) -> str | None:
    try:
        body = Body().edge(use.edge)
        return (body if second is None else body.edge(second.edge)).text
    except Unaskable:
        return None


def _reason(case: Case, use: Use, term: Term | None) -> str:
    who = str(case.entity(term.value)) if isinstance(term, Iri) else case.written(term) or "what is described here"
    variant = case.written(use.edge.property)
    if use.role in _ON_STATEMENT:
        return f"{variant} ({named(use.property).word}) stands on statements, and {who} is an entity"
    if use.role == "claim":
        return f"{variant} ({named(use.property).word}) leads to a statement, and {who} is an entity"
    return f"{variant} ({named(use.property).word}) leads to a value, and {who} is a statement"


def variant_for(use: Use) -> Suggestion:
    """Return the variant of the property that is right at this place."""
    name: Named = named(use.property)
    if use.role in ("statement", "statement_value", "statement_normalized"):
        return Suggestion(name=name, why=f"write wdt:{name.id}, which stands on the entity itself")
    if use.role in _ON_STATEMENT:
        return Suggestion(name=name, why=f"write ?entity p:PROPERTY ?statement . ?statement pq:{name.id} ?value")
    if use.role == "claim":
        return Suggestion(name=name, why=f"write wdt:{name.id}, which leads to the value, or p:{name.id}/ps:{name.id}")
    return Suggestion(name=name, why=f"write p:{name.id}, which leads to the statement")
