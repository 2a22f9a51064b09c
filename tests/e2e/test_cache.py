"""What clients see of the cache: hits, what is never kept, and mistakes in its table."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from proxy.errors import ConfigError
from tests import fronts, stage, wire
from tests.cached import ask, cached, events, number, numbered, table
from tests.upstream import Answer, Upstream


async def test_an_equal_query_is_answered_without_the_endpoint() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        first = await ask(url)
        again = await ask(url, "SELECT  ?x\n{ ?s ?p ?x } # the same")
        assert number(first) == number(again) == 1
        assert first.body == again.body
        assert len(upstream.sent) == 1
        assert first.header("cache-status") == "saga; fwd=uri-miss"
        assert first.header("age") is None
        assert (again.header("cache-status") or "").startswith("saga; hit; ttl=2")
        assert again.header("age") == "0"
        assert again.header("cache-control") == "no-cache"
        assert [await events(url, each) for each in ("miss", "store", "hit", "bypass")] == [1, 1, 1, 0]


@pytest.mark.parametrize("rows", [1, 200, 8_000], ids=["plain", "packed", "many slices"])
async def test_a_hit_is_the_same_bytes_in_every_size_and_coding(rows: int) -> None:
    body = table(1, rows, 30)
    async with Upstream(Answer(body=body)) as upstream, cached(upstream) as url, aiohttp.ClientSession() as session:
        for coding in ("identity", "gzip", "identity", "gzip"):
            headers = {"Accept": "application/sparql-results+json", "Accept-Encoding": coding}
            async with session.get(url, params={"query": "SELECT ?x { ?s ?p ?x }"}, headers=headers) as reply:
                assert await reply.read() == body
        assert len(upstream.sent) == 1


async def test_each_format_is_kept_and_named_for_itself() -> None:
    async with Upstream(Answer(body=table(1))) as upstream, cached(upstream) as url:
        seen: dict[str, set[tuple[bytes, str | None]]] = {}
        for accept in ("application/sparql-results+json", "application/sparql-results+xml", "text/csv") * 2:
            received = await ask(url, Accept=accept)
            assert received.type == accept
            seen.setdefault(accept, set()).add((received.body, received.header("etag")))
        assert len(upstream.sent) == 3
        assert [len(answers) for answers in seen.values()] == [1, 1, 1]
        assert len(set.union(*seen.values())) == 3


async def test_what_else_a_client_would_take_does_not_matter_where_it_gets_its_first_choice() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        for accept in ("text/csv", "text/csv, application/sparql-results+json;q=0.5", "text/csv, */*;q=0.1"):
            assert (await ask(url, Accept=accept)).body == b"x\r\n1\r\n"
        assert len(upstream.sent) == 1


async def test_a_second_choice_is_never_given_to_who_takes_only_the_first() -> None:
    jsonld = Answer(type="application/ld+json", body=b"[]")
    async with Upstream(jsonld) as upstream, cached(upstream) as url:
        text = "CONSTRUCT WHERE { ?s ?p ?o }"
        both = await ask(url, text, Accept="text/turtle, application/ld+json;q=0.5")
        assert (both.status, both.type) == (200, "application/ld+json")
        only = await ask(url, text, Accept="text/turtle")
        assert only.status == 406
        again = await ask(url, text, Accept="text/turtle, application/ld+json;q=0.5")
        assert (again.body, (again.header("cache-status") or "")[:9]) == (both.body, "saga; hit")


async def test_P17_requests_that_differ_in_one_graph_or_in_their_limit_share_nothing() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        fields = [
            {},
            {"default-graph-uri": "http://e.org/a"},
            {"default-graph-uri": "http://e.org/b"},
            {"named-graph-uri": "http://e.org/a"},
            {"timeout": "20"},
        ]
        for _ in range(2):
            numbers = [number(await wire.get(url, {"query": "SELECT ?x { ?s ?p ?x }", **each})) for each in fields]
            assert numbers == [1, 2, 3, 4, 5]


async def test_P17_two_requests_that_differ_only_in_their_dataset_share_no_entry(tmp_path: Path) -> None:
    folder = fronts.store(tmp_path / "store")
    tables = {
        "endpoints": {"local": {"store": str(folder)}},
        "plugins": {"enabled": ["plugins.cache"]},
    }
    async with stage.proxy(tables) as base:
        for _ in range(2):
            for graph, expected in (("http://e.org/empty", False), ("http://e.org/a", True)):
                fields = {"query": "ASK{?s ?p ?o}", "default-graph-uri": graph}
                assert (await wire.get(f"{base}/sparql", fields)).json["boolean"] is expected
        assert await events(f"{base}/sparql", "hit") == 2


UNCACHEABLE = {
    "NOW": "SELECT (NOW() AS ?x) {}",
    "RAND": "SELECT (RAND() AS ?x) {}",
    "UUID": "SELECT (UUID() AS ?x) {}",
    "STRUUID": "SELECT (STRUUID() AS ?x) {}",
    "BNODE": "SELECT (BNODE() AS ?x) {}",
    "lower case": "SELECT (now() AS ?x) {}",
    "escaped": "SELECT (\\u004EOW() AS ?x) {}",
    "function of an engine": "PREFIX bif: <bif:> SELECT (bif:rnd(5) AS ?x) {}",
    "unreadable": "SELECT (NOW() AS ?x) { FILTRE(?x) }",
    "SERVICE": "SELECT ?x { SERVICE <http://e.org/> { ?s ?p ?x } }",
    "SERVICE in a text that cannot be read": "SELECT ?x { SERVICE <http://e.org/> { ?s ?p ?x } FILTRE }",
    "pages fetched meanwhile": 'DEFINE get:soft "replace" SELECT ?x FROM <http://e.org/a> { ?s ?p ?x }',
}


@pytest.mark.parametrize("text", UNCACHEABLE.values(), ids=UNCACHEABLE)
async def test_P59_what_answers_differently_each_time_is_never_kept(text: str) -> None:
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        answers = [await ask(url, text) for _ in range(2)]
        assert [number(each) for each in answers] == [1, 2]
        assert (answers[1].header("cache-status") or "").startswith("saga; fwd=bypass; detail=")
        assert await events(url, "bypass") == 2
        assert await events(url, "store") == 0


async def test_P59_a_service_of_the_endpoint_itself_may_be_allowed() -> None:
    label = "http://wikiba.se/ontology#label"
    text = f"SELECT ?x {{ ?s ?p ?x SERVICE <{label}> {{ ?s ?p ?o }} }}"
    async with Upstream(numbered()) as upstream, cached(upstream, services=[label]) as url:
        assert [number(await ask(url, text)) for _ in range(2)] == [1, 1]
        other = text.removesuffix("}") + "SERVICE <http://e.org/> { ?s ?p ?o } }"
        assert [number(await ask(url, other)) for _ in range(2)] == [2, 3]


async def test_a_text_that_cannot_be_read_is_kept_under_itself() -> None:
    text = "SELECT ?x { ?s ?p ?x FILTRE(?x) }"
    async with Upstream(numbered()) as upstream, cached(upstream) as url:
        assert [number(await ask(url, each)) for each in (text, text, text + " ")] == [1, 1, 2]


WHOLE = table(1, 50)
NOT_KEPT = {
    "partial by status": (Answer(status=206, body=WHOLE), "generic", 200),
    "partial by header": (Answer(body=WHOLE, headers=[("X-SQL-State", "S1TAT")]), "virtuoso", 200),
    "503": (Answer(status=503, body=b"busy"), "generic", 503),
    "500": (Answer(status=500, body=b"no"), "generic", 502),
    "400": (Answer(status=400, body=b"parse error"), "generic", 400),
    "cut": (Answer(body=WHOLE, cut=100, end="close"), "generic", 502),
    "P47 a trace behind a prefix": (Answer(body=WHOLE[:90] + b"\nSPARQL-QUERY: queryStr=SELECT"), "generic", 502),
}


@pytest.mark.parametrize(("answer", "engine", "status"), NOT_KEPT.values(), ids=NOT_KEPT)
async def test_P59_P47_P50_partial_broken_and_failed_answers_are_not_kept(
    answer: Answer, engine: str, status: int
) -> None:
    async with Upstream(answer) as upstream, cached(upstream, {"engine": engine}) as url:
        for count in (1, 2):
            received = await ask(url)
            assert received.status == status
            assert (received.header("saga-partial") is not None) == (status == 200)
            assert len(upstream.sent) == count
        assert await events(url, "store") == 0
        assert await events(url, "miss") == 2


async def test_an_answer_that_is_too_large_streams_through_and_is_not_kept() -> None:
    body = table(1, 20_000, 30)
    async with (
        Upstream(Answer(body=body, framing="chunked")) as upstream,
        cached(upstream, max_entry_bytes=100_000) as url,
    ):
        for count in (1, 2):
            received = await ask(url)
            assert (received.body == body, received.end) == (True, "whole")
            assert len(upstream.sent) == count
        assert await events(url, "store") == 0


async def test_a_large_answer_that_breaks_later_is_cut_and_not_kept() -> None:
    body = table(1, 20_000, 30)
    answer = Answer(body=body, cut=900_000, end="reset", framing="chunked")
    for bound in (100_000, 10_000_000):
        async with Upstream(answer) as upstream, cached(upstream, max_entry_bytes=bound) as url:
            received = await ask(url)
            assert received.end == "reset"
            assert await events(url, "store") == 0


async def test_storing_does_not_delay_the_first_bytes() -> None:
    answer = Answer(body=table(1, 6_000, 30), framing="chunked", between_s=0.06)
    async with Upstream(answer) as upstream, cached(upstream) as url, wire.connected(url) as (reader, writer):
        began = time.monotonic()
        writer.write(wire.request(f"{url}?query=SELECT+?x+{{+?s+?p+?x+}}", "GET"))
        assert (await reader.read(100)).startswith(b"HTTP/1.1 200")
        first = time.monotonic()
        while not (await reader.read(2**20)).endswith(b"0\r\n\r\n"):
            pass
        assert first - began < time.monotonic() - first
        assert await events(url, "store") == 1


async def test_the_least_used_answers_make_room() -> None:
    async with Upstream(numbered()) as upstream, cached(upstream, max_bytes=20_000, max_entry_bytes=10_000) as url:
        for each in range(40):
            await ask(url, f"SELECT ?x {{ ?s ?p ?x }} LIMIT {each}")
        assert await events(url, "evict") > 10
        assert number(await ask(url, "SELECT ?x { ?s ?p ?x } LIMIT 39")) == 40
        assert number(await ask(url, "SELECT ?x { ?s ?p ?x } LIMIT 0")) == 41


async def test_callers_with_other_rights_or_another_key_share_nothing_where_that_matters() -> None:
    digest = {
        "a": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb",
        "b": "3e23e8160039594a33894f6564e1b1348bbd7a0088d42c4acb73eeaed59c009d",
    }
    tables = {
        "keys": {
            "one": {"sha256": digest["a"], "rights": ["query", "nl"]},
            "two": {"sha256": digest["b"], "rights": ["query", "nl"]},
        },
        "plugins": {"enabled": ["plugins.cache"]},
    }
    for share, expected in (("rights", [1, 2, 2]), ("key", [1, 2, 3])):
        async with Upstream(numbered()) as upstream:
            more = {"endpoints": {"up": {"url": upstream.url}}, "cache": {"share": share}}
            async with stage.proxy({**tables, **more}) as base:
                answers = [await ask(f"{base}/sparql")]
                answers += [await ask(f"{base}/sparql", Authorization=f"Bearer {key}") for key in "ab"]
                assert [number(each) for each in answers] == expected
                assert answers[1].header("cache-control") == "private, no-cache"


MISTAKES = {
    "unknown key": ({"ttl": 1}, "cache.ttl: unknown key; did you mean `ttl_s`?"),
    "too large": ({"max_bytes": 10}, "cache.max_entry_bytes: must not be above cache.max_bytes"),
    "jitter": ({"jitter": 1.0}, "cache.jitter: must be below 1"),
    "redis": ({"redis": "localhost"}, "cache.redis: must start with redis://"),
    "endpoint": ({"endpoints": {"other": {"ttl_s": 1.0}}}, "cache.endpoints.other: unknown endpoint; known are: up"),
}


@pytest.mark.parametrize(("options", "said"), MISTAKES.values(), ids=MISTAKES)
async def test_mistakes_stop_the_start(options: dict[str, Any], said: str) -> None:
    async with Upstream() as upstream:
        with pytest.raises(ConfigError, match=said.replace("`", ".").replace("?", ".")):
            async with cached(upstream, **options):
                pass
