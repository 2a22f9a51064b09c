"""Round trips of random answers between all formats, cut anywhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import pyoxigraph as ox
import pytest
import rdflib
from hypothesis import given
from hypothesis import strategies as st

from proxy.results.formats import Format
from proxy.results.solution_writers import SOLUTION_WRITERS
from proxy.results.state import State
from proxy.results.statement_readers import TurtleStatements
from proxy.results.statement_writers import STATEMENT_WRITERS
from proxy.results.terms import XSD, Solution, Statement, Term, blank, iri, literal, triple
from proxy.results.transcode import rows, transcoded
from proxy.syntax import Form
from tests.bench.mutations.dialects import RDF_FORMATS, ox_quads

CONSTRUCT = Form.CONSTRUCT
SOLUTION_FORMATS = (Format.JSON, Format.XML, Format.TSV)
# What XML can hold; other formats hold more, see `anything`.
_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
anything = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
readable = anything.map(lambda text: _XML.sub("?", text))
iris = st.from_regex(r"(http://[a-z]{1,4}\.org/|urn:[a-z]:)[A-Za-z0-9_\-äé𝒳]{0,8}", fullmatch=True).map(iri)
blanks = st.one_of(st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_\-]{0,5}", fullmatch=True), st.just("nodeID://b1")).map(blank)
predicates = st.sampled_from(("http://e.org/p", "http://e.org/ns#q-1", "urn:x:name")).map(iri)
tags = st.sampled_from(("en", "de-CH-1996", "zh-Hans"))


def literals(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(literal, texts),
        st.builds(literal, texts, st.sampled_from((XSD + "integer", XSD + "double", XSD + "decimal", "urn:d"))),
        st.sampled_from(("1", "-1.5", "+.5e3", "1.", "INF", "")).map(lambda text: literal(text, XSD + "double")),
        st.builds(literal, texts, st.just(""), tags, st.sampled_from(("", "ltr", "rtl"))),
    )


def terms(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Term]:
    simple = st.one_of(iris, blanks, literals(texts))
    triples = st.builds(triple, st.one_of(iris, blanks), predicates, simple)
    return st.one_of(simple, triples, st.builds(triple, iris, predicates, triples))


def answers(texts: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[list[str], list[Solution]]]:
    names = st.lists(st.sampled_from(("x", "y", "größe", "a_1", "Z", "_q")), min_size=1, max_size=5, unique=True)

    def with_rows(columns: list[str]) -> st.SearchStrategy[tuple[list[str], list[Solution]]]:
        row = st.dictionaries(st.sampled_from(columns), terms(texts))
        return st.tuples(st.just(columns), st.lists(row, max_size=6))

    return names.flatmap(with_rows)


async def parts(body: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


def written(fmt: Format, columns: Sequence[str], solutions: Sequence[Solution]) -> bytes:
    writer = SOLUTION_WRITERS[fmt]()
    return (writer.start(columns) + writer.rows(solutions) + writer.end()).encode()


def convert(body: bytes, origin: Format, target: Format, form: Form, size: int) -> bytes:
    async def run() -> bytes:
        return b"".join([chunk async for chunk in transcoded(parts(body, size), origin, target, form)])

    return asyncio.run(run())


def read(body: bytes, fmt: Format, size: int) -> list[Solution]:
    async def run() -> list[Solution]:
        return [row async for row in rows(parts(body, size), fmt)]

    return asyncio.run(run())


class Numbered:
    """Call blank nodes by the order in which they come: a label may change on the way, but only as a whole."""

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}

    def term(self, term: Term) -> Term:
        if term.triple is not None:
            return triple(*map(self.term, term.triple))
        if term.kind != "blank":
            return term
        return blank(self.labels.setdefault(term.value, f"n{len(self.labels)}"))


def normal(solutions: Sequence[Solution]) -> list[Solution]:
    number = Numbered().term
    return [{name: number(row[name]) for name in sorted(row)} for row in solutions]


def normal_graph(graph: Sequence[Statement]) -> list[Statement]:
    number = Numbered().term
    return [(number(subject), predicate, number(object_)) for subject, predicate, object_ in graph]


sizes = st.sampled_from((1, 2, 3, 7, 20, 100, 1 << 20))


@given(answers(readable), st.sampled_from(SOLUTION_FORMATS), st.sampled_from(SOLUTION_FORMATS), sizes)
def test_solutions_survive_from_any_format_to_any(
    answer: tuple[list[str], list[Solution]], origin: Format, target: Format, size: int
) -> None:
    columns, solutions = answer
    body = convert(written(origin, columns, solutions), origin, target, Form.SELECT, size)
    assert normal(read(body, target, size)) == normal(solutions)


@given(answers(anything), sizes)
def test_json_and_tsv_hold_every_character(answer: tuple[list[str], list[Solution]], size: int) -> None:
    columns, solutions = answer
    there = convert(written(Format.JSON, columns, solutions), Format.JSON, Format.TSV, Form.SELECT, size)
    back = convert(there, Format.TSV, Format.JSON, Form.SELECT, size)
    assert normal(read(back, Format.JSON, size)) == normal(solutions)


@given(answers(readable), st.sampled_from(SOLUTION_FORMATS))
def test_oxigraph_reads_what_we_write(answer: tuple[list[str], list[Solution]], fmt: Format) -> None:
    columns, solutions = answer
    oxigraph = {
        Format.JSON: ox.QueryResultsFormat.JSON,
        Format.XML: ox.QueryResultsFormat.XML,
        Format.TSV: ox.QueryResultsFormat.TSV,
    }
    found = ox.parse_query_results(written(fmt, columns, normal(solutions)), format=oxigraph[fmt])
    assert isinstance(found, ox.QuerySolutions)
    names = [variable.value for variable in found.variables]
    ours = [
        {name: quad.object for name, quad in zip(row, ox_quads([_about(term) for term in row.values()]), strict=True)}
        for row in normal(solutions)
    ]
    theirs = [{name: row[name] for name in names if row[name] is not None} for row in found]
    if fmt is Format.XML:
        # Oxigraph's reader strips the white space of XML literals.
        assert list(map(_stripped, theirs)) == list(map(_stripped, ours))
        return
    assert (names, theirs) == (columns, ours)


def _stripped(row: Mapping[str, Any]) -> dict[str, object]:
    def plain(term: Any) -> object:
        return (term.value.strip(), term.language, term.datatype) if isinstance(term, ox.Literal) else str(term)

    return {name: plain(found) for name, found in row.items()}


def _about(term: Term) -> Statement:
    return iri("urn:s"), iri("urn:p"), term


def statements(objects: st.SearchStrategy[Term]) -> st.SearchStrategy[list[Statement]]:
    return st.lists(st.tuples(st.one_of(iris, blanks), predicates, objects), max_size=8)


def written_graph(fmt: Format, graph: Sequence[Statement]) -> bytes:
    writer = STATEMENT_WRITERS[fmt]()
    return (writer.start() + writer.statements(graph) + writer.end()).encode()


@given(
    statements(terms(readable)),
    st.sampled_from((Format.NTRIPLES, Format.TURTLE, Format.RDFXML)),
    st.sampled_from(tuple(STATEMENT_WRITERS)),
    sizes,
)
def test_graphs_survive_from_any_format_to_any(
    graph: list[Statement], origin: Format, target: Format, size: int
) -> None:
    if origin is target:
        return
    if target is Format.JSONLD:
        graph = [statement for statement in graph if statement[2].triple is None]
    body = convert(written_graph(origin, graph), origin, target, CONSTRUCT, size)
    expected = ox_quads(normal_graph(graph))
    found = [ox.Quad(*triple) for triple in ox.parse(body, format=RDF_FORMATS[target])]
    if target is Format.JSONLD:
        # JSON-LD's reading of directions is an option that Oxigraph leaves off.
        expected, found = list(map(_plain, expected)), list(map(_plain, found))
    assert canonical(found) == canonical(expected)


def canonical(quads: list[ox.Quad]) -> ox.Dataset:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def _plain(quad: ox.Quad) -> ox.Quad:
    found = quad.object
    if isinstance(found, ox.Literal) and found.language:
        return ox.Quad(quad.subject, quad.predicate, ox.Literal(found.value, language=found.language))
    return quad


@given(statements(terms(anything)), sizes)
def test_turtle_holds_triple_terms_and_every_character(graph: list[Statement], size: int) -> None:
    body = convert(written_graph(Format.NTRIPLES, graph), Format.NTRIPLES, Format.TURTLE, CONSTRUCT, size)
    reader = TurtleStatements(State())
    reader.feed(convert(body, Format.TURTLE, Format.NTRIPLES, CONSTRUCT, size))
    reader.finish()
    assert normal_graph(reader.statements) == normal_graph(graph)


@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated:DeprecationWarning")  # rdflib's own JSON-LD reader
@given(statements(st.one_of(iris, st.builds(literal, readable, st.just(""), st.one_of(st.just(""), tags)))))
def test_rdflib_reads_what_we_write(graph: list[Statement]) -> None:
    names = {Format.TURTLE: "turtle", Format.NTRIPLES: "nt", Format.RDFXML: "xml", Format.JSONLD: "json-ld"}
    graph = [statement for statement in graph if statement[0].kind == "iri"]
    expected = {(rdflib.URIRef(s.value), rdflib.URIRef(p.value), _rdflib(o)) for s, p, o in graph}
    for fmt, name in names.items():
        found = rdflib.Graph().parse(data=written_graph(fmt, graph), format=name)
        assert set(found) == expected, fmt


def _rdflib(term: Term) -> rdflib.term.Node:
    if term.kind == "iri":
        return rdflib.URIRef(term.value)
    return rdflib.Literal(term.value, lang=term.language or None)
