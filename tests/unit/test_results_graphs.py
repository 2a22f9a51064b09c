"""Turtle, N-Triples, RDF/XML and JSON-LD."""

from __future__ import annotations

import pyoxigraph as ox
import pytest

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State
from proxy.results.statement_readers import STATEMENT_READERS
from tests.bench.mutations.dialects import RDF_FORMATS, ox_quads

RDF_NS = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
NT = "<urn:s> <urn:p> "


def check(fmt: Format, body: str, size: int = 1 << 30) -> State:
    data = body.encode()
    state = State()
    checker = checker_for(fmt, state)
    for start in range(0, len(data), size):
        checker.feed(data[start : start + size])
    checker.finish()
    return state


def canonical(quads: list[ox.Quad]) -> ox.Dataset:
    dataset = ox.Dataset(quads)
    dataset.canonicalize(ox.CanonicalizationAlgorithm.UNSTABLE)
    return dataset


def rdfxml(text: str) -> str:
    return (
        f'<?xml version="1.0"?><rdf:RDF xmlns:rdf="{RDF_NS}" xmlns:e="http://e.org/" xml:base="http://b.org/d">'
        f"{text}</rdf:RDF>"
    )


WHOLE_TURTLE = [
    ("", 0),
    ("# nothing", 0),
    ("@prefix e: <http://e.org/> .\ne:s e:p e:o, e:o2 ; a e:T . # end", 3),
    ("PREFIX e: <http://e.org/>\nBASE <http://b.org/>\ne:s <p> <o>.e:s e:p 5 .e:s e:p -5.5e3 , .5, true .", 5),
    ('@prefix : <urn:x:> .\n:s :p """long "quoted"\n text""", \'\'\'it\'s\'\'\'@en, \'x\'^^:d, "y"^^<urn:d>, "" .', 5),
    ("@prefix : <urn:x:> .\n[] :p [ :q 1 ; :r [] ] .\n[ :p 2 ] .\n:s :p ( 1 [ :q 2 ] () ) ;; .", 12),
    ("@prefix : <urn:x:> .\n:a.b:c%20\\~ :p-1 _:b.1 .\n_:b.1 a :T .", 2),
    ('@prefix : <urn:x:> .\n:s :p "x"@ar--rtl, <<( :a :b <<( :c :d 1 )>> )>> .', 2),
    ("@prefix : <urn:x:> .\n<< :a :b :c ~ :r >> :p 1 .\n:s :p :o ~ :r {| :q 1 |} .\n<< :a :b 1 >> .", 6),
    ("@prefix : <urn:x:> .\n:s :p :o ~ {| :q 1 |} , :o2 {| :q 2 ; :q 3 |} , :o3 ~ ~ :r .", 10),
    ('VERSION "1.2"\n@version "1.2" .\n<urn:s> <urn:p> <urn:o with space> .', 1),
]  # fmt: skip


@pytest.mark.parametrize(("body", "rows"), WHOLE_TURTLE)
def test_whole_turtle_passes_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 3, 50, 1 << 30):
        assert check(Format.TURTLE, body, size).rows == rows


@pytest.mark.parametrize("body", [body for body, _ in WHOLE_TURTLE if "with space" not in body])
def test_turtle_is_read_as_oxigraph_reads_it(body: str) -> None:
    reader = STATEMENT_READERS[Format.TURTLE](State())
    reader.feed(body.encode())
    reader.finish()
    theirs = [ox.Quad(*triple) for triple in ox.parse(body.encode(), format=ox.RdfFormat.TURTLE)]
    assert canonical(ox_quads(reader.statements)) == canonical(theirs)


@pytest.mark.parametrize(
    "body",
    [
        "<html><body>504</body></html>",
        "java.lang.Error: timeout\n\tat java.lang.Thread",
        "e:s e:p e:o .",
        "@prefix e: <http://e.org/> .\ne:s e:p e:o",
        "@prefix e: <http://e.org/> .\ne:s e:p e:o ;",
        "@prefix e: <http://e.org/> .\ne:s e:p e:o, .",
        "@prefix e: <http://e.org/>\ne:s e:p e:o .",
        "@prefix e: <http://e.org/> .\ne:s e:p e:o .\nSPARQL-QUERY: queryStr=SELECT ?x",
        "@prefix e: <http://e.org/> .\ne:s e:p [ e:q 1 .",
        "@prefix e: <http://e.org/> .\ne:s e:p ( 1 .",
        '@prefix e: <http://e.org/> .\ne:s e:p "x',
        '@prefix e: <http://e.org/> .\ne:s e:p """x" .\n e:s e:p e:o .',
        '@prefix e: <http://e.org/> .\ne:s "p" e:o .',
        '@prefix e: <http://e.org/> .\n"s" e:p e:o .',
        "@prefix e: <http://e.org/> .\ne:s e:p <<( e:a e:b )>> .",
        "@prefix e: <http://e.org/> .\ne:s e:p e:o {| e:a e:b .",
        "@prefix e: <http://e.org/> .\n[] .",
        '{"status":"ERROR"}',
        NT + "<urn:o",
        NT + '"\\x" .',
        NT + "<urn:o> ." + NT + '"\ud7ff\\uDFFF" .',
    ],
)
def test_broken_turtle_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 3, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.TURTLE, body, size)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("", 0),
        ("\n# comment\n\n", 0),
        (NT + "<urn:o> .\n", 1),
        (NT + '"x"@en-GB .', 1),
        (NT + '"x"^^<urn:d>. # why\r\n\t' + NT + "_:b1.2 .\r\n", 2),
        (NT + '"x\\n\\u00e9\\U0001F600"@ar--rtl .\n' + NT + "<<( <urn:a> <urn:b> _:c )>> .\n", 2),
        (NT + "5 .\n" + NT + "5.5 .\n" + NT + "true .\n", 3),
    ],
)
def test_whole_ntriples_pass_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 3, 1 << 30):
        assert check(Format.NTRIPLES, body, size).rows == rows


@pytest.mark.parametrize(
    "body",
    [
        NT + "<urn:o>",
        NT + "<urn:o> .\n" + NT,
        NT + '"x\n" .',
        NT + "plain .",
        NT + "<urn:o> . junk\n",
        '<urn:s> "p" <urn:o> .',
        '"s" <urn:p> <urn:o> .',
        NT + "<urn:o> .\njava.lang.Error\n",
        NT + "<urn:o> .\n<html>",
        NT + '"\\q" .\n',
        NT + '"x"@1 .\n',
    ],
)
def test_broken_ntriples_are_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 3, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.NTRIPLES, body, size)


WHOLE_RDFXML = [
    (rdfxml(""), 0),
    (f'<rdf:Description xmlns:rdf="{RDF_NS}" xmlns:e="http://e.org/" rdf:about="urn:a" e:p="1"/>', 1),
    (rdfxml('<e:T rdf:about="#a"><e:p rdf:resource="x"/><e:q xml:lang="en">v</e:q><e:r rdf:nodeID="n"/></e:T>'), 4),
    (rdfxml('<rdf:Description><e:p><rdf:Description e:q="1"/></e:p><e:p e:q="2"/></rdf:Description>'), 4),
    (rdfxml('<rdf:Bag rdf:ID="i"><rdf:li>1</rdf:li><rdf:li rdf:datatype="urn:d">2</rdf:li></rdf:Bag>'), 3),
    (rdfxml('<e:T><e:p rdf:parseType="Resource"><e:q>1</e:q><e:q/></e:p></e:T>'), 4),
    (rdfxml('<e:T><e:p rdf:parseType="Collection"><e:A/><e:B/></e:p><e:p rdf:parseType="Collection"/></e:T>'), 9),
    (rdfxml('<e:T><e:p rdf:ID="r">x</e:p></e:T>'), 6),
    (rdfxml('<e:T rdf:type="urn:t"><e:p rdf:datatype="urn:d">ab</e:p></e:T>'), 3),
]


@pytest.mark.parametrize(("body", "rows"), WHOLE_RDFXML)
def test_whole_rdfxml_passes_and_is_read_as_oxigraph_reads_it(body: str, rows: int) -> None:
    for size in (1, 100, 1 << 30):
        assert check(Format.RDFXML, body, size).rows == rows
    reader = STATEMENT_READERS[Format.RDFXML](State())
    reader.feed(body.encode())
    reader.finish()
    theirs = [ox.Quad(*triple) for triple in ox.parse(body.encode(), format=ox.RdfFormat.RDF_XML)]
    assert canonical(ox_quads(reader.statements)) == canonical(theirs)


def test_xml_literals_are_kept_as_markup() -> None:
    reader = STATEMENT_READERS[Format.RDFXML](State())
    reader.feed(
        rdfxml('<e:T rdf:about="urn:a"><e:p rdf:parseType="Literal">a &lt; <e:b c="d">x</e:b></e:p></e:T>').encode()
    )
    reader.finish()
    found = reader.statements[-1][2]
    assert found.datatype == RDF_NS + "XMLLiteral"
    assert found.value == 'a &lt; <b xmlns="http://e.org/" c="d">x</b>'


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html/>",
        rdfxml("")[:-1],
        rdfxml("") + rdfxml(""),
        rdfxml("java.lang.Error"),
        rdfxml('<e:T rdf:abouf="urn:a"/>'),
        rdfxml('<e:T rdf:about="urn:a" rdf:nodeID="b"/>'),
        rdfxml('<e:T rdf:nodeID="b and more"/>'),
        rdfxml("<e:T><e:p>text<e:U/></e:p></e:T>"),
        rdfxml("<e:T><e:p><e:U/><e:U/></e:p></e:T>"),
        rdfxml("<e:T>text<e:p/></e:T>"),
        rdfxml('<e:T><e:p rdf:resource="urn:a" rdf:nodeID="b"/></e:T>'),
        rdfxml("<e:T><p/></e:T>"),
        rdfxml("<e:T><rdf:Description/></e:T>"),
        rdfxml("<rdf:RDF/>"),
        '<!DOCTYPE rdf:RDF [<!ENTITY e "http://e.org/">]>' + rdfxml(""),
        rdfxml("<e:T><e:p>" * 100),
    ],
)
def test_broken_rdfxml_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 7, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.RDFXML, body, size)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("[]", 0),
        ("{}", 0),
        ('[{"@id":"urn:a","@type":["urn:t"],"urn:p":[{"@value":"x"},{"@id":"urn:b"}]},{"@id":"urn:b"}]', 3),
        ('{"@context":{"e":"http://e.org/"},"@id":"e:a","e:p":"x","e:q":["y",1.5,true]}', 4),
        ('{"@graph":[{"@id":"urn:a","urn:p":{"@id":"urn:b","urn:q":1}},{"urn:p":2}],"@context":{}}', 3),
        ('[{"urn:p":[{"@list":[{"@value":1},{"@value":2}]}]}, {"urn:p":[[[[[[[1]]]]]]]}]', 2),
    ],
)
def test_whole_jsonld_passes_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 9, 1 << 30):
        assert check(Format.JSONLD, body, size).rows == rows


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[",
        '"x"',
        "[1]",
        "[{},]",
        '[{"@id":"urn:a"}][]',
        '[{"@id":"urn:a","@id":"urn:b"},{}]',
        '[{"@id":"urn:a","urn:p":[{"@valuf":"x"}]}]',
        '[{"@id":"urn:a","urn:p":[{"@language":"en","Avalue":"x"}]}]',
        '[{"@id":"urn:a","urn:p":[{"@value":"x","urn:q":1}]}]',
        '[{"@id":"urn:a"},java.lang.Error]',
        '{"@graph":[{"@id":"urn:a"}]} trailing',
        "[" + '{"urn:p":' * 100,
    ],
)
def test_broken_jsonld_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 9, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.JSONLD, body, size)


@pytest.mark.parametrize("fmt", list(RDF_FORMATS))
def test_one_endless_row_is_refused(fmt: Format) -> None:
    starts = {
        Format.TURTLE: NT + '"',
        Format.NTRIPLES: NT + '"',
        Format.RDFXML: rdfxml("")[:-10] + "<e:T><e:p>",
        Format.JSONLD: '[{"urn:p":"',
    }
    with pytest.raises(Truncated, match="longer than"):
        check(fmt, starts[fmt] + "x" * (17 << 20), 1 << 18)
