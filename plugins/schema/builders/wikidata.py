"""The schema of Wikidata: property constraints, texts and the class hierarchy, by SPARQL from anything of that shape.

Source: https://www.wikidata.org/wiki/Help:Property_constraints_portal; Wikibase RDF dump format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from plugins.schema.builders.answers import Answers, Paged, batches, iris
from plugins.schema.builders.constraints import ALLOWED_QUALIFIERS, SUBJECT_TYPE, VALUE_TYPE, Constraint, side
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.texts import LANGUAGES, Texts
from plugins.schema.draft import Draft
from plugins.schema.model import ClassInfo, Property
from plugins.schema.shorthand import variants
from proxy.results.terms import Solution

BASE = "http://www.wikidata.org/"
WD = f"{BASE}entity/"
ROOT = f"{WD}Q35120"
PREFIXES = f"""PREFIX wd: <{WD}>
PREFIX wdt: <{BASE}prop/direct/>
PREFIX p: <{BASE}prop/>
PREFIX ps: <{BASE}prop/statement/>
PREFIX pq: <{BASE}prop/qualifier/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX schema: <http://schema.org/>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
"""
_KINDS = {
    "WikibaseItem": "item",
    "WikibaseProperty": "property",
    "WikibaseLexeme": "lexeme",
    "WikibaseSense": "lexeme",
    "WikibaseForm": "lexeme",
    "Time": "time",
    "Quantity": "quantity",
    "String": "string",
    "Monolingualtext": "monolingualtext",
    "ExternalId": "external-id",
    "Url": "url",
    "GlobeCoordinate": "coordinate",
    "CommonsMedia": "media",
    "Math": "math",
}


@dataclass(slots=True, kw_only=True)
class _Found:
    """What is known of one property so far."""

    kind: str = ""
    texts: Texts = field(default_factory=Texts)
    constraints: dict[str, Constraint] = field(default_factory=dict)
    inverse: str | None = None
    usage: int = 0


def new_draft() -> Draft:
    """Return a draft with Wikidata's names."""
    draft = Draft("wikidata", {WD: ""}, variants(BASE))
    draft.roots.add(ROOT)
    return draft


class WikidataBuilder:
    """Fill a draft. ``batch`` is how many properties or classes one query names."""

    def __init__(
        self, answers: Answers, draft: Draft, progress: Progress, languages: Sequence[str] = LANGUAGES, batch: int = 200
    ) -> None:
        self._answers = answers
        self._draft = draft
        self._progress = progress
        self._languages = tuple(languages)
        self._batch = batch if not answers.whole else max(batch, 1000)

    async def properties(self) -> None:
        """Read all properties: texts, kind, constraints, inverse."""
        found: dict[str, _Found] = {}
        self._progress.part("properties")
        where = "?property a wikibase:Property ; wikibase:propertyType ?type ."
        async for page in self._pages("properties", "?property ?type", where, "property"):
            for row in page:
                name = row["type"].value.rpartition("#")[2]
                found[row["property"].value] = _Found(kind=_KINDS.get(name, "other"))
            self._progress.step(len(page))
        self._progress.part("texts and constraints", len(found))
        for names in batches(sorted(found), self._batch):
            await self._texts(names, found)
            await self._constraints(names, found)
            await self._inverses(names, found)
            self._progress.step(len(names))
        for iri, each in found.items():
            self._draft.add_property(self._property(iri, each))
        self._progress.end()

    async def hierarchy(self) -> None:
        """Read every edge of the class hierarchy."""
        self._progress.part("superclasses")
        async for page in self._pages("superclasses", "?class ?above", "?class wdt:P279 ?above .", "class"):
            for row in page:
                self._edge(row)
            self._progress.step(len(page))
        self._progress.end()

    async def hierarchy_above(self) -> None:
        """Read the superclasses of the classes so far, level by level: what a public endpoint can give."""
        self._progress.part("superclasses")
        open_ = sorted(self._draft.classes())
        seen = set(open_)
        while open_:
            above: set[str] = set()
            for names in batches(open_, self._batch):
                text = f"SELECT ?class ?above {{ VALUES ?class {{ {iris(names)} }} ?class wdt:P279 ?above }}"
                for row in await self._ask("superclasses", text):
                    self._edge(row)
                    above.add(row["above"].value)
                self._progress.step(len(names))
            open_ = sorted(iri for iri in above - seen if iri.startswith(WD))
            seen.update(open_)
        self._progress.end()

    async def class_texts(self) -> None:
        """Read labels and descriptions of the classes that have none yet."""
        missing = [iri for iri in self._draft.classes() if not self._draft.has_text(iri) and iri.startswith(WD)]
        self._progress.part("class labels", len(missing))
        for names in batches(missing, self._batch):
            texts: dict[str, Texts] = defaultdict(Texts)
            for row in await self._ask("class texts", _texts_query(names, self._languages[:1])):
                _add_text(texts[row["item"].value], row)
            for iri, each in texts.items():
                info = ClassInfo(
                    iri=iri,
                    id=iri.removeprefix(WD),
                    label=each.label(self._languages),
                    description=each.description(self._languages),
                )
                self._draft.add_class(info)
            self._progress.step(len(names))
        self._progress.end()

    def _edge(self, row: Solution) -> None:
        below, above = row["class"], row["above"]
        # An unknown value is a blank node, or an IRI of genid: no class.
        if below.value.startswith(WD) and above.value.startswith(WD):
            self._draft.add_superclass(below.value, above.value)

    async def _texts(self, names: list[str], found: dict[str, _Found]) -> None:
        for row in await self._ask("texts", _texts_query(names, self._languages)):
            _add_text(found[row["item"].value].texts, row)

    async def _constraints(self, names: list[str], found: dict[str, _Found]) -> None:
        text = f"""SELECT ?property ?statement ?kind ?part ?value {{
  VALUES ?property {{ {iris(names)} }}
  ?property p:P2302 ?statement . ?statement ps:P2302 ?kind .
  FILTER(?kind IN (<{SUBJECT_TYPE}>, <{VALUE_TYPE}>, <{ALLOWED_QUALIFIERS}>))
  FILTER NOT EXISTS {{ ?statement wikibase:rank wikibase:DeprecatedRank }}
  ?statement ?part ?value . FILTER(?part IN (pq:P2308, pq:P2309, pq:P2303, pq:P2316, pq:P2306))
}}"""
        for row in await self._ask("constraints", text):
            each = found[row["property"].value].constraints
            constraint = each.setdefault(row["statement"].value, Constraint(kind=row["kind"].value))
            constraint.add(row["part"].value.rpartition("/")[2], row["value"].value)

    async def _inverses(self, names: list[str], found: dict[str, _Found]) -> None:
        text = f"SELECT ?property ?inverse {{ VALUES ?property {{ {iris(names)} }} ?property wdt:P1696 ?inverse }}"
        for row in await self._ask("inverses", text):
            each = found[row["property"].value]
            other = row["inverse"].value.removeprefix(WD)
            each.inverse = min(each.inverse, other) if each.inverse else other

    def _property(self, iri: str, found: _Found) -> Property:
        constraints = list(found.constraints.values())
        allowed = {each for one in constraints if one.kind == ALLOWED_QUALIFIERS for each in one.properties}
        texts = found.texts
        return Property(
            id=iri.removeprefix(WD),
            iri=iri,
            label=texts.label(self._languages),
            labels=texts.labels,
            description=texts.description(self._languages),
            aliases=texts.other_names(self._languages),
            kind=found.kind,
            domain=side(constraints, SUBJECT_TYPE),
            range=side(constraints, VALUE_TYPE),
            qualifiers=tuple(sorted((each.removeprefix(WD) for each in allowed), key=lambda name: (len(name), name))),
            inverse=found.inverse,
            usage=found.usage,
        )

    async def _ask(self, step: str, text: str) -> list[Solution]:
        return await self._answers.ask(step, PREFIXES + text)

    def _pages(self, step: str, select: str, where: str, key: str) -> AsyncIterator[list[Solution]]:
        return self._answers.pages(Paged(step=step, prologue=PREFIXES, select=select, where=where, key=key))


def _texts_query(names: list[str], languages: Sequence[str]) -> str:
    wanted = ", ".join(f'"{language}"' for language in (*languages, "mul"))
    return f"""SELECT ?item ?part ?text {{
  VALUES ?item {{ {iris(names)} }}
  ?item ?part ?text .
  FILTER(?part IN (rdfs:label, schema:description, skos:altLabel)) FILTER(LANG(?text) IN ({wanted}))
}}"""


def _add_text(texts: Texts, row: Solution) -> None:
    match row["part"].value.rpartition("/")[2].rpartition("#")[2]:
        case "label":
            texts.add_label(row["text"])
        case "description":
            texts.add_description(row["text"])
        case _:
            texts.add_alias(row["text"])
