"""Cases P01 to P12: how a query or an update may arrive, and how it may not."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests import wire
from tests.fronts import front
from tests.upstream import Answer, Upstream

DONE = Answer(status=204, type=None, body=b"", framing="close")


@pytest.mark.parametrize(
    "content_type",
    [
        "application/x-www-form-urlencoded; charset=UTF-8",
        "application/x-www-form-urlencoded;charset=utf-8",
        'application/x-www-form-urlencoded; charset="utf-8"',
        "Application/X-WWW-Form-URLEncoded ; Charset=UTF-8",
        "application/x-www-form-urlencoded; boundary=none; charset=utf-8",
    ],
)
async def test_P01_a_form_may_name_its_charset(content_type: str) -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.send(url, "POST", {"Content-Type": content_type}, b"query=ASK%7B%7D")
        assert (got.status, got.json["boolean"]) == (200, True)
        assert up.last.form["query"] == ["ASK{}"]


async def test_P01_a_direct_query_may_name_its_charset() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.direct(url, "ASK{}", "application/sparql-query; charset=UTF-8")
        assert got.status == 200
        assert up.last.form["query"] == ["ASK{}"]


@pytest.mark.parametrize("charset", ["; charset=UTF-8", ";charset=utf-8", ""])
async def test_P03_an_update_may_name_its_charset_and_goes_out_with_the_bare_type(charset: str) -> None:
    text = 'INSERT DATA { <http://e.org/s> <http://e.org/p> "ü" }'
    async with Upstream(DONE) as up, front(up, updates=True) as url:
        got = await wire.direct(url, text, wire.UPDATE + charset)
        assert got.status in (200, 204)
        assert got.body == b""
        assert up.last.headers["content-type"] in (wire.FORM, wire.UPDATE)
        assert up.last.text == text


@pytest.mark.parametrize(
    "encoded",
    [
        "SELECT+%281%2B1+AS+%3Fx%29+%7B%7D",
        "SELECT%20%281%2B1%20AS%20%3Fx%29%20%7B%7D",
        "SELECT+(1%2b1%20AS+?x)+{}",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_P04_plus_is_a_blank_and_percent_2B_a_plus(encoded: str, method: str) -> None:
    async with Upstream() as up, front(up) as url:
        if method == "GET":
            await wire.send(f"{url}?query={encoded}", "GET")
        else:
            await wire.send(url, "POST", {"Content-Type": wire.FORM}, f"query={encoded}".encode())
        assert up.last.form["query"] == ["SELECT (1+1 AS ?x) {}"]


async def test_P04_a_direct_body_is_not_decoded() -> None:
    text = "SELECT (1+1 AS ?x) { FILTER(?y = <http://e.org/%2B+>) }"
    async with Upstream() as up, front(up) as url:
        await wire.direct(url, text)
        assert up.last.form["query"] == [text]


@pytest.mark.parametrize(
    "text",
    [
        "PREFIX ex: <http://e.org/> SELECT * { ?s ex:a%20b ?o }",
        "SELECT * { ?s <http://e.org/a%20b> ?o }",
        "# a comment\r\nSELECT  *\t{ ?s ?p 'x''y' }   # the end",
        'SELECT * { ?s ?p "\\u00fc\\n", "ü", "日本語", "😀" }',
        "SELECT * { ?s ?p '''a\n\"b\" ''' }\n\n",
        "select*{?s?p?o}limit 3",
    ],
)
@pytest.mark.parametrize("way", ["get", "form", "direct"])
async def test_P06_the_text_is_forwarded_byte_for_byte(text: str, way: str) -> None:
    async with Upstream() as up, front(up) as url:
        if way == "get":
            await wire.get(url, {"query": text})
        elif way == "form":
            await wire.post(url, {"query": text})
        else:
            await wire.direct(url, text)
        assert up.last.form["query"] == [text]


BAD_BYTES = {
    "utf16": ("application/sparql-query; charset=UTF-16", "ASK {}".encode("utf-16")),
    "utf16 unsaid": (wire.QUERY, "ASK {}".encode("utf-16")),
    "latin-1": (wire.QUERY, 'ASK { ?s ?p "ü" }'.encode("latin-1")),
    "latin-1 said": (wire.QUERY + "; charset=ISO-8859-1", 'ASK { ?s ?p "ü" }'.encode("latin-1")),
    "surrogate": (wire.QUERY, b'ASK { ?s ?p "\xed\xa0\x80" }'),
    "overlong": (wire.QUERY, b'ASK { ?s ?p "\xc0\xaf" }'),
    "cut": (wire.QUERY, b'ASK { ?s ?p "\xe2\x82'),
    "form": (wire.FORM, b"query=ASK%7B%3Fs+%3Fp+%22%FF%22%7D"),
    "raw form": (wire.FORM, b'query=ASK {?s ?p "\xff"}'),
    "update": (wire.UPDATE + "; charset=UTF-16", "CLEAR ALL".encode("utf-16")),
}


@pytest.mark.parametrize("name", BAD_BYTES)
async def test_P08_what_is_not_utf8_is_refused(name: str) -> None:
    content_type, body = BAD_BYTES[name]
    async with Upstream() as up, front(up, updates=True) as url:
        got = await wire.send(url, "POST", {"Content-Type": content_type}, body)
        assert got.status in ((400, 415) if "charset" in content_type else (400,))
        assert got.type == "application/problem+json"
        assert up.sent == []


async def test_P08_a_get_that_is_not_utf8_is_refused() -> None:
    async with Upstream() as up, front(up) as url:
        got = await wire.send(f"{url}?query=ASK%7B%3Fs+%3Fp+%22%FF%22%7D", "GET")
        assert got.status == 400
        assert up.sent == []


async def test_P09_the_address_of_a_form_post_may_hold_the_dataset() -> None:
    graph = "http://e.org/g1"
    async with Upstream() as up, front(up) as url:
        got = await wire.post(f"{url}?default-graph-uri={quote(graph, safe='')}", {"query": "ASK{}"})
        assert got.status == 200
        assert up.last.form == {"query": ["ASK{}"], "default-graph-uri": [graph]}


async def test_P09_graphs_of_address_and_form_are_merged() -> None:
    async with Upstream() as up, front(up) as url:
        fields = [("default-graph-uri", "http://e.org/b"), ("query", "ASK{}")]
        got = await wire.post(f"{url}?default-graph-uri=http://e.org/a&named-graph-uri=http://e.org/n", fields)
        assert got.status == 200
        assert sorted(up.last.form["default-graph-uri"]) == ["http://e.org/a", "http://e.org/b"]
        assert up.last.form["named-graph-uri"] == ["http://e.org/n"]


@pytest.mark.parametrize("name", ["query", "timeout"])
async def test_P09_a_single_value_in_address_and_form_is_refused(name: str) -> None:
    value = {"query": "ASK{}", "timeout": "3"}[name]
    async with Upstream() as up, front(up) as url:
        got = await wire.post(f"{url}?{name}={quote(value)}", {"query": "ASK{}", name: value})
        assert (got.status, got.json["code"]) == (400, "bad_request")
        assert name in got.json["detail"]
        assert up.sent == []


TWICE = {
    "get": ("GET", "?query=ASK%7B%7D&query=ASK%7B%7D", None, b""),
    "form": ("POST", "", wire.FORM, b"query=ASK%7B%7D&query=ASK%7B%7D"),
    "one empty": ("POST", "", wire.FORM, b"query=ASK%7B%7D&query="),
    "direct": ("POST", "?query=ASK%7B%7D", wire.QUERY, b"ASK{}"),
    "updates": ("POST", "", wire.FORM, b"update=CLEAR+ALL&update=CLEAR+ALL"),
    "direct update": ("POST", "?update=CLEAR+ALL", wire.UPDATE, b"CLEAR ALL"),
}
BOTH = {
    "form": ("POST", "", wire.FORM, b"query=ASK%7B%7D&update=CLEAR+ALL"),
    "address and form": ("POST", "?query=ASK%7B%7D", wire.FORM, b"update=CLEAR+ALL"),
    "form and address": ("POST", "?update=CLEAR+ALL", wire.FORM, b"query=ASK%7B%7D"),
    "get": ("GET", "?query=ASK%7B%7D&update=CLEAR+ALL", None, b""),
    "direct": ("POST", "?update=CLEAR+ALL", wire.QUERY, b"ASK{}"),
    "direct update": ("POST", "?query=ASK%7B%7D", wire.UPDATE, b"CLEAR ALL"),
}
UPDATE_BY_GET = {
    "clear": ("GET", "?update=CLEAR%20ALL", None, b""),
    "insert": ("GET", "?update=INSERT%20DATA%7B%7D", None, b""),
}


async def _refused(request: tuple[str, str, str | None, bytes]) -> None:
    method, query_string, content_type, body = request
    async with Upstream(DONE) as up, front(up, updates=True) as url:
        headers = {"Content-Type": content_type} if content_type else {}
        got = await wire.send(url + query_string, method, headers, body if content_type else None)
        assert (got.status, got.json["code"]) == (400, "bad_request")
        assert up.sent == []


@pytest.mark.parametrize("name", TWICE)
async def test_P10_two_texts_are_refused(name: str) -> None:
    await _refused(TWICE[name])


@pytest.mark.parametrize("name", BOTH)
async def test_P11_a_query_beside_an_update_is_refused(name: str) -> None:
    await _refused(BOTH[name])


@pytest.mark.parametrize("name", UPDATE_BY_GET)
async def test_P12_an_update_by_get_is_refused(name: str) -> None:
    await _refused(UPDATE_BY_GET[name])


@pytest.mark.parametrize(
    "text",
    [
        "CLEAR GRAPH <http://e.org/g>",
        "clear all",
        "DROP ALL",
        "LOAD <http://e.org/a>",
        "CREATE GRAPH <http://e.org/g>",
        "COPY DEFAULT TO <http://e.org/g>",
        "INSERT DATA { <http://e.org/s> <http://e.org/p> 1 }",
        "DELETE WHERE { ?s ?p ?o }",
        "WITH <http://e.org/g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "# ASK {}\nPREFIX e: <http://e.org/> BASE <http://e.org/>\n# SELECT\n DELETE DATA { e:s e:p 1 }",
        "CL\\u0045AR ALL",
        "ASK {} ; CLEAR ALL",
        "ASK {} CLEAR ALL",
        "\ufeffCLEAR ALL",
        "DEFINE sql:log-enable 3 CLEAR GRAPH <http://e.org/g>",
    ],
)
@pytest.mark.parametrize("way", ["get", "form", "direct"])
async def test_P12_an_update_in_query_is_never_forwarded(text: str, way: str) -> None:
    async with Upstream(DONE) as up, front(up, updates=True) as url:
        send = {"get": wire.get(url, {"query": text}), "form": wire.post(url, {"query": text})}
        got = await (send.pop(way) if way in send else wire.direct(url, text))
        for unused in send.values():
            unused.close()
        assert got.status == 400
        assert got.type == "application/problem+json"
        assert up.sent == []


async def test_P12_a_query_in_update_is_never_forwarded() -> None:
    async with Upstream(DONE) as up, front(up, updates=True) as url:
        got = await wire.post(url, {"update": "ASK {}"})
        assert got.status == 400
        assert up.sent == []


async def test_P12_updates_are_off_unless_configured() -> None:
    async with Upstream(DONE) as up, front(up) as url:
        got = await wire.post(url, {"update": "CLEAR ALL"})
        assert (got.status, got.json["code"]) == (403, "forbidden")
        assert up.sent == []
