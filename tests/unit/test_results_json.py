from __future__ import annotations

import json

import pytest

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State

HEAD = '"head":{"vars":["s","o"]}'
ROW = '{"s":{"type":"uri","value":"urn:a"},"o":{"type":"literal","value":"x"}}'


def check(body: str | bytes, size: int = 1 << 30) -> State:
    data = body.encode() if isinstance(body, str) else body
    state = State()
    checker = checker_for(Format.JSON, state)
    for start in range(0, len(data), size):
        checker.feed(data[start : start + size])
    checker.finish()
    return state


def document(*rows: str, head: str = HEAD) -> str:
    return f'{{{head},"results":{{"bindings":[{",".join(rows)}]}}}}'


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (document(), 0),
        (document("{}"), 1),
        (document(ROW, "null", ROW), 3),
        (document('{"s":{"type":"iri","value":"urn:a"}}'), 1),
        (document(ROW, ROW, ROW), 3),
        ("\ufeff" + document(ROW), 1),
        (f' \r\n{{ "results" : {{ "bindings" : [ {ROW} , {ROW} ] }} , {HEAD} }}\n', 2),
        (f'{{{HEAD},"results":{{"distinct":false,"ordered":true,"bindings":[{ROW}]}}}}', 1),
        (f'{{{HEAD},"results":{{"bindings":[{ROW}],"extra":{{"a":[1,2.5e3,null]}}}},"meta":{{"ms":1}}}}', 1),
        (f'{{"head":{{"link":["urn:l"],"vars":["s","o"]}},"results":{{"bindings":[{ROW}]}}}}', 1),
        (document('{"s":{"type":"typed-literal","datatype":"urn:d","value":"1"}}'), 1),
        (document('{"s":{"xml:lang":"en","type":"literal","value":"1"}}'), 1),
        (document('{"s":{"value":"1","xml:lang":"ar","its:dir":"rtl","type":"literal"}}'), 1),
        (document('{"s":{"type":"literal","value":"1","xml:lang":""}}'), 1),
        (document('{"s":{"type":"bnode","value":"nodeID://b1"}}'), 1),
        (document('{"s":{"type":"uri","value":"urn:a","rank":"1"}}'), 1),
        (document(json.dumps({"s": {"type": "literal", "value": '"}},\nSPARQL-QUERY: java.lang.Error <html>'}})), 1),
        (document('{"s":{"type":"literal","value":"\\ud83d\\ude00 \\ud83d"}}'), 1),
    ],
)
def test_whole_bodies_pass_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 2, 13, 1 << 30):
        assert check(body, size).rows == rows


def test_triple_terms_pass_nested_and_in_the_older_spelling() -> None:
    term = '{"type":"uri","value":"urn:a"}'
    for names in (("subject", "predicate", "object"), ("s", "p", "o")):
        triple = term
        for _ in range(3):
            parts = ",".join(f'"{name}":{part}' for name, part in zip(names, (term, term, triple), strict=True))
            triple = f'{{"type":"triple","value":{{{parts}}}}}'
        assert check(document(f'{{"s":{triple}}}', ROW)).rows == 2


def test_triple_terms_of_stardog_pass() -> None:
    term = '{"type":"uri","value":"urn:a"}'
    triple = f'{{"type":"statement","s":{term},"p":{term},"o":{term}}}'
    assert check(document(f'{{"s":{triple}}}', ROW)).rows == 2
    for damaged in (triple.replace(f',"o":{term}', ""), triple.replace('"o"', '"q"')):
        with pytest.raises(Truncated):
            check(document(f'{{"s":{damaged}}}', ROW))


@pytest.mark.parametrize(
    "text", ['{"head":{},"boolean":true}', '{"head":{"link":[]},"boolean":true}', '{"boolean":true}']
)
def test_an_ask_gives_its_boolean(text: str) -> None:
    assert check(text).boolean is True
    assert check(text.replace("true", "false"), 1).boolean is False


@pytest.mark.parametrize(
    "body",
    [
        "",
        " ",
        "{}",
        "[]",
        "null",
        "<html></html>",
        '{"status":"ERROR","exception":"Operation timed out."}',
        '{"head":{"vars":["s"]}}',
        '{"head":{},"boolean":1}',
        '{"head":{},"boolean":"true"}',
        '{"head":{},"boolean":true,"results":{"bindings":[]}}',
        '{"results":{"bindings":[]}}',
        '{"head":{"vars":["s"]},"results":{}}',
        '{"head":{"vars":["s","s"]},"results":{"bindings":[]}}',
        '{"hebd":{"vars":["s"]},"boolean":true}',
        '{"head":{},"head":{},"boolean":true}',
        document(ROW) + document(ROW),
        document(ROW) + "x",
        document(ROW, ""),
        document(ROW)[:-1],
        document(ROW).replace("]}}", "],}}"),
        document('{"x":{"type":"uri","value":"urn:a"}}'),
        f'{{"results":{{"bindings":[{ROW}]}},"head":{{"vars":["s"]}}}}',
        document('{"s":{"type":"uri","value":"urn:a"},"s":{"type":"uri","value":"urn:a"}}'),
        document('{"s":{"type":"uri"}}'),
        document('{"s":{"type":"url","value":"urn:a"}}'),
        document('{"s":{"type":"uri","value":1}}'),
        document('{"s":{"tyqe":"uri","value":"urn:a"}}'),
        document('{"s":{"type":"literal","value":"a","xml:lahg":"en"}}'),
        document('{"s":{"type":"literal","value":"a","xml:laThe operation has been cancelledng":"en"}}'),
        document('{"s":{"type":"literal","value":"a\nb"}}'),
        document('{"s":{"type":"literal","value":"a\\x"}}'),
        document('{"s":null}'),
        document('null{"s":null}'),
        document(document()),
        document(ROW).replace(":", ": NaN", 1),
    ],
)
def test_what_is_not_whole_or_not_an_answer_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 7, 1 << 30):
        with pytest.raises(Truncated, match="byte"):
            check(body, size)


def test_every_cut_is_noticed() -> None:
    body = document(ROW, ROW).encode()
    for end in range(len(body)):
        with pytest.raises(Truncated):
            check(body[:end])


def test_the_message_says_after_which_row() -> None:
    with pytest.raises(Truncated, match="after 2 whole rows"):
        check(document(ROW, ROW, "oops"))
    with pytest.raises(Truncated) as caught:
        check(document(ROW)[:-3] + "java.util.concurrent.TimeoutException", 20)
    assert "TimeoutEx" in caught.value.private
    assert "java" not in caught.value.detail


def test_invalid_utf8_is_refused_with_its_place() -> None:
    body = document(ROW).encode().replace(b"urn:a", b"urn:\xff")
    with pytest.raises(Truncated, match=f"byte {body.index(0xFF)}"):
        check(body, 10)
    with pytest.raises(Truncated):
        check(document(ROW).encode() + b"\xe4", 10)


def test_depth_width_and_length_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    deep = "[" * 100_000
    with pytest.raises(Truncated, match="nested"):
        check(f'{{"meta":{deep}')
    nested = '{"type":"triple","value":{"subject":' * 500
    with pytest.raises(Truncated, match="nested"):
        check(document(f'{{"s":{nested}'))
    names = ",".join(f'"v{number}"' for number in range(5000))
    with pytest.raises(Truncated, match="too long"):
        check(f'{{"head":{{"vars":[{names}]}},"results":{{"bindings":[]}}}}')
    endless = '{"s":{"type":"literal","value":"' + "x" * (17 * 1024 * 1024)
    with pytest.raises(Truncated, match="longer than"):
        check(document(endless), 1 << 16)


def test_a_row_of_many_columns_passes() -> None:
    names = [f"v{number}" for number in range(300)]
    row = {name: {"type": "literal", "value": name} for name in names}
    body = json.dumps({"head": {"vars": names}, "results": {"bindings": [row] * 3}})
    assert check(body, 1000).rows == 3


def large(order: tuple[str, ...], count: int = 9000, indent: int | None = None) -> bytes:
    """Return more than a megabyte of rows, whose names come in this order."""
    names = ("s", "größe", "o")
    rows = [
        {name: {"type": "literal", "value": f"value {name} {n} " + "x" * 20} for name in order} for n in range(count)
    ]
    document = {"head": {"vars": names}, "results": {"bindings": rows}}
    return json.dumps(document, indent=indent, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("order", "indent"),
    [(("s", "größe", "o"), None), (("s", "größe", "o"), 1), (("s", "o"), None), (("o", "größe", "s"), None)],
)
def test_large_answers_are_judged_as_small_ones_are(order: tuple[str, ...], indent: int | None) -> None:
    body = large(order, indent=indent)
    assert check(body, 1 << 16).rows == 9000
    near_the_end = len(body) - 500
    for damaged in (
        body[:near_the_end],
        body[:near_the_end] + b"\njava.lang.Error\n" + body[near_the_end:],
        body + body,
        body[:near_the_end] + body[near_the_end:].replace(b'"type"', b'"tyqe"', 1),
        body[:near_the_end] + body[near_the_end:].replace(b'"o"', b'"s"', 1),
        body[:near_the_end] + body[near_the_end:].replace(b"}", b"},", 1),
    ):
        with pytest.raises(Truncated):
            check(damaged, 1 << 16)
