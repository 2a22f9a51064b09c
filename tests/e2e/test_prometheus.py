"""A real Prometheus scrapes two workers: what arrives there is what the clients sent, also after one was killed."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections import Counter
from pathlib import Path

from tests import stage, wire
from tests.observed import toml, until
from tests.prometheus import Prometheus, panels, prometheus_server
from tests.served import Served, served
from tests.situations import SITUATIONS, scripted, tables
from tests.unit.schema.demo_schema import demo_draft
from tests.upstream import Upstream

# design.md, section 4, but for the series of questions and models; and one of our own.
_GAUGES = {"saga_inflight_queries", "saga_endpoint_up", "saga_breaker_open"}
SERIES = _GAUGES | {
    "saga_queries_total",
    "saga_empty_results_total",
    *(f"saga_query_seconds_{part}" for part in ("bucket", "count", "sum")),
    "saga_guard_findings_total",
    "saga_cache_events_total",
    "saga_retries_total",
    "saga_result_bytes_total",
    "saga_unchecked_queries_total",
}
_PLUGINS = ["plugins.schema.guard", "plugins.cache", "plugins.breaker"]
_RATE = "[20s]"


async def test_every_series_arrives_and_counters_are_what_the_clients_sent(tmp_path: Path, demo_store: Path) -> None:
    demo_draft().write(tmp_path / "demo.saga")
    async with Upstream(scripted(Counter())) as upstream:
        config = tables(upstream, *SITUATIONS)
        config["plugins"]["enabled"] = _PLUGINS
        config["endpoints"]["guarded"] = {
            "store": str(demo_store),
            "graph": "wikidata",
            "schema": str(tmp_path / "demo.saga"),
            "guard": "block",
        }
        async with served(tmp_path, toml(config), "--workers", "2") as proxy:
            with prometheus_server(proxy.base, tmp_path / "prometheus") as prometheus:
                await _arrived(prometheus, 'up{job="saga"}', 1)
                sent = await _traffic(proxy, 1)
                await _counted(prometheus, sent)
                sent += await _traffic(proxy, 2)
                await _counted(prometheus, sent)
                assert await prometheus.names() >= SERIES
                await _rates(prometheus)
                await _panels(prometheus)
                await _survives_a_killed_worker(proxy, prometheus, sent)


async def _traffic(proxy: Served, turn: int) -> Counter[tuple[str, str]]:
    """Send one query per situation and ten more, and return what each was by endpoint and outcome."""
    visits = [each.visit(f"{proxy.sparql}/{name}", f"{each.text} # {turn}") for name, each in SITUATIONS.items()]
    more = [wire.get(f"{proxy.sparql}/small", {"query": f"SELECT * {{ ?s ?p {turn * 10 + n} }}"}) for n in range(10)]
    blocked = wire.get(f"{proxy.sparql}/guarded", {"query": "SELECT ?d { wd:Q142 wdt:P569 ?d }"})
    await asyncio.gather(*visits, *more, blocked)
    sent = Counter((name, each.outcome.value) for name, each in SITUATIONS.items())
    return sent + Counter({("small", "ok"): 10, ("guarded", "blocked"): 1})


async def _arrived(prometheus: Prometheus, expression: str, value: float) -> None:
    async def there() -> bool:
        return await prometheus.number(expression) == value

    await until(there)


async def _counted(prometheus: Prometheus, sent: Counter[tuple[str, str]]) -> None:
    """Wait until so many queries have arrived, and compare each count."""
    await _arrived(prometheus, "sum(saga_queries_total)", sent.total())
    await _arrived(prometheus, "sum(saga_inflight_queries)", 0)
    found = await prometheus.ask("sum by (endpoint, outcome) (saga_queries_total)")
    assert {(labels["endpoint"], labels["outcome"]): value for labels, value in found} == sent


async def _rates(prometheus: Prometheus) -> None:
    rates = await prometheus.ask(f"sum by (endpoint) (rate(saga_queries_total{_RATE}))")
    assert {labels["endpoint"] for labels, value in rates if value > 0} == {*SITUATIONS, "guarded"}
    silent = 'saga_query_seconds_bucket{endpoint="silent",phase="total"}'
    slow = f"histogram_quantile(0.5, sum by (le) (rate({silent}{_RATE})))"
    # It was given 0.3 s, which is the upper end of no bucket.
    assert 0.25 <= await prometheus.number(slow) <= 2.5


async def _panels(prometheus: Prometheus) -> None:
    """Hold every panel of the dashboard to show something; those of questions have a test of their own."""
    for title, expression in panels(_RATE):
        if not re.search("saga_(nl|llm)_", expression):
            assert await prometheus.ask(expression), (title, expression)
    rules = (stage.ROOT / "deploy" / "prometheus" / "alerts.yml").read_text()
    for expression in re.findall(r"expr: (?:\|\n)?((?:.|\n)*?)\n +(?:for|labels):", rules):
        await prometheus.ask(expression)


async def _survives_a_killed_worker(proxy: Served, prometheus: Prometheus, sent: Counter[tuple[str, str]]) -> None:
    victim = proxy.workers[0]
    os.kill(victim, signal.SIGKILL)

    async def replaced() -> bool:
        workers = proxy.workers
        return victim not in workers and len(workers) == 2

    await until(replaced)
    # The new worker has counted, too, once all of this has arrived.
    sent += await _traffic(proxy, 3)
    await _counted(prometheus, sent)
    for name in SERIES - _GAUGES:
        assert await prometheus.number(f"sum(resets({name}[2m]))") == 0, name
    assert await prometheus.number('up{job="saga"}') == 1
