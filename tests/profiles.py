"""What engines answer, in their own words: errors, time limits, partial results. For tests/upstream.py.

Source: cases/protocol.md P35, P47, P50, P51 and the engines' public documentation; the texts are written anew.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable

from proxy.results.formats import Format
from tests.upstream import Answer, Sent

HEAD = b'{"head":{"vars":["n","s"]},"results":{"bindings":['
TAIL = b"]}}"
_N = 'value":"{0}","datatype":"http://www.w3.org/2001/XMLSchema#integer"'
XML_HEAD = (
    '<?xml version="1.0"?><sparql xmlns="http://www.w3.org/2005/sparql-results#">'
    '<head><variable name="n"/><variable name="s"/></head>'
)
STACK = (
    "SPARQL-QUERY: queryStr=SELECT ?n ?s WHERE {{ ?n ?p ?s }}\n"
    "java.util.concurrent.{0}\n"
    "\tat java.util.concurrent.FutureTask.get(FutureTask.java:205)\n"
    "\tat com.bigdata.rdf.sail.webapp.BigdataServlet.submitApiTask(BigdataServlet.java:292)\n"
    "Caused by: com.bigdata.bop.engine.{1}\n\t... 4 more\n"
)
TIMEOUT_TRACE = STACK.format("TimeoutException", "QueryTimeoutException: Query deadline is expired.").encode()
FAILURE_TRACE = STACK.format("ExecutionException: java.lang.OutOfMemoryError", "BufferClosedException").encode()


def rows(count: int, start: int = 0) -> bytes:
    """Return rows in JSON, each 120 bytes or so, with a comma between."""
    made = (
        f'{{"n":{{"type":"literal","{_N.format(n)}}},"s":{{"type":"literal","value":"row {n} \\u00fc"}}}}'
        for n in range(start, start + count)
    )
    return ",".join(made).encode()


@functools.cache
def results(fmt: Format, count: int) -> bytes:
    """Return a whole answer of so many rows or triples."""
    head, row, tail = _SHAPES[fmt]
    between = "," if fmt is Format.JSON or fmt is Format.JSONLD else ""
    return (head + between.join(row(n) for n in range(count)) + tail).encode()


def _json_row(n: int) -> str:
    return rows(1, n).decode()


def _xml_row(n: int) -> str:
    return (
        f'<result><binding name="n"><literal datatype="http://www.w3.org/2001/XMLSchema#integer">{n}</literal>'
        f'</binding><binding name="s"><literal>row {n} ü</literal></binding></result>'
    )


def _nt_row(n: int) -> str:
    return f'<http://e.org/s{n}> <http://e.org/p> "row {n} ü" .\n'


def _rdfxml_row(n: int) -> str:
    return f'<rdf:Description rdf:about="http://e.org/s{n}"><e:p>row {n} ü</e:p></rdf:Description>'


def _jsonld_row(n: int) -> str:
    return f'{{"@id":"http://e.org/s{n}","http://e.org/p":[{{"@value":"row {n} ü"}}]}}'


_SHAPES: dict[Format, tuple[str, Callable[[int], str], str]] = {
    Format.JSON: (HEAD.decode(), _json_row, TAIL.decode()),
    Format.XML: (XML_HEAD + "<results>", _xml_row, "</results></sparql>"),
    Format.CSV: ("n,s\r\n", lambda n: f"{n},row {n} ü\r\n", ""),
    Format.TSV: ("?n\t?s\n", lambda n: f'{n}\t"row {n} ü"\n', ""),
    Format.TURTLE: ("@prefix e: <http://e.org/> .\n", lambda n: f'e:s{n} e:p "row {n} ü" .\n', ""),
    Format.NTRIPLES: ("", _nt_row, ""),
    Format.RDFXML: (
        '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e.org/">',
        _rdfxml_row,
        "</rdf:RDF>",
    ),
    Format.JSONLD: ("[", _jsonld_row, "]"),
}


def select(count: int = 3, fmt: Format = Format.JSON) -> Answer:
    """Answer with so many rows, or triples, and nothing wrong."""
    return Answer(type=fmt.media_type, body=results(fmt, count))


def blazegraph_tail(fmt: Format, count: int, trace: bytes = TIMEOUT_TRACE) -> Answer:
    """Answer with valid rows and then a stack trace, and end the body as if all were well (P47)."""
    head, row, _ = _SHAPES[fmt]
    between = "," if fmt in (Format.JSON, Format.JSONLD) else ""
    body = (head + between.join(row(n) for n in range(count))).encode() + trace
    return Answer(type=fmt.media_type, body=body, framing="chunked")


def blazegraph_timeout() -> Answer:
    """Fail at the time limit, before any row."""
    return Answer(status=500, type="text/plain;charset=utf-8", body=TIMEOUT_TRACE)


def blazegraph_malformed() -> Answer:
    """Refuse a text as Blazegraph's parser does, stack trace and all."""
    text = STACK.format(
        "ExecutionException: org.openrdf.query.MalformedQueryException: Encountered ...", "MalformedQueryException"
    )
    return Answer(status=400, type="text/plain;charset=utf-8", body=text.encode())


def qlever_error(sent: Sent, status: int, exception: str) -> Answer:
    """Answer as QLever does: JSON that repeats the query, and its plan."""
    document = {
        "query": sent.text,
        "status": "ERROR",
        "resultsize": 0,
        "time": {"total": 5001, "computeResult": 5001},
        "exception": exception,
        "runtimeInformation": {"description": "Join on ?s", "status": "cancelled", "children": []},
    }
    return Answer(status=status, type="application/json", body=json.dumps(document).encode())


def qlever_cancelled(sent: Sent) -> Answer:
    """Cancel at the time limit: 429, which is no rate limit (P51)."""
    return qlever_error(sent, 429, "Operation timed out. Last operation: Join on ?s")


def qlever_malformed(sent: Sent) -> Answer:
    """Refuse a text as QLever's parser does."""
    return qlever_error(sent, 400, "Invalid SPARQL query: line 1:7: mismatched input 'x' expecting '{'")


def qlever_protocol() -> Answer:
    """Refuse a request; such errors are plain text."""
    return Answer(status=400, type="text/plain", body=b'Parameter "query" must be given exactly once.')


def virtuoso_partial(body: bytes, status: int = 200) -> Answer:
    """Stop early and say so in headers only (P50)."""
    headers = (
        ("X-SQL-State", "S1TAT"),
        ("X-SQL-Message", "RC...: Returning incomplete results, query interrupted by result timeout."),
        ("X-SPARQL-Anytime", "1000"),
        ("X-Exec-Milliseconds", "1004"),
        ("X-SPARQL-default-graph", "http://e.org/g"),
    )
    return Answer(status=status, body=body, headers=headers)


def virtuoso_capped(body: bytes, rows_at_most: int) -> Answer:
    """Cut the answer at the server's cap of rows."""
    return Answer(body=body, headers=(("X-SPARQL-MaxRows", str(rows_at_most)),))


def virtuoso_error(state: str, message: str, sent: Sent, status: int = 500) -> Answer:
    """Fail with an SQL state, and repeat the query below."""
    text = f"Virtuoso {state} Error {message}\n\nSPARQL query:\n{sent.text}"
    return Answer(status=status, type="text/plain", body=text.encode())


def fuseki_timeout() -> Answer:
    """Fail at Fuseki's time limit."""
    return Answer(status=503, type="text/plain;charset=utf-8", body=b"Query timed out: 5000 ms")


def fuseki_malformed() -> Answer:
    """Refuse a text as ARQ does."""
    text = b'Error 400: Parse error: \nSELEKT * \n\nLexical error at line 1, column 8.  Encountered: " " (32)'
    return Answer(status=400, type="text/plain;charset=utf-8", body=text)


def html_failure(status: int = 500) -> Answer:
    """Fail as a servlet container does: a page of HTML with a stack trace in it."""
    page = (
        "<!doctype html><html><head><title>HTTP Status 500</title></head><body><h1>Internal Server Error</h1>"
        "<pre>java.lang.NullPointerException\n\tat org.d2rq.Servlet.service(Servlet.java:12)</pre></body></html>"
    )
    return Answer(status=status, type="text/html;charset=utf-8", body=page.encode())
