"""The log as an operator reads it: a JSON object per line, one line per query, and nobody's text in it."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests import fronts, wire
from tests.observed import samples, toml, total, until
from tests.profiles import HEAD, rows
from tests.served import Served, served
from tests.situations import SITUATIONS, scripted, tables
from tests.upstream import Answer, Sent, Upstream

SECRET = 'SELECT * { ?person <urn:secret:disease> "Grüße & <others>" }'
_KEYS = {"time", "level", "event", "request_id"}
_DETAILED = {"request.failed", "answer.broken"}


def lines(proxy: Served) -> list[dict[str, Any]]:
    """Return every line of the log; one that is no JSON object fails the test."""
    found = [json.loads(line) for line in proxy.said.split("\n") if line]
    for line in found:
        assert line.keys() >= _KEYS, line
        assert datetime.fromisoformat(line["time"]).tzinfo is not None
    return found


async def done(proxy: Served, count: int) -> list[dict[str, Any]]:
    """Wait until so many queries are logged as done, and return all lines."""
    await proxy.logged("query.done", count)
    return lines(proxy)


@pytest.mark.parametrize("workers", ["1", "2"])
async def test_each_query_is_one_line_with_its_outcome_as_the_metrics_count_it(tmp_path: Path, workers: str) -> None:
    async with Upstream(scripted(Counter())) as upstream:
        config = tables(upstream, *SITUATIONS)
        async with served(tmp_path, toml(config), "--workers", workers) as proxy:
            await asyncio.gather(
                *(each.visit(f"{proxy.sparql}/{name}", each.text) for name, each in SITUATIONS.items())
            )
            found = [line for line in await done(proxy, len(SITUATIONS)) if line["event"] == "query.done"]
            expected = {name: (each.form.value, each.outcome.value) for name, each in SITUATIONS.items()}
            assert {line["endpoint"]: (line["form"], line["outcome"]) for line in found} == expected
            assert len({line["request_id"] for line in found} - {"-"}) == len(found) == len(SITUATIONS)
            assert total(await samples(proxy.base), "saga_queries_total") == len(found)
            small = next(line for line in found if line["endpoint"] == "small")
            assert (small["rows"], small["text_bytes"], small["level"]) == (2, len(SITUATIONS["small"].text), "info")
            _each_error_stands_there_once(lines(proxy))


def _each_error_stands_there_once(found: list[dict[str, Any]]) -> None:
    """An error of the endpoint's, or of ours, has one line with its detail; one of the client's has none."""
    by_request = Counter(line["request_id"] for line in found if line["event"] in _DETAILED)
    for line in (line for line in found if line["event"] == "query.done"):
        failed = line["outcome"] in ("upstream_error", "timeout", "truncated", "rejected")
        # What its endpoint calls partial is no error, and was told to the client in the head.
        expected = 1 if failed and line["endpoint"] != "capped" else 0
        assert by_request[line["request_id"]] == expected, line


def echo(sent: Sent) -> Answer:
    """Repeat the query, as engines do: in a page, escaped, cut, behind a good head, in the middle of an answer."""
    text = sent.text.encode()
    kind = sent.path.rpartition("/")[2]
    early = HEAD + rows(3) + b" SPARQL-QUERY: queryStr=" + text + b"\njava.lang.OutOfMemoryError"
    late = HEAD + rows(fronts.LARGE) + b" SPARQL-QUERY: queryStr=" + text
    page = b"<html>Error in <pre>" + text.replace(b"<", b"&lt;") + b"</pre>"
    answers = {
        "failed": Answer(status=500, type="text/plain", body=b"MALFORMED " + text[:40]),
        "page": Answer(status=200, type="text/html", body=page),
        "refused": Answer(status=400, type="text/plain", body=b"line 1: " + text),
        "busy": Answer(status=503, type="text/html", body=page),
        "json": Answer(status=500, type="application/json", body=json.dumps({"exception": sent.text}).encode()),
        "early": Answer(body=early),
        "late": Answer(body=late),
    }
    return answers[kind]


@pytest.mark.parametrize("level", ["info", "debug"])
async def test_no_word_of_a_query_is_in_the_log_whatever_its_endpoint_repeats(tmp_path: Path, level: str) -> None:
    names = ("failed", "page", "refused", "busy", "json", "early", "late")
    async with Upstream(echo) as upstream:
        endpoints = {name: {"url": f"{upstream.url}/{name}"} for name in names}
        config = {"server": {"log_level": level}, "endpoints": endpoints}
        async with served(tmp_path, toml(config)) as proxy:
            for name in names:
                await wire.get(f"{proxy.sparql}/{name}", {"query": SECRET})
            await wire.get(f"{proxy.sparql}/page", {"query": SECRET.replace("SELECT", "SELEKT")})
            await done(proxy, len(names) + 1)
            said = proxy.said.lower()
            for word in ("person", "secret", "disease", "gr\\u00fc", "grüße", "others"):
                assert word not in said, word
            # What it says of its own stays.
            assert "outofmemoryerror" in said or "not json" in said


async def test_a_request_id_that_is_sane_is_that_of_every_line_and_another_one_is_not_repeated(tmp_path: Path) -> None:
    async with Upstream(Answer(status=500, type="text/plain", body=b"no")) as upstream:
        config = {"endpoints": {"up": {"url": upstream.url}}}
        async with served(tmp_path, toml(config)) as proxy:
            asked = {"query": "ASK {}"}
            sane = await wire.get(proxy.sparql, asked, {"X-Request-Id": "client-1"})
            hostile = await wire.get(proxy.sparql, asked, {"X-Request-Id": '{"event": "forged"}'})
            found = await done(proxy, 2)
            assert (sane.header("x-request-id"), sane.json["request_id"]) == ("client-1", "client-1")
            events = [line["event"] for line in found if line["request_id"] == "client-1"]
            assert sorted(events) == ["query.done", "request.failed"]
            other = hostile.header("x-request-id") or ""
            assert re.fullmatch("[0-9a-f]{32}", other)
            assert sum(line["request_id"] == other for line in found) == 2
            assert "forged" not in proxy.said


@pytest.mark.parametrize("update", [False, True], ids=["query", "update"])
async def test_a_trace_goes_on_at_the_endpoint_and_is_none_of_the_request_id(update: bool) -> None:
    trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "tracestate": "a=1,b=2"}
    async with Upstream() as upstream, fronts.front(upstream, updates=True) as url:
        text = "INSERT DATA { <urn:a> <urn:b> <urn:c> }" if update else "ASK {}"
        kind = wire.UPDATE if update else wire.QUERY
        received = await wire.direct(url, text, kind, {**trace, "X-Request-Id": "mine", "baggage": "user=secret"})
        assert {name: upstream.last.headers.get(name) for name in trace} == trace
        assert "baggage" not in upstream.last.headers
        assert received.header("x-request-id") == "mine"
        await wire.direct(url, text, kind)
        assert not trace.keys() & upstream.last.headers.keys()


_FAULTY = """
from proxy.contract import Plugin

class Faulty(Plugin):
    async def query(self, query, run):
        raise ZeroDivisionError("a fault\\u2028of ours\\nin \\ud800 lines")
"""


async def test_a_fault_of_ours_is_one_traceback_on_one_line(tmp_path: Path) -> None:
    (tmp_path / "faulty_plugin.py").write_text(_FAULTY)
    async with Upstream() as upstream:
        config = {"endpoints": {"up": {"url": upstream.url}}, "plugins": {"enabled": ["faulty_plugin"]}}
        environment = {"PYTHONPATH": str(tmp_path)}
        async with served(tmp_path, toml(config), environment=environment) as proxy:
            failed = await wire.get(proxy.sparql, {"query": "ASK {}"}, {"X-Request-Id": "client-1"})
            assert (failed.status, failed.json["code"]) == (500, "internal")
            assert b"fault of ours" not in failed.body
            await proxy.logged("request.failed")
            await until(lambda: _has_traceback(proxy))
            found = [line for line in lines(proxy) if "traceback" in line]
            assert [line["request_id"] for line in found] == ["client-1"]
            assert "ZeroDivisionError" in found[0]["traceback"]
            # No byte that some reader takes for the end of a line, or that is no text.
            assert proxy.said.isascii()


async def _has_traceback(proxy: Served) -> bool:
    return '"traceback"' in proxy.said


async def test_a_clean_stop_and_a_reload_complain_of_nothing(tmp_path: Path) -> None:
    async with Upstream() as upstream, served(tmp_path, toml(tables(upstream, "small")), "--workers", "2") as proxy:
        await proxy.reload()
        assert await proxy.stopped() == 0
        assert {line["level"] for line in lines(proxy)} == {"info"}


async def test_lines_of_workers_never_mix_and_a_level_silences_what_is_below(tmp_path: Path) -> None:
    async with Upstream() as upstream:
        config: dict[str, Any] = {"endpoints": {"up": {"url": upstream.url, "concurrency": 8, "queue": 500}}}
        async with served(tmp_path, toml(config), "--workers", "2") as proxy:
            asked = (wire.get(proxy.sparql, {"query": f"ASK {{ ?s ?p {n} }}"}) for n in range(200))
            assert {each.status for each in await asyncio.gather(*asked)} == {200}
            found = await done(proxy, 200)
            assert sum(line["event"] == "query.done" for line in found) == 200
        config["server"] = {"log_level": "warning"}
        async with served(tmp_path, toml(config)) as proxy:
            await wire.get(proxy.sparql, {"query": "ASK {}"})
            await wire.get(proxy.sparql, {"query": "SELEKT"})
            assert proxy.said == ""
