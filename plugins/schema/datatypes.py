"""Kinds of value: a literal where the graph only has items, an item where it only has literals, a string for a date.

Source: specs/guard.md section 4, `datatype`.
"""

from __future__ import annotations

from collections.abc import Iterator

from plugins.schema.body import Body, Unaskable
from plugins.schema.case import VALUED, Case, Use, named
from plugins.schema.suspect import Suspect
from proxy.syntax import Blank, Iri, Literal, Term, Variable

_ITEMS = frozenset(("item", "property", "lexeme"))
# Without url and media, whose values are IRIs, and without what the graph does not say.
_LITERALS = frozenset(
    ("time", "quantity", "boolean", "string", "monolingualtext", "external-id", "coordinate", "math", "literal")
)
_XSD = "http://www.w3.org/2001/XMLSchema#"
_STRINGS = frozenset((_XSD + "string", "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"))


def datatypes(case: Case) -> Iterator[Suspect]:
    """Yield the edges whose constant values are of a kind that the property never has."""
    for use in case.uses:
        if use.role not in VALUED:
            continue
        values = case.constants(use.edge.object, use.edge.pattern.scope)
        # VALUES conflicts only if every value does.
        faults = [_fault(use.property.kind, value) for value in values]
        if not faults or not all(faults):
            continue
        finding = case.finding("datatype", use.edge, use.property, f"{named(use.property)} {faults[0]}")
        yield Suspect(
            finding=finding,
            edge=use.edge,
            required=use.edge.required,
            use=use,
            verified="block" if use.edge.required else "warn",
            unverified="warn",
            offline="warn",
            proof=_proof(use, values),
        )


def _fault(kind: str, value: Term) -> str:
    """Say what is wrong with a value for this kind of property; nothing where it may be right."""
    if kind in _ITEMS and isinstance(value, Literal):
        return f"has {kind}s as values, never a literal such as {_short(value)}"
    if kind in _LITERALS and isinstance(value, Iri):
        return f"has literals as values ({kind}), never an IRI"
    if kind == "time" and isinstance(value, Literal) and value.datatype in _STRINGS:
        return f"has dates as values, never a string such as {_short(value)}: compare with xsd:dateTime or YEAR(?date)"
    return ""


def _short(value: Literal) -> str:
    text = value.value if len(value.value) <= 30 else value.value[:29] + "…"
    return '"' + " ".join("".join(each if each.isprintable() else " " for each in text).split()) + '"'


def _proof(use: Use, values: tuple[Term, ...]) -> str | None:
    try:
        body = Body().edge(use.edge)
        node = use.edge.object
        return body.values(node, values).text if isinstance(node, Variable | Blank) else body.text
    except Unaskable:
        return None
