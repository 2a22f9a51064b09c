"""Short names of IRIs: `Q5`, `film.actor`, `up:Protein`."""

from __future__ import annotations

from collections.abc import Mapping

from plugins.schema.model import Role

# Namespace of a canonical IRI -> what stands before the rest of it in its id.
BARE: Mapping[str, str] = {"http://rdf.freebase.com/ns/": ""}

# What follows the base of a Wikibase in the IRIs of one property.
# Source: Wikibase RDF dump format, "Prefixes used".
_VARIANTS: Mapping[str, Role] = {
    "entity/": "entity",
    "prop/direct/": "direct",
    "prop/direct-normalized/": "direct_normalized",
    "prop/": "claim",
    "prop/statement/": "statement",
    "prop/statement/value/": "statement_value",
    "prop/statement/value-normalized/": "statement_normalized",
    "prop/qualifier/": "qualifier",
    "prop/qualifier/value/": "qualifier_value",
    "prop/qualifier/value-normalized/": "qualifier_normalized",
    "prop/reference/": "reference",
    "prop/reference/value/": "reference_value",
    "prop/reference/value-normalized/": "reference_normalized",
    "prop/novalue/": "no_value",
}


def variants(base: str) -> dict[str, Role]:
    """Return the namespaces of a Wikibase with the role of each."""
    return {base + rest: role for rest, role in _VARIANTS.items()}


def shorten(iri: str, namespaces: Mapping[str, str]) -> str:
    """Return the id of an IRI: with the longest namespace that fits, or the IRI itself."""
    end = len(iri)
    while (cut := max(iri.rfind(mark, 0, end) for mark in "/#_:")) > 0:
        before = namespaces.get(iri[: cut + 1])
        if before is not None and cut + 1 < len(iri):
            return before + iri[cut + 1 :]
        end = cut
    return iri


def expansions(name: str, namespaces: Mapping[str, str]) -> list[str]:
    """Return the IRIs that an id may stand for, itself first."""
    found = [name]
    for namespace, before in namespaces.items():
        if name.startswith(before):
            found.append(namespace + name[len(before) :])
    return found
