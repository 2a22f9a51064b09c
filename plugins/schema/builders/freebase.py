"""The schema of Freebase: from its own triples, or from the tables of roles that were made of them.

Source: `type.property.schema` is the domain, `type.property.expected_type` the range;
https://developers.google.com/freebase (the last dump).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from plugins.schema.builders.answers import Answers, Paged
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.texts import LANGUAGES, Texts
from plugins.schema.draft import Draft
from plugins.schema.model import ClassInfo, Property, Side
from proxy.results.terms import Term

NS = "http://rdf.freebase.com/ns/"
ROOT = f"{NS}common.topic"
# Kinds of plain values. An instance of one is never a thing.
PRIMITIVES = {
    "type.int": "quantity",
    "type.float": "quantity",
    "type.boolean": "boolean",
    "type.datetime": "time",
    "type.text": "monolingualtext",
    "type.rawstring": "string",
    "type.enumeration": "external-id",
    "type.key": "external-id",
    "type.id": "external-id",
    "type.uri": "url",
}
_MOST_NOTES = 50


@dataclass(slots=True, kw_only=True)
class Role:
    """What is known of one property so far. All are ids, without the namespace."""

    domains: dict[str, None] = field(default_factory=dict)
    ranges: dict[str, None] = field(default_factory=dict)
    inverse: str | None = None
    texts: Texts = field(default_factory=Texts)


@dataclass(slots=True, kw_only=True)
class FreebaseSchema:
    """Roles and types, from whichever source. ``included`` is from type to what it brings along."""

    roles: dict[str, Role] = field(default_factory=lambda: defaultdict(Role))
    included: dict[str, dict[str, None]] = field(default_factory=lambda: defaultdict(dict))
    mediators: set[str] = field(default_factory=set)
    types: dict[str, Texts] = field(default_factory=lambda: defaultdict(Texts))

    def fill(self, draft: Draft) -> None:
        """Put everything into a draft. Included types stand as superclasses: what they bring along is above them."""
        draft.roots.add(ROOT)
        for name, role in self.roles.items():
            draft.add_property(_property(name, role))
        for name, above in self.included.items():
            for each in above:
                draft.add_superclass(NS + name, NS + each)
        for name in {*self.types, *self.mediators, *PRIMITIVES}:
            texts = self.types.get(name, Texts())
            plain = name in self.mediators or name in PRIMITIVES
            info = ClassInfo(
                iri=NS + name,
                id=name,
                label=texts.label(LANGUAGES) or _readable(name),
                description=texts.description(LANGUAGES),
                mediator=plain,
            )
            draft.add_class(info)
        for iri in list(draft.classes()):
            if not draft.has_text(iri):
                name = iri.removeprefix(NS)
                draft.add_class(ClassInfo(iri=iri, id=name, label=_readable(name)))


def new_draft() -> Draft:
    """Return a draft with Freebase's names."""
    return Draft("freebase", {NS: ""})


async def read_triples(answers: Answers, schema: FreebaseSchema, progress: Progress) -> None:
    """Read the schema's own triples."""
    for predicate, add in _READERS.items():
        progress.part(predicate)
        where = f"?s <{NS}{predicate}> ?o ."
        if predicate == "type.object.type":
            where += f" FILTER(?o IN (<{NS}type.property>, <{NS}type.type>))"
        elif predicate in ("type.object.name", "common.topic.description"):
            # Of all the names in the graph only those of the schema.
            where += f" ?s <{NS}type.object.type> ?kind . FILTER(?kind IN (<{NS}type.property>, <{NS}type.type>))"
        paged = Paged(step=predicate, select="?s ?o", where=where, key="s")
        async for page in answers.pages(paged):
            for row in page:
                if row["s"].value.startswith(NS):
                    add(schema, row["s"].value.removeprefix(NS), row["o"])
            progress.step(len(page))
    progress.end()


def read_row(schema: FreebaseSchema, row: list[str]) -> str:
    """Read a row of a table of roles, types or reverses; return what is wrong with it."""
    parts = row if len(row) > 1 else row[0].split()
    match parts:
        case [below, "meta.subclassOf", above, *_]:
            schema.included[below][above] = None
        case [domain, name, range_]:
            schema.roles[name].domains[domain] = None
            schema.roles[name].ranges[range_] = None
        case [name, reverse]:
            # A table of roles does not have every property: the pair alone makes none.
            if name in schema.roles:
                schema.roles[name].inverse = reverse
        case [name]:
            schema.mediators.add(name)
        case _:
            return "expected `domain property range`, `class meta.subclassOf class`, `property reverse`, or a mediator"
    return ""


def differences(triples: FreebaseSchema, tables: FreebaseSchema) -> list[str]:
    """Return one sentence per property of both sources with different sides, and one with the count."""
    found = []
    for name in sorted(triples.roles.keys() & tables.roles.keys()):
        one, other = triples.roles[name], tables.roles[name]
        for what, first, second in (
            ("domain", one.domains, other.domains),
            ("range", one.ranges, other.ranges),
        ):
            if second and first.keys() != second.keys():
                found.append(f"{name}: {what} {_listed(first)} in the triples, {_listed(second)} in the tables")
    absent = sorted(tables.roles.keys() - triples.roles.keys())
    if absent:
        found.append(f"{len(absent)} properties are in the tables only: {_listed(absent)}")
    if len(found) > _MOST_NOTES:
        found = [*found[:_MOST_NOTES], f"and {len(found) - _MOST_NOTES} more differences"]
    return found


def merge(triples: FreebaseSchema, tables: FreebaseSchema) -> None:
    """Add to the triples what only the tables have; where both speak, the triples hold."""
    for name, role in tables.roles.items():
        if name not in triples.roles:
            triples.roles[name] = role
    for name, above in tables.included.items():
        triples.included[name].update(above)
    triples.mediators |= tables.mediators


def _listed(names: Iterable[str]) -> str:
    each = list(names)
    return ", ".join(each[:5]) + (", ..." if len(each) > 5 else "") if each else "none"


def _property(name: str, role: Role) -> Property:
    ranges = tuple(role.ranges)
    kinds = {PRIMITIVES.get(each, "item") for each in ranges}
    return Property(
        id=name,
        iri=NS + name,
        label=role.texts.label(LANGUAGES) or _readable(name),
        labels=role.texts.labels,
        description=role.texts.description(LANGUAGES),
        kind=kinds.pop() if len(kinds) == 1 else "other" if kinds else "",
        domain=_side(role.domains),
        range=_side(role.ranges),
        inverse=role.inverse,
    )


def _side(names: Iterable[str]) -> Side | None:
    classes = tuple(NS + name for name in names)
    return Side(classes=classes) if classes else None


def _readable(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ")


def _add_domain(schema: FreebaseSchema, name: str, value: Term) -> None:
    schema.roles[name].domains[value.value.removeprefix(NS)] = None


def _add_range(schema: FreebaseSchema, name: str, value: Term) -> None:
    schema.roles[name].ranges[value.value.removeprefix(NS)] = None


def _add_reverse(schema: FreebaseSchema, name: str, value: Term) -> None:
    schema.roles[name].inverse = value.value.removeprefix(NS)


def _add_included(schema: FreebaseSchema, name: str, value: Term) -> None:
    schema.included[name][value.value.removeprefix(NS)] = None


def _add_mediator(schema: FreebaseSchema, name: str, value: Term) -> None:
    if value.value in ("true", "1"):
        schema.mediators.add(name)


def _add_kind(schema: FreebaseSchema, name: str, value: Term) -> None:
    match value.value.removeprefix(NS):
        case "type.property":
            schema.roles[name]
        case "type.type":
            schema.types[name]


def _texts_of(schema: FreebaseSchema, name: str) -> Texts:
    return schema.roles[name].texts if name in schema.roles else schema.types[name]


def _add_name(schema: FreebaseSchema, name: str, value: Term) -> None:
    _texts_of(schema, name).add_label(value)


def _add_description(schema: FreebaseSchema, name: str, value: Term) -> None:
    _texts_of(schema, name).add_description(value)


_READERS = {
    "type.property.schema": _add_domain,
    "type.property.expected_type": _add_range,
    "type.property.reverse_property": _add_reverse,
    "freebase.type_hints.included_types": _add_included,
    "freebase.type_hints.mediator": _add_mediator,
    "type.object.type": _add_kind,
    "type.object.name": _add_name,
    "common.topic.description": _add_description,
}
