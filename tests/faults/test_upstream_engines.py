"""Cases P50, P51: partial answers and the errors of each engine, in its own words."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from collections.abc import Callable

import pytest

from proxy.results.formats import Format
from tests import profiles, wire
from tests.fronts import LARGE, counted, front
from tests.upstream import Answer, Sent, Upstream

SELECT = {"query": "SELECT * {?s ?p ?o}"}
Script = Callable[[Sent], Answer]


@pytest.mark.parametrize("status", [200, 206])
@pytest.mark.parametrize("count", [0, 3, LARGE])
async def test_P50_an_anytime_answer_is_flagged(status: int, count: int) -> None:
    body = profiles.results(Format.JSON, count)
    async with Upstream(profiles.virtuoso_partial(body, status)) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.end, got.body) == (200, "whole", body)
        assert got.header("saga-partial") == "anytime"
        assert got.header("x-sql-state") == "S1TAT"
        assert got.header("x-sparql-anytime") == "1000"
        assert (got.header("x-sql-message") or "").startswith("RC...: Returning incomplete results")
        assert got.header("x-exec-milliseconds") is None
        assert await counted(url, "saga_queries_total", outcome="truncated") == 1
        assert await counted(url, "saga_queries_total", outcome="ok") == 0
        assert await counted(url, "saga_empty_results_total") == 0


@pytest.mark.parametrize("accept", ["text/csv", "application/sparql-results+xml"])
async def test_P50_the_flag_survives_transcoding(accept: str) -> None:
    answer = profiles.virtuoso_partial(profiles.results(Format.JSON, 3))
    async with Upstream(answer) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, SELECT, {"Accept": accept})
        assert (got.status, got.type, got.header("saga-partial")) == (200, accept, "anytime")


async def test_P50_a_partial_boolean_is_flagged_too() -> None:
    async with (
        Upstream(profiles.virtuoso_partial(b'{"head":{},"boolean":false}')) as up,
        front(up, engine="virtuoso") as url,
    ):
        got = await wire.get(url, {"query": "ASK {?s ?p ?o}"})
        assert (got.json["boolean"], got.header("saga-partial")) == (False, "anytime")


async def test_P50_a_206_of_any_engine_is_partial() -> None:
    async with Upstream(Answer(status=206, body=profiles.results(Format.JSON, 3))) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.header("saga-partial")) == (200, "anytime")


@pytest.mark.parametrize("count", [10, LARGE])
async def test_P50_a_capped_answer_is_flagged(count: int) -> None:
    answer = profiles.virtuoso_capped(profiles.results(Format.JSON, count), count)
    async with Upstream(answer) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.end, len(got.values)) == (200, "whole", count)
        assert (got.header("saga-partial"), got.header("x-sparql-maxrows")) == ("row_cap", str(count))
        assert await counted(url, "saga_queries_total", outcome="truncated") == 1


async def test_P50_as_many_rows_as_the_query_asked_for_are_whole() -> None:
    async with Upstream(profiles.select(10_000)) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, {"query": "SELECT * {?s ?p ?o} LIMIT 10000"})
        assert (got.end, len(got.values), got.header("saga-partial")) == ("whole", 10_000, None)
        assert await counted(url, "saga_queries_total", outcome="ok") == 1


async def test_P50_a_flag_is_never_taken_from_data() -> None:
    body = profiles.results(Format.JSON, 3).replace(b"row 0", b"X-SQL-State: S1TAT")
    async with Upstream(Answer(body=body)) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.header("saga-partial")) == (200, None)


@pytest.mark.parametrize("value", ["S1TAT\x0bx: y", "ü" * 40, "x" * 5000], ids=["control", "latin", "long"])
async def test_P50_headers_of_the_endpoint_are_passed_safely(value: str) -> None:
    answer = Answer(body=profiles.results(Format.JSON, 3), headers=[("X-SQL-Message", value), ("X-SQL-State", "S1TAT")])
    async with Upstream(answer) as up, front(up, engine="virtuoso") as url:
        got = await wire.get(url, SELECT)
        assert got.status in (200, 502)
        passed = got.header("x-sql-message") or ""
        assert len(passed) <= 1000
        assert passed.isascii()


def always(answer: Answer) -> Script:
    """Return a script that does not look at the request."""
    return lambda _: answer


def qlever(status: int, exception: str) -> Script:
    """Return QLever's error."""
    return lambda sent: profiles.qlever_error(sent, status, exception)


def virtuoso(state: str, message: str, status: int = 500) -> Script:
    """Return Virtuoso's error."""
    return lambda sent: profiles.virtuoso_error(state, message, sent, status)


def text(status: int, body: str) -> Script:
    """Return an error in plain text."""
    return always(Answer(status=status, type="text/plain", body=body.encode()))


TIMEOUTS: list[tuple[str, Script]] = [
    ("qlever", profiles.qlever_cancelled),
    ("qlever", qlever(429, "Cancelled due to timeout. In: Join on ?s")),
    ("blazegraph", always(profiles.blazegraph_timeout())),
    ("fuseki", always(profiles.fuseki_timeout())),
    ("virtuoso", virtuoso("S1TAT", "SR171: Transaction timed out")),
    ("virtuoso", virtuoso("S1T00", "SR171: Transaction timed out")),
    ("virtuoso", virtuoso("42000", "The estimated execution time 7219 (sec) exceeds the limit of 400 (sec).")),
    ("generic", always(profiles.html_failure(504))),
    ("generic", text(408, "slow")),
    ("generic", text(503, "Query timed out")),
    ("generic", text(503, '{"errors": [{"title": "The query has exceeded its time limit"}]}')),
    ("oxigraph", text(504, "The SPARQL operation has been cancelled")),
]


@pytest.mark.parametrize(("engine", "script"), TIMEOUTS, ids=[f"{n}-{e}" for n, (e, _) in enumerate(TIMEOUTS)])
async def test_P51_a_time_limit_of_the_engine_is_504_and_no_invitation(engine: str, script: Script) -> None:
    async with Upstream(script) as up, front(up, engine=engine) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.json["code"]) == (504, "timeout")
        assert got.header("retry-after") is None
        assert len(up.sent) == 1
        assert await counted(url, "saga_queries_total", outcome="timeout") == 1


TRICK = 'SELECT * { ?s ?p "Cancelled due to timeout S1TAT Query timed out TimeoutException time limit" }'
OTHERS: list[tuple[str, Script, int, str]] = [
    ("qlever", profiles.qlever_malformed, 400, "bad_query"),
    ("qlever", always(profiles.qlever_protocol()), 400, "bad_query"),
    ("qlever", qlever(500, "Assertion failed"), 502, "upstream_failed"),
    # Not QLever speaks here, but what stands in front of it.
    ("qlever", text(429, "Too many requests"), 503, "upstream_busy"),
    ("blazegraph", always(profiles.blazegraph_malformed()), 400, "bad_query"),
    ("virtuoso", virtuoso("37000", "SP030: SPARQL compiler, line 3: syntax error at 'x'", 400), 400, "bad_query"),
    ("virtuoso", virtuoso("22023", "SR077: Function needs a string"), 502, "upstream_failed"),
    ("fuseki", always(profiles.fuseki_malformed()), 400, "bad_query"),
    ("fuseki", text(503, "Service Unavailable"), 503, "upstream_busy"),
    ("generic", always(profiles.html_failure(500)), 502, "upstream_failed"),
    ("generic", always(profiles.html_failure(404)), 502, "upstream_failed"),
    ("generic", text(429, "slow down"), 503, "upstream_busy"),
]


@pytest.mark.parametrize(
    ("engine", "script", "status", "code"), OTHERS, ids=[f"{n}-{e[0]}-{e[3]}" for n, e in enumerate(OTHERS)]
)
async def test_P51_the_repeated_query_is_not_read_for_words(
    engine: str, script: Script, status: int, code: str
) -> None:
    async with Upstream(script) as up, front(up, engine=engine) as url:
        got = await wire.get(url, {"query": TRICK})
        assert (got.status, got.json["code"]) == (status, code)
        assert "Cancelled due" not in got.json["detail"]
        assert (got.header("retry-after") is not None) is (status == 503)
        assert len(up.sent) == 1


RETRY = [
    (429, "7", "7"),
    (503, "120", "120"),
    (429, None, "5"),
    (503, None, "5"),
    (503, "soon", "5"),
    (503, "-1", "5"),
    (429, "9" * 30, None),
    (503, "Wed, 21 Oct 2065 07:28:00 GMT", None),
    (503, "٣", "5"),
]


@pytest.mark.parametrize(("status", "said", "expected"), RETRY, ids=range(len(RETRY)))
async def test_P51_a_busy_endpoint_is_503_and_says_when(status: int, said: str | None, expected: str | None) -> None:
    headers = [("Retry-After", said)] if said else []
    async with (
        Upstream(Answer(status=status, type="text/plain", body=b"busy", headers=headers)) as up,
        front(up) as url,
    ):
        got = await wire.get(url, SELECT)
        assert (got.status, got.json["code"]) == (503, "upstream_busy")
        wait = got.header("retry-after") or ""
        assert wait == expected if expected else 1 <= int(wait) <= 86_400
        assert len(up.sent) == 1
        assert await counted(url, "saga_queries_total", outcome="rejected") == 1


@pytest.mark.parametrize("status", [100, 199, 201, 205, 299, 304, 402, 418, 451, 505, 599])
async def test_P51_every_other_status_is_502(status: int) -> None:
    raw = (
        f"HTTP/1.1 {status} Odd\r\nContent-Type: application/sparql-results+json\r\nContent-Length: 0\r\n\r\n".encode()
    )
    async with Upstream(Answer(raw=raw)) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.json["code"]) == (502, "upstream_failed") or got.json["code"] == "truncated"


async def test_P51_an_error_body_without_end_is_not_waited_for() -> None:
    answer = Answer(
        status=500, type="text/plain", body=(b"x" * 1000 for _ in range(10_000)), framing="chunked", between_s=0.01
    )
    async with Upstream(answer) as up, front(up) as url:
        got = await wire.get(url, SELECT)
        assert (got.status, got.json["code"]) == (502, "upstream_failed")
        await up.last.departure()
