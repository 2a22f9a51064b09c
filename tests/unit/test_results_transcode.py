from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

from proxy.errors import NotAcceptable, Truncated, UpstreamTimeout
from proxy.results.formats import BINDINGS, GRAPHS, Format
from proxy.results.terms import XSD, Solution, Term, blank, iri, literal, triple
from proxy.results.transcode import can_transcode, rows, transcoded
from proxy.syntax import Form

A, B = iri("urn:a"), iri("urn:b")


async def source(body: bytes, size: int = 1 << 20) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


async def convert(body: str, origin: Format, target: Format, form: Form = Form.SELECT, size: int = 1 << 20) -> str:
    parts = [chunk async for chunk in transcoded(source(body.encode(), size), origin, target, form)]
    return b"".join(parts).decode()


async def written(target: Format, columns: Sequence[str], *solutions: Solution) -> str:
    """Write solutions through JSON, and check that they are read again."""
    from proxy.results.solution_writers import JsonWriter

    writer = JsonWriter()
    body = writer.start(columns) + writer.rows(solutions) + writer.end()
    assert [row async for row in rows(source(body.encode(), 7), Format.JSON)] == list(solutions)
    return await convert(body, Format.JSON, target)


def test_what_can_be_turned_into_what() -> None:
    for form in (Form.SELECT, Form.CONSTRUCT):
        for fmt in Format:
            assert can_transcode(fmt, fmt, form)
    for origin in (Format.JSON, Format.XML, Format.TSV):
        assert all(can_transcode(origin, target, Form.SELECT) for target in BINDINGS)
        assert not any(can_transcode(origin, target, Form.CONSTRUCT) for target in GRAPHS)
    for origin in (Format.NTRIPLES, Format.TURTLE, Format.RDFXML):
        assert all(can_transcode(origin, target, Form.CONSTRUCT) for target in GRAPHS)
    assert not can_transcode(Format.CSV, Format.JSON, Form.SELECT)
    assert not can_transcode(Format.JSONLD, Format.TURTLE, Form.CONSTRUCT)
    assert can_transcode(Format.JSON, Format.XML, Form.ASK)
    assert not can_transcode(Format.JSON, Format.CSV, Form.ASK)


async def test_what_cannot_be_turned_is_refused_at_once() -> None:
    with pytest.raises(NotAcceptable, match="text/csv cannot be turned"):
        transcoded(source(b""), Format.CSV, Format.JSON, Form.SELECT)
    with pytest.raises(NotAcceptable):
        await anext(rows(source(b"s\r\n"), Format.CSV))


async def test_csv_is_written_by_the_letter_of_the_standard() -> None:
    text = await written(
        Format.CSV,
        ["x", "y"],
        {"x": literal('say "hi", now\nor\r\nnever'), "y": iri("urn:a")},
        {"y": blank("b0")},
        {"x": literal(" 1 ", XSD + "integer"), "y": literal("", "", "en")},
    )
    assert text == 'x,y\r\n"say ""hi"", now\nor\r\nnever",urn:a\r\n,_:b0\r\n 1 ,\r\n'


async def test_tsv_is_written_by_the_letter_of_the_standard() -> None:
    text = await written(
        Format.TSV,
        ["x", "y"],
        {"x": literal('tab\t "q" \\ \r\n'), "y": iri("urn:a b<c>")},
        {"y": blank("nodeID://b1")},
        {"x": literal("12", XSD + "integer"), "y": literal("-1.5e3", XSD + "double")},
        {"x": literal("1.", XSD + "decimal"), "y": literal("x", "", "ar", "rtl")},
        {"x": triple(A, B, triple(A, B, literal("z", "", "en")))},
    )
    assert text.splitlines() == [
        "?x\t?y",
        '"tab\\t \\"q\\" \\\\ \\r\\n"\t<urn:a\\u0020b\\u003Cc\\u003E>',
        "\t_:x-nodeID-3a--2f--2f-b1",
        "12\t-1.5e3",
        f'"1."^^<{XSD}decimal>\t"x"@ar--rtl',
        '<<( <urn:a> <urn:b> <<( <urn:a> <urn:b> "z"@en )>> )>>\t',
    ]


@pytest.mark.parametrize("target", [Format.XML, Format.JSON])
async def test_an_ask_and_an_empty_answer(target: Format) -> None:
    origin = Format.JSON if target is Format.XML else Format.XML
    there = await convert('{"head":{},"boolean":true}', Format.JSON, Format.XML, Form.ASK)
    again = await convert(there, Format.XML, Format.JSON, Form.ASK)
    assert again == '{"head":{},"boolean":true}'
    empty = '{"head":{"vars":["a","b"]},"results":{"bindings":[]}}'
    body = empty if origin is Format.JSON else await convert(empty, Format.JSON, Format.XML)
    assert empty in (await convert(body, origin, target), body)


async def test_a_head_that_comes_last_is_waited_for() -> None:
    body = '{"results":{"bindings":[{"b":{"type":"uri","value":"urn:b"}}]},"head":{"vars":["a","b"]}}'
    assert await convert(body, Format.JSON, Format.CSV, size=5) == "a,b\r\n,urn:b\r\n"


async def test_a_triple_term_in_csv_is_refused_before_the_first_byte() -> None:
    with pytest.raises(NotAcceptable, match="triple terms"):
        await written(Format.CSV, ["x"], {"x": triple(A, B, A)})


@pytest.mark.parametrize("target", [Format.XML])
async def test_a_character_that_xml_has_not_is_refused(target: Format) -> None:
    with pytest.raises(NotAcceptable, match="U\\+0007"):
        await written(target, ["x"], {"x": literal("bell \x07")})


async def test_half_a_surrogate_pair_becomes_a_replacement() -> None:
    body = '{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"x\\ud83d"}}]}}'
    assert await convert(body, Format.JSON, Format.CSV) == "a\r\nx?\r\n"


@pytest.mark.parametrize(
    ("origin", "target", "body"),
    [
        (Format.JSON, Format.CSV, '{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"uri","value":"urn:a"}}'),
        (Format.TSV, Format.JSON, "?a\n<urn:a>\n<urn:b"),
        (Format.NTRIPLES, Format.TURTLE, "<urn:a> <urn:b> <urn:c> .\n<urn:a> <urn:b>"),
        (Format.TURTLE, Format.JSONLD, "<urn:a> <urn:b> <urn:c> ;"),
    ],
)
async def test_a_broken_source_never_ends_cleanly(origin: Format, target: Format, body: str) -> None:
    form = Form.CONSTRUCT if origin.is_graph else Form.SELECT
    with pytest.raises(Truncated):
        await convert(body, origin, target, form, size=3)


async def test_errors_of_the_source_pass() -> None:
    async def failing() -> AsyncIterator[bytes]:
        yield b"?a\n<urn:a>\n"
        raise UpstreamTimeout("too slow")

    stream = transcoded(failing(), Format.TSV, Format.JSON, Form.SELECT)
    assert await anext(stream) == b'{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"uri","value":"urn:a"}}'
    with pytest.raises(UpstreamTimeout):
        await anext(stream)


GRAPH = (
    "_:b1 <http://e.org/ns#p> <urn:o> .\n"
    '_:b1 <http://e.org/ns#p> "x & <y>\\n"@en-GB .\n'
    '_:b1 <http://e.org/p/q> "1"^^<urn:d> .\n'
    "<urn:s> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> _:b1 .\n"
    '<urn:s> <http://e.org/p/q> "x"@ar--rtl .\n'
)


async def test_turtle_puts_one_subject_together() -> None:
    text = await convert(GRAPH, Format.NTRIPLES, Format.TURTLE, Form.CONSTRUCT)
    assert text == (
        '_:b1 <http://e.org/ns#p> <urn:o> , "x & <y>\\n"@en-GB ;\n    <http://e.org/p/q> "1"^^<urn:d> .\n'
        '<urn:s> a _:b1 ;\n    <http://e.org/p/q> "x"@ar--rtl .\n'
    )


@pytest.mark.parametrize("middle", [Format.TURTLE, Format.RDFXML])
async def test_a_graph_survives_there_and_back(middle: Format) -> None:
    there = await convert(GRAPH, Format.NTRIPLES, middle, Form.CONSTRUCT)
    assert await convert(there, middle, Format.NTRIPLES, Form.CONSTRUCT, size=1) == GRAPH


async def test_a_property_that_is_no_element_name_is_refused_in_rdfxml() -> None:
    with pytest.raises(NotAcceptable, match="cannot write the property"):
        await convert("<urn:s> <http://e.org/1> <urn:o> .\n", Format.NTRIPLES, Format.RDFXML, Form.CONSTRUCT)


async def test_triple_terms_are_refused_in_jsonld() -> None:
    body = "<urn:s> <http://e.org/p> <<( <urn:a> <urn:b> <urn:c> )>> .\n"
    with pytest.raises(NotAcceptable, match="triple terms"):
        await convert(body, Format.NTRIPLES, Format.JSONLD, Form.CONSTRUCT)


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (Format.TURTLE, ""),
        (Format.NTRIPLES, ""),
        (Format.JSONLD, "[]\n"),
        (Format.RDFXML, "</rdf:RDF>\n"),
    ],
)
async def test_an_empty_graph_is_whole_in_every_format(target: Format, text: str) -> None:
    body = "# nothing here\n"
    if target is not Format.NTRIPLES:
        assert (await convert(body, Format.NTRIPLES, target, Form.CONSTRUCT)).endswith(text)
    assert await convert(body, Format.TURTLE, Format.NTRIPLES, Form.CONSTRUCT) == ""


def test_terms_have_one_normal_form() -> None:
    assert literal("x", XSD + "string") == literal("x") == Term("literal", "x")
    assert literal("x", "urn:d", "en") == literal("x", "", "en")
