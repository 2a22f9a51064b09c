"""Answers as endpoints write them: by Oxigraph itself, and in the style of Virtuoso, Blazegraph, QLever and Fuseki."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

import pyoxigraph as ox

from proxy.results.formats import Format
from proxy.results.terms import Solution, Statement, Term
from tests.bench.mutations.graph import Graph

Results = Callable[[Sequence[str], Sequence[Solution]], bytes]
Graphs = Callable[[Sequence[Statement]], bytes]

_RESULTS = {
    Format.JSON: ox.QueryResultsFormat.JSON,
    Format.XML: ox.QueryResultsFormat.XML,
    Format.CSV: ox.QueryResultsFormat.CSV,
    Format.TSV: ox.QueryResultsFormat.TSV,
}
RDF_FORMATS = {
    Format.TURTLE: ox.RdfFormat.TURTLE,
    Format.NTRIPLES: ox.RdfFormat.N_TRIPLES,
    Format.RDFXML: ox.RdfFormat.RDF_XML,
    Format.JSONLD: ox.RdfFormat.JSON_LD,
}


def ox_term(term: Term) -> ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple:
    """Return Oxigraph's own term."""
    if term.triple:
        subject, predicate, object_ = map(ox_term, term.triple)
        return ox.Triple(subject, predicate, object_)  # type: ignore[arg-type]
    if term.kind == "iri":
        return ox.NamedNode(term.value)
    if term.kind == "blank":
        return ox.BlankNode(term.value)
    if term.direction:
        direction = ox.BaseDirection.LTR if term.direction == "ltr" else ox.BaseDirection.RTL
        return ox.Literal(term.value, language=term.language, direction=direction)
    if term.language:
        return ox.Literal(term.value, language=term.language)
    return ox.Literal(term.value, datatype=ox.NamedNode(term.datatype)) if term.datatype else ox.Literal(term.value)


def ox_quads(statements: Sequence[Statement]) -> list[ox.Quad]:
    """Return Oxigraph's own statements."""
    return [ox.Quad(*map(ox_term, statement)) for statement in statements]  # type: ignore[arg-type]  # any term


def oxigraph_results(fmt: Format) -> Results:
    """Return a writer that asks a real store for the rows."""

    def write(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
        store = ox.Store()
        for number, row in enumerate(rows):
            subject = ox.NamedNode(f"urn:row:{number}")
            store.add(ox.Quad(subject, ox.NamedNode("urn:is"), ox.Literal(number)))
            for name, term in row.items():
                store.add(ox.Quad(subject, ox.NamedNode("urn:" + name), ox_term(term)))
        optional = " ".join(f"OPTIONAL {{ ?row <urn:{name}> ?{name} }}" for name in names)
        variables = " ".join("?" + name for name in names)
        found = store.query(f"SELECT {variables} {{ ?row <urn:is> ?n {optional} }} ORDER BY ?n")
        assert isinstance(found, ox.QuerySolutions)
        return bytes(found.serialize(format=_RESULTS[fmt]) or b"")

    return write


def oxigraph_graph(fmt: Format) -> Graphs:
    """Return a writer that uses Oxigraph's serializer."""

    def write(statements: Sequence[Statement]) -> bytes:
        triples = [ox.Triple(*map(ox_term, statement)) for statement in statements]  # type: ignore[arg-type]
        prefixes = {"ex": "http://example.org/"} if fmt is Format.TURTLE else None
        return bytes(ox.serialize(triples, format=RDF_FORMATS[fmt], prefixes=prefixes) or b"")

    return write


_KINDS = {"iri": "uri", "blank": "bnode", "literal": "literal"}


def _pairs(term: Term) -> dict[str, str]:
    pairs = {"type": _KINDS[term.kind], "value": term.value}
    if term.language:
        pairs["xml:lang"] = term.language
    if term.datatype:
        pairs["datatype"] = term.datatype
    return pairs


def virtuoso_json(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as Virtuoso 7: typed-literal, link, distinct, ordered, its own white space."""

    def one(term: Term) -> str:
        pairs = _pairs(term)
        value = pairs.pop("value")
        if term.datatype:
            pairs["type"] = "typed-literal"
        if term.kind == "blank":
            value = "nodeID://" + value
        return (
            "{ " + ", ".join(f'"{key}": {json.dumps(text)}' for key, text in [*pairs.items(), ("value", value)]) + " }"
        )

    lines = ",\n    ".join(
        "{ " + "\t, ".join(f"{json.dumps(name)}: {one(term)}" for name, term in row.items()) + "}" for row in rows
    )
    head = f'\n{{ "head": {{ "link": [], "vars": {json.dumps(list(names))} }},\n'
    return (head + f'  "results": {{ "distinct": false, "ordered": true, "bindings": [\n    {lines} ] }} }}').encode()


def blazegraph_json(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as Blazegraph: indented, blanks around colons, language and datatype first."""
    bindings = [
        {name: dict(sorted(_pairs(term).items(), key=lambda pair: len(pair[0]) < 8)) for name, term in row.items()}
        for row in rows
    ]
    document = {"head": {"vars": list(names)}, "results": {"bindings": bindings}}
    return json.dumps(document, indent=2, separators=(",", " : "), ensure_ascii=False).encode()


def qlever_json(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as QLever: compact, keys in order of the alphabet, `meta` behind."""
    bindings = [{name: dict(sorted(_pairs(term).items())) for name, term in row.items()} for row in rows]
    document = {
        "head": {"vars": list(names)},
        "results": {"bindings": bindings},
        "meta": {"query-time-ms": 12, "result-size-total": len(rows)},
    }
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def fuseki_json(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as Jena: blanks before commas, language and datatype before the value; here results before the head."""

    def one(term: Term) -> str:
        pairs = _pairs(term)
        value = pairs.pop("value")
        return " , ".join(f'"{key}": {json.dumps(text)}' for key, text in [*pairs.items(), ("value", value)])

    lines = " ,\n      ".join(
        "{ \n        " + " ,\n        ".join(f'"{name}": {{ {one(term)} }}' for name, term in row.items()) + "\n      }"
        for row in rows
    )
    head = f'"head": {{\n    "vars": {json.dumps(list(names))}\n  }}'
    return f'{{ "results": {{\n    "bindings": [\n      {lines}\n    ]\n  }} ,\n  {head}\n}}\n'.encode()


def _xml_term(term: Term) -> str:
    text = escape(term.value, {"\r": "&#13;"})
    if term.kind == "literal":
        extra = f' xml:lang="{term.language}"' if term.language else ""
        extra = f" datatype={quoteattr(term.datatype)}" if term.datatype else extra
        return f"<literal{extra}>{text}</literal>"
    return f"<{_KINDS[term.kind]}>{text}</{_KINDS[term.kind]}>"


def virtuoso_xml(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as Virtuoso: schema attributes on the root, one binding a line."""
    head = "".join(f"\n  <variable name={quoteattr(name)}/>" for name in names)
    lines = "".join(
        "\n  <result>"
        + "".join(f'\n   <binding name="{name}">{_xml_term(term)}</binding>' for name, term in row.items())
        + "\n  </result>"
        for row in rows
    )
    root = (
        '<sparql xmlns="http://www.w3.org/2005/sparql-results#" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        ' xsi:schemaLocation="http://www.w3.org/2001/sw/DataAccess/rf1/result2.xsd">'
    )
    results = f'<results distinct="false" ordered="true">{lines}\n </results>'
    return f"{root}\n <head>{head}\n </head>\n {results}\n</sparql>".encode()


def blazegraph_xml(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as RDF4J: a style sheet, tabs, every term on its own line."""
    head = "".join(f"\n\t\t<variable name='{name}'/>" for name in names)
    lines = "".join(
        "\n\t\t<result>"
        + "".join(
            f"\n\t\t\t<binding name='{name}'>\n\t\t\t\t{_xml_term(t)}\n\t\t\t</binding>" for name, t in row.items()
        )
        + "\n\t\t</result>"
        for row in rows
    )
    opening = "<?xml version='1.0' encoding='UTF-8'?>\n<?xml-stylesheet type='text/xsl' href='/xml-to-html.xsl'?>\n"
    root = "<sparql xmlns='http://www.w3.org/2005/sparql-results#'>"
    return f"{opening}{root}\n\t<head>{head}\n\t</head>\n\t<results>{lines}\n\t</results>\n</sparql>\n".encode()


def virtuoso_csv(names: Sequence[str], rows: Sequence[Solution]) -> bytes:
    """Write as Virtuoso: quotes around the header and all literals, bare line feeds."""

    def one(term: Term | None) -> str:
        if term is None:
            return ""
        return '"' + term.value.replace('"', '""') + '"' if term.kind == "literal" else term.value

    lines = [",".join(f'"{name}"' for name in names), *(",".join(one(row.get(name)) for name in names) for row in rows)]
    return "".join(line + "\n" for line in lines).encode()


def fuseki_rdfxml(statements: Sequence[Statement]) -> bytes:
    """Write as Jena: prefixes on the root, one description a subject."""

    def one(predicate: Term, term: Term) -> str:
        name = "ex:" + predicate.value.rpartition("/")[2]
        if term.kind == "iri":
            return f"    <{name} rdf:resource={quoteattr(term.value)}/>\n"
        if term.kind == "blank":
            return f'    <{name} rdf:nodeID="{term.value}"/>\n'
        extra = f' xml:lang="{term.language}"' if term.language else ""
        extra = f" rdf:datatype={quoteattr(term.datatype)}" if term.datatype else extra
        return f"    <{name}{extra}>{escape(term.value, {chr(13): '&#13;'})}</{name}>\n"

    def name_of(subject: Term) -> str:
        return f"rdf:about={quoteattr(subject.value)}" if subject.kind == "iri" else f'rdf:nodeID="{subject.value}"'

    blocks = "".join(
        f"  <rdf:Description {name_of(subject)}>\n"
        + "".join(one(predicate, object_) for _, predicate, object_ in group)
        + "  </rdf:Description>\n"
        for subject, group in groupby(statements, lambda statement: statement[0])
    )
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    return f'<rdf:RDF\n    xmlns:rdf="{rdf}"\n    xmlns:ex="http://example.org/">\n{blocks}</rdf:RDF>\n'.encode()


def fuseki_jsonld(statements: Sequence[Statement]) -> bytes:
    """Write as Jena: a graph with a context behind."""
    document = json.loads(oxigraph_graph(Format.JSONLD)(statements))
    return json.dumps({"@graph": document, "@context": {"ex": "http://example.org/"}}, indent=2).encode()


RESULTS: dict[Format, tuple[Results, ...]] = {
    Format.JSON: (oxigraph_results(Format.JSON), virtuoso_json, blazegraph_json, qlever_json, fuseki_json),
    Format.XML: (oxigraph_results(Format.XML), virtuoso_xml, blazegraph_xml),
    Format.CSV: (oxigraph_results(Format.CSV), virtuoso_csv),
    Format.TSV: (oxigraph_results(Format.TSV),),
}
GRAPHS: dict[Format, tuple[Graphs, ...]] = {
    Format.TURTLE: (oxigraph_graph(Format.TURTLE),),
    Format.NTRIPLES: (oxigraph_graph(Format.NTRIPLES),),
    Format.RDFXML: (oxigraph_graph(Format.RDFXML), fuseki_rdfxml),
    Format.JSONLD: (oxigraph_graph(Format.JSONLD), fuseki_jsonld),
}


def bodies(fmt: Format, seed: int, rows: int) -> list[bytes]:
    """Return the same answer in every dialect of a format."""
    graph = Graph(seed)
    if fmt.is_graph:
        statements = graph.statements(rows)
        return [write(statements) for write in GRAPHS[fmt]]
    names, solutions = graph.solutions(graph.random.choice((1, 2, 3, 5)), rows)
    return [write(names, solutions) for write in RESULTS[fmt]]
