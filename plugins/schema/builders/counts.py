"""What a graph really does: how often a property is used, and on how many instances of each class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from plugins.schema.builders.answers import Answers, batches
from plugins.schema.builders.progress import Progress
from plugins.schema.draft import Draft
from plugins.schema.model import Property
from proxy.results.terms import Solution, Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a graph writes types and facts.

    Shapes: ``type`` is the IRI of the type property; ``facts`` are namespaces whose IRIs are facts of the property
    with the id that follows; empty where the IRI of a property is itself the predicate.
    """

    type: str
    facts: tuple[str, ...] = ()

    def predicate(self, record: Property) -> str:
        """Return the IRI that stands in triples."""
        return self.facts[0] + record.id if self.facts else record.iri


_WIKIDATA = "http://www.wikidata.org/prop/"
SHAPES: Mapping[str, Shape] = {
    "wikidata": Shape(type=f"{_WIKIDATA}direct/P31", facts=(f"{_WIKIDATA}direct/", _WIKIDATA)),
    "freebase": Shape(type="http://rdf.freebase.com/ns/type.object.type"),
    "rdf": Shape(type="http://www.w3.org/1999/02/22-rdf-syntax-ns#type"),
}
_UNION = 50
# Classes that a description of a graph has instances of, and the graph has not.
_FREEBASE = ("http://rdf.freebase.com/ns/type.property", "http://rdf.freebase.com/ns/type.type")
_VOCABULARIES = _FREEBASE + tuple(f"http://www.w3.org/{each}#" for each in (
    "1999/02/22-rdf-syntax-ns", "2000/01/rdf-schema", "2002/07/owl", "ns/shacl"))  # fmt: skip


async def count_usage(answers: Answers, draft: Draft, shape: Shape, progress: Progress) -> None:
    """Set the usage of every property. A public endpoint is asked for ranges that it has counted, 50 in a query."""
    by_predicate = {shape.predicate(record): record for record in draft.properties.values()}
    progress.part("usage", len(by_predicate))
    if answers.whole:
        text = "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p"
        _set_usage(await answers.ask("usage", text), by_predicate, draft)
        progress.step(len(by_predicate))
    else:
        for names in batches(sorted(by_predicate), _UNION):
            parts = (f"{{ SELECT (<{iri}> AS ?p) (COUNT(*) AS ?n) {{ ?s <{iri}> ?o }} }}" for iri in names)
            _set_usage(await answers.ask("usage", f"SELECT ?p ?n {{ {' UNION '.join(parts)} }}"), by_predicate, draft)
            progress.step(len(names))
    progress.end()


def _set_usage(rows: list[Solution], by_predicate: Mapping[str, Property], draft: Draft) -> None:
    for row in rows:
        record = by_predicate.get(row["p"].value) if "p" in row else None
        if record is not None:
            draft.add_property(replace(draft.properties[record.iri], usage=number(row["n"].value)))


async def count_evidence(answers: Answers, draft: Draft, shape: Shape, progress: Progress) -> None:
    """Count the instances of every class, and those that have each property. Reads the whole graph."""
    progress.part("instances by class")
    text = f"SELECT ?class (COUNT(DISTINCT ?x) AS ?n) {{ ?x <{shape.type}> ?class }} GROUP BY ?class"
    for row in await answers.ask("instances", text):
        if "class" in row and _is_class(row["class"]):
            draft.add_instances(row["class"].value, number(row["n"].value))
            progress.step()
    progress.part("instances by class and property")
    text = f"SELECT ?class ?p (COUNT(DISTINCT ?x) AS ?n) {{ ?x <{shape.type}> ?class ; ?p ?v }} GROUP BY ?class ?p"
    pairs: dict[tuple[str, str], int] = {}
    known = {record.id: iri for iri, record in draft.properties.items()}
    for row in await answers.ask("evidence", text):
        iri = _property_of(row["p"].value, draft, shape, known) if "p" in row else None
        if iri and _is_class(row["class"]):
            pair = row["class"].value, iri
            # A fact may stand as a plain triple and as a statement: the larger number is a safe lower bound.
            pairs[pair] = max(pairs.get(pair, 0), number(row["n"].value))
            progress.step()
    for (class_iri, iri), count in pairs.items():
        draft.add_evidence(class_iri, iri, count)
    progress.end()


def _is_class(term: Term) -> bool:
    return term.kind == "iri" and not term.value.startswith(_VOCABULARIES)


def _property_of(predicate: str, draft: Draft, shape: Shape, known: Mapping[str, str]) -> str | None:
    if not shape.facts:
        return predicate if predicate in draft.properties else None
    space, slash, local = predicate.rpartition("/")
    return known.get(local) if space + slash in shape.facts else None


def number(text: str) -> int:
    """Read a count; what is none is 0."""
    try:
        return max(0, int(float(text)))
    except (ValueError, OverflowError):
        return 0
