"""What stands around the constants of gold queries in the store, and which properties the queries want there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from plugins.schema.case import FORWARD, Case
from plugins.schema.fit import Entity
from plugins.schema.lookups import Lookups
from plugins.schema.model import Property
from proxy.contract import Dataset
from proxy.syntax import Iri
from tests.bench.guard.gold import Gold, sampled
from tests.bench.guard.place import Place, each

_PATIENCE_S = 10.0
_SIX = ("qald7", "qald9plus", "qald10", "wikiwebquestions", "spinach", "qawiki")
_LCQUAD = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """An entity and its edges. Shapes: ``values`` are by property the values, as IRI or text, with their labels."""

    entity: Entity
    types: tuple[str, ...]
    label: str
    values: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """One entity that a gold query starts at, and the ids of the properties that it needs there."""

    query: Gold
    around: Neighbourhood
    wanted: tuple[Property, ...]


def compared(queries: Sequence[Gold]) -> list[Gold]:
    """Return the queries that the expected figures are of: six benchmarks, and as many of LC-QuAD as were drawn there.

    Which of LC-QuAD were drawn is not known; these are others.
    """
    drawn = sampled([query for query in queries if query.dataset == "lcquad2"], _LCQUAD)
    return [query for query in queries if query.dataset in _SIX] + drawn


async def look_ups(place: Place, queries: Sequence[Gold]) -> list[LookUp]:
    """Return the look-ups of queries, one for each query and entity."""
    pairs = [(query, iri, wanted) for query in queries for iri, wanted in _starts(place, query).items()]
    iris = sorted({iri for _, iri, _ in pairs})
    found = await each("neighbourhoods", iris, lambda iri: _read(place, iri))
    around = dict(zip(iris, found, strict=True))
    return [LookUp(query=query, around=around[iri], wanted=tuple(wanted.values())) for query, iri, wanted in pairs]


def _starts(place: Place, query: Gold) -> dict[str, dict[str, Property]]:
    """Return by constant subject of `wdt:` and `p:` the properties that the query uses on it."""
    syntax = place.read(query.text)
    if syntax is None:
        return {}
    case = Case(syntax, place.index, Lookups(None))
    starts: dict[str, dict[str, Property]] = {}
    for use in case.uses:
        if use.role in FORWARD:
            for term in case.constants(use.edge.subject, use.edge.pattern.scope):
                if isinstance(term, Iri):
                    starts.setdefault(term.value, {})[use.property.id] = use.property
    return starts


async def _read(place: Place, iri: str) -> Neighbourhood:
    about = (await place.facts.about([iri], Dataset(), _PATIENCE_S)).get(iri)
    values: dict[str, dict[str, str]] = {}
    labelled = 'OPTIONAL { ?v rdfs:label ?l FILTER(LANG(?l) = "en") }'
    texts = (
        f"SELECT ?p ?v ?l {{ <{iri}> ?p ?v {labelled} }}",
        f"SELECT ?p ?v ?l {{ <{iri}> ?claim ?s . ?s ?p ?v "
        f'FILTER(STRSTARTS(STR(?p), "http://www.wikidata.org/prop/statement/P")) {labelled} }}',
    )
    for row in [row for text in texts for row in await place.rows(text)]:
        found = place.index.role_of(row["p"]["value"])
        if found is not None and found[1] in ("direct", "statement"):
            label = row["l"]["value"] if "l" in row else ""
            values.setdefault(found[0].id, {})[row["v"]["value"]] = label
    entity = about.entity if about else Entity(iri=iri, classes=())
    return Neighbourhood(
        entity=entity, types=about.types if about else (), label=about.label if about else "", values=values
    )
