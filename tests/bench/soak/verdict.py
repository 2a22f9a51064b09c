"""What a run showed, line by line, and whether each line is as it must be."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from statistics import median, quantiles

from prometheus_client.parser import text_string_to_metric_families

from tests import wire
from tests.bench.soak.crowd import Crowd
from tests.bench.soak.endpoint import Endpoint
from tests.bench.soak.faults import WORKERS, Faults
from tests.bench.soak.journal import Journal
from tests.bench.soak.kills import Kills
from tests.bench.soak.ledger import Ledger
from tests.bench.soak.memory import Memory
from tests.bench.soak.timeline import Timeline
from tests.bench.soak.traffic import Traffic
from tests.served import Served

_MOST_GROWTH = 0.05
_SLOWEST_KILL_S = 1.0
_QUIET_S = 20.0
_ENDPOINTS = ("calm", "stormy", "demo", "notes", "left", "flooded", "killed")

Samples = dict[tuple[str, str], Counter[str]]


@dataclass(slots=True, kw_only=True)
class Run:
    """Everything that takes part in a run, and what it comes to.

    Shapes: ``others`` is the part of the processors' time that other processes took. Units: ``seconds`` and ``late_s``
    in seconds, ``rate`` in requests a second.
    """

    proxy: Served
    journal: Journal
    calm: Endpoint
    stormy: Endpoint
    ledger: Ledger
    traffic: Traffic
    crowd: Crowd
    kills: Kills
    memory: Memory
    faults: Faults
    timeline: Timeline
    seconds: float
    rate: float = 0.0
    late_s: float = 0.0
    others: float = 0.0


async def print_run(run: Run) -> bool:
    """Print all lines, and return whether every one is good."""
    quiet = await _quiet(run)
    run.timeline.read(run.journal, run.ledger.faults, run.ledger.unexplained)
    for line in run.timeline:
        print(line)
    print()
    lines = [
        *_traffic(run),
        await _endpoints(run),
        _limits(run),
        *_errors(run),
        _memory(run),
        *await _counters(run),
        await _updates(run),
        _kills(run),
        (quiet, "left behind", "nothing: no query, no request to an endpoint, no worker too many" if quiet else "work"),
    ]
    for good, name, text in lines:
        print(f"{'ok  ' if good else 'FAIL'} {name:12} {text}")
    return all(good for good, _, _ in lines)


Line = tuple[bool, str, str]


def _traffic(run: Run) -> list[Line]:
    ledger, waits = run.ledger, run.ledger.waits
    p99 = quantiles(waits, n=100)[98] if len(waits) > 100 else float("nan")
    came = ", ".join(f"{count:,} {what}" for what, count in run.crowd.came.most_common())
    return [
        (True, "requests", f"{ledger.requests:,}; {ledger.good:,} good; the last one {run.late_s * 1000:.0f} ms late"),
        (True, "latency", f"calm endpoint: median {median(waits) * 1000:.1f} ms, 99 % within {p99 * 1000:.0f} ms"),
        (True, "crowd", came),
        (True, "machine", f"others took {run.others:.0%} of the processors"),
        (True, "workers", f"{run.faults.reloads} reloads, {run.faults.kills} killed"),
    ]


async def _endpoints(run: Run) -> Line:
    """Say what reached the endpoints, and how late they were themselves."""
    shown = []
    for name, endpoint in (("calm", run.calm), ("stormy", run.stormy)):
        seen = await endpoint.seen()
        what = f"{seen.requests:,} requests on {seen.connections:,} connections"
        shown.append(f"{name}: {what}, itself at most {seen.late_s * 1000:.0f} ms late")
    return True, "endpoints", "; ".join(shown)


def _limits(run: Run) -> Line:
    """Say what became of those that flood; where none was refused, no limit holds."""
    statuses = run.ledger.statuses["flooded"]
    text = f"{statuses[200]:,} of those that flood were answered, {statuses[429]:,} told that it is too much"
    return statuses[429] > 0, "limits", text


def _errors(run: Run) -> list[Line]:
    ledger = run.ledger
    lines: list[Line] = []
    for name in dict.fromkeys(fault.name for fault in ledger.faults):
        what = ", ".join(f"{count} x {text}" for text, count in ledger.explained[name].most_common(4))
        lines.append((True, "injected", f"{name}: {what or 'no client saw it'}"))
    shown = "; ".join(ledger.shown())
    lines.append((not ledger.unexplained, "not injected", f"{len(ledger.unexplained)} errors {shown}".rstrip()))
    return lines


def _memory(run: Run) -> Line:
    """Compare the last part of the time in which the workers stayed the same with its first."""
    part_s = run.seconds / 10
    steady = run.memory.parts(part_s, run.faults.steady_from, run.faults.steady_to)
    growth = steady[-1] / steady[0] - 1 if len(steady) > 1 else float("nan")
    listed = " ".join(f"{mib:.0f}" for mib in steady)
    text = f"MiB of all processes, every {part_s:g} s while the workers stay the same: {listed}; {growth:+.1%}"
    return growth <= _MOST_GROWTH, "memory", text


async def _scraped(run: Run) -> tuple[Samples, float]:
    """Return the queries by endpoint and outcome, and how many run."""
    page = await wire.get(f"{run.proxy.base}/metrics")
    samples: Samples = {}
    inflight = 0.0
    for family in text_string_to_metric_families(page.body.decode()):
        for sample in family.samples:
            if sample.name == "saga_queries_total":
                found = samples.setdefault(("queries", sample.labels["endpoint"]), Counter())
                found[sample.labels["outcome"]] += int(sample.value)
            elif sample.name == "saga_inflight_queries":
                inflight += sample.value
    return samples, inflight


async def _counters(run: Run) -> list[Line]:
    """Compare what was counted with what was answered; a request that got no answer may have been counted or not."""
    samples, _ = await _scraped(run)
    lines: list[Line] = []
    for endpoint in _ENDPOINTS:
        counted = samples.get(("queries", endpoint), Counter[str]())
        answered = sum(run.ledger.statuses[endpoint].values())
        unsure = run.ledger.broken[endpoint] + run.ledger.left[endpoint]
        total = sum(counted.values())
        good = answered <= total <= answered + unsure
        outcomes = ", ".join(f"{count:,} {outcome}" for outcome, count in counted.most_common())
        text = f"{endpoint}: {total:,} counted, {answered:,} answered, {unsure:,} without an answer ({outcomes})"
        lines.append((good, "counters", text))
    return lines


async def _updates(run: Run) -> Line:
    """Compare the notes in the store with the updates that were answered."""
    text = "SELECT (COUNT(*) AS ?n) { ?s <urn:noted> ?n_ }"
    try:
        found = int((await wire.direct(f"{run.proxy.base}/sparql/notes", text)).values[0]["n"])
    except TimeoutError:
        return False, "updates", "the store does not say what is in it"
    most = run.traffic.updates + run.ledger.broken["notes"]
    text = f"{found:,} in the store, {run.traffic.updates:,} answered"
    return run.traffic.updates <= found <= most, "updates", text


def _kills(run: Run) -> Line:
    """Compare with the bound; a kill on a connection of a worker that was killed itself is no kill."""
    took = {kind: values for kind, values in run.kills.took.items() if values}
    shown = "; ".join(
        f"{len(values)} that {kind[:-1]}: median {median(values) * 1000:.0f} ms, longest {max(values) * 1000:.0f} ms"
        for kind, values in took.items()
    )
    slowest = max((max(values) for values in took.values()), default=float("inf"))
    failed = "".join(f"; {each}" for each in run.kills.failed)
    good = slowest <= _SLOWEST_KILL_S and not failed
    return good, "kills", f"{shown}; {run.kills.lost} met a killed worker{failed}"


async def _quiet(run: Run) -> bool:
    """Wait until nothing runs any more, for a while."""
    end = time.monotonic() + _QUIET_S
    while time.monotonic() < end:
        _, inflight = await _scraped(run)
        busy = [(await each.seen()).busy for each in (run.calm, run.stormy)]
        if not inflight and not any(busy) and len(run.proxy.workers) == WORKERS:
            return True
        await asyncio.sleep(0.5)
    print(f"     still there: {inflight:g} queries, {busy[0]} + {busy[1]} requests at endpoints, "
          f"{len(run.proxy.workers)} workers")  # fmt: skip
    return False
