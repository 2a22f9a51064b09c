"""A build from its first query to a finished draft: which builder, in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from plugins.schema.builders import freebase, wikidata
from plugins.schema.builders.answers import Answers, StoreAnswers
from plugins.schema.builders.counts import SHAPES, count_evidence, count_usage
from plugins.schema.builders.files import given, lines, loaded
from plugins.schema.builders.induced import induce
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.texts import LANGUAGES
from plugins.schema.builders.wikidata_tables import read_tables
from plugins.schema.draft import Draft
from plugins.schema.model import GRAPHS, GraphKind
from proxy.errors import UsageError

# A query that has a row for a graph of this kind.
_SIGNS: Mapping[GraphKind, str] = {
    "wikidata": "?s <http://wikiba.se/ontology#propertyType> ?o",
    "freebase": f"?s <{freebase.NS}type.property.schema> ?o",
}
# Two rows of the published table run into each other; a file of another kind has nothing but such rows.
_WRONG_ROWS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a build should do.

    Shapes: ``graph`` is empty where the data shall tell; ``hierarchy`` says whether an endpoint is asked for all
    superclasses or only for those above the classes of constraints; ``ancestors`` what becomes of tables of ancestors;
    ``dates`` the days of the parts, in ISO form; ``prefixes`` what ids of an RDF graph are written with.
    """

    graph: GraphKind | Literal[""] = ""
    languages: Sequence[str] = LANGUAGES
    hierarchy: Literal["above", "whole"] = "above"
    ancestors: Literal["fill", "join"] = "fill"
    dates: Mapping[str, str] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)


async def from_files(paths: Sequence[Path], recipe: Recipe, progress: Progress) -> Draft:
    """Build from RDF files and tables. Raises UsageError."""
    files = given(paths)
    prefixes: dict[str, str] = {}
    progress.part(f"loading {len(files.rdf)} RDF files")
    with loaded(files.rdf, prefixes) as store:
        progress.step(len(store))
        progress.end()
        answers = StoreAnswers(store)
        graph = recipe.graph or await detect(answers)
        if graph == "freebase":
            draft = await _freebase(answers if files.rdf else None, files.tables, progress)
        else:
            if files.tables and graph != "wikidata":
                raise UsageError(f"{files.tables[0]}: tables are for --graph wikidata and freebase")
            draft = await _read(answers, graph, recipe, files.tables, prefixes, progress)
        if files.rdf and not draft.counted:
            # Partitions have counted a whole graph already; the files are only its description.
            await _measure(answers, draft, graph, progress)
    return _dated(draft, recipe)


async def from_answers(answers: Answers, recipe: Recipe, progress: Progress) -> Draft:
    """Build from an endpoint. What reads the whole graph is done only where the endpoint may be asked that."""
    graph = recipe.graph or await detect(answers)
    if graph == "freebase":
        draft = await _freebase(answers, (), progress)
    else:
        draft = await _read(answers, graph, recipe, (), recipe.prefixes, progress)
    if answers.whole:
        await _measure(answers, draft, graph, progress)
    else:
        await count_usage(answers, draft, SHAPES[graph], progress)
    return _dated(draft, recipe)


async def detect(answers: Answers) -> GraphKind:
    """Return what kind of graph it is, by what is in it."""
    for graph, pattern in _SIGNS.items():
        if await answers.ask("detect", f"SELECT ?s ?o {{ {pattern} }} LIMIT 1"):
            return graph
    return "rdf"


async def _read(
    answers: Answers,
    graph: GraphKind,
    recipe: Recipe,
    tables: Sequence[Path],
    prefixes: Mapping[str, str],
    progress: Progress,
) -> Draft:
    if graph == "rdf":
        # rdflib takes its time to import, and only these graphs need it.
        from plugins.schema.builders import rdf

        draft = rdf.new_draft(prefixes)
        await rdf.read_schema(answers, draft, progress)
        return draft
    draft = wikidata.new_draft()
    builder = wikidata.WikidataBuilder(answers, draft, progress, recipe.languages)
    await builder.properties()
    read_tables(tables, draft, progress)
    if answers.whole or recipe.hierarchy == "whole":
        await builder.hierarchy()
    else:
        await builder.hierarchy_above()
    if recipe.ancestors == "fill":
        draft.fill_gaps()
    else:
        draft.join_ancestors()
    await builder.class_texts()
    return draft


async def _freebase(answers: Answers | None, tables: Sequence[Path], progress: Progress) -> Draft:
    triples, rows = freebase.FreebaseSchema(), freebase.FreebaseSchema()
    if answers is not None:
        await freebase.read_triples(answers, triples, progress)
    draft = freebase.new_draft()
    # Roles first: a table of reverses speaks of properties that another one makes.
    for path in sorted(tables, key=lambda each: "reverse" in each.name):
        draft.notes += _freebase_table(path, rows, progress)
    if answers is not None and tables:
        draft.notes += freebase.differences(triples, rows)
    for note in draft.notes:
        progress.say(f"note: {note}")
    freebase.merge(triples, rows)
    triples.fill(draft)
    return draft


def _freebase_table(path: Path, rows: freebase.FreebaseSchema, progress: Progress) -> list[str]:
    """Read a table, and return a note for each row that is none. Raises UsageError where they are many."""
    progress.part(path.name)
    notes: list[str] = []
    for number, row in enumerate(lines(path), 1):
        wrong = freebase.read_row(rows, row)
        if wrong:
            notes.append(f"{path.name}, line {number} is left out: {wrong}")
        if len(notes) > _WRONG_ROWS:
            raise UsageError(f"{path}, line {number}: {wrong}")
        progress.step()
    progress.end()
    return notes


async def _measure(answers: Answers, draft: Draft, graph: GraphKind, progress: Progress) -> None:
    shape = SHAPES[graph]
    await count_usage(answers, draft, shape, progress)
    await count_evidence(answers, draft, shape, progress)
    await induce(answers, draft, shape, progress)


def _dated(draft: Draft, recipe: Recipe) -> Draft:
    if not draft.properties:
        raise UsageError(
            f"no properties were found for the graph {draft.graph!r}: "
            f"is it another one (--graph {'|'.join(GRAPHS)}), or does its schema lie in another file?"
        )
    draft.dates.update(recipe.dates)
    return draft
