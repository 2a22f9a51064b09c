"""Every way in which a query can end: what its endpoint and its client do, and what the metrics must then say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from proxy.observe import Outcome
from proxy.syntax import Form
from tests import fronts, stage, wire
from tests.observed import Series, named, samples, total, until
from tests.profiles import html_failure, select
from tests.upstream import Answer, Sent, Upstream

# Takes the address of an endpoint by its name, and a text.
Visit = Callable[[str, str], Awaitable[None]]

_LARGE = select(fronts.LARGE)
_NEVER = Answer(before_head_s=60)
_STALLS = Answer(type=_LARGE.type, body=_LARGE.body, framing="chunked", cut=500_000, end="stall")
_CUT = Answer(type=_LARGE.type, body=_LARGE.body, framing="chunked", cut=500_000, end="reset")
_CAPPED = Answer(type=_LARGE.type, body=select(2).body, headers=[("X-SPARQL-MaxRows", "2")])


def _says(status: int, *headers: tuple[str, str]) -> Answer:
    return Answer(status=status, headers=headers, type="text/plain", body=b"no")


async def reads(url: str, text: str) -> None:
    """Read the answer, whatever it is."""
    await wire.get(url, {"query": text})


async def leaves(url: str, text: str) -> None:
    """Leave while nothing has come, but not before the query runs."""
    base, _, endpoint = url.partition("/sparql/")

    async def runs() -> bool:
        return total(await samples(base), "saga_inflight_queries", endpoint=endpoint) > 0

    async with wire.connected(url) as (_, writer):
        writer.write(wire.request(f"{url}?query={quote(text)}", "GET"))
        await until(runs)


async def leaves_midway(url: str, text: str) -> None:
    """Leave in the middle of the answer."""
    async with wire.connected(url) as (reader, writer):
        writer.write(wire.request(f"{url}?query={quote(text)}", "GET"))
        await reader.readexactly(50_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """One query and its end.

    Shapes: ``script`` is what the endpoint answers to one text, in this order, the last for ever. ``phases`` of its
    time are those that are known at the end. ``more`` are further series that grow, each with its labels as
    `name=value`, the endpoint left out.
    """

    outcome: Outcome
    script: Sequence[Answer] = (Answer(),)
    form: Form = Form.SELECT
    text: str = "SELECT * { ?s ?p ?o }"
    visit: Visit = reads
    phases: Sequence[str] = ("queue", "first_byte", "overhead", "total")
    table: Mapping[str, Any] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)

    def grows(self, endpoint: str) -> Counter[Series]:
        """Return by how much each series grows; no other may."""
        grown = [
            named("saga_queries_total", endpoint=endpoint, form=self.form.value, outcome=self.outcome.value),
            *(named("saga_query_seconds_count", endpoint=endpoint, phase=phase) for phase in self.phases),
        ]
        for name, label in self.more.items():
            labels = dict([label.split("=")]) if label else {}
            grown.append(named(name, endpoint=endpoint, **labels))
        return Counter(grown)


_UNANSWERED = ("total",)

SITUATIONS: Mapping[str, Situation] = {
    "small": Situation(outcome=Outcome.OK, script=[select(2)]),
    "streamed": Situation(outcome=Outcome.OK, script=[_LARGE]),
    "true": Situation(outcome=Outcome.OK, form=Form.ASK, text="ASK {}"),
    "unchecked": Situation(
        outcome=Outcome.OK,
        form=Form.ASK,
        text="ASK { ?s ?p ?o GIBBERISH ( ?o ) }",
        more={"saga_unchecked_queries_total": ""},
    ),
    "empty": Situation(outcome=Outcome.EMPTY, script=[select(0)], more={"saga_empty_results_total": "source=client"}),
    "malformed": Situation(outcome=Outcome.CLIENT_ERROR, form=Form.OTHER, text="SELEKT", phases=()),
    "forbidden": Situation(
        outcome=Outcome.CLIENT_ERROR,
        text="SELECT * { SERVICE <http://e.org/> { ?s ?p ?o } }",
        table={"service": []},
        phases=_UNANSWERED,
    ),
    "refused": Situation(outcome=Outcome.CLIENT_ERROR, script=[_says(400)], phases=_UNANSWERED),
    "failed": Situation(outcome=Outcome.UPSTREAM_ERROR, script=[html_failure()], phases=_UNANSWERED),
    "gone": Situation(
        outcome=Outcome.UPSTREAM_ERROR,
        table={"url": f"http://127.0.0.1:{stage.free_port()}/"},
        phases=_UNANSWERED,
        more={"saga_retries_total": "reason=connect"},
    ),
    "silent": Situation(outcome=Outcome.TIMEOUT, script=[_NEVER], table={"first_byte_s": 0.3}, phases=_UNANSWERED),
    "left": Situation(outcome=Outcome.CANCELLED, script=[_NEVER], visit=leaves, phases=_UNANSWERED),
    "left_midway": Situation(outcome=Outcome.CANCELLED, script=[_STALLS], visit=leaves_midway),
    "cut_early": Situation(
        outcome=Outcome.TRUNCATED, script=[Answer(cut=5, end="close")], form=Form.ASK, text="ASK {}"
    ),
    "cut_midway": Situation(outcome=Outcome.TRUNCATED, script=[_CUT]),
    "stalls_midway": Situation(outcome=Outcome.TRUNCATED, script=[_STALLS], table={"total_s": 1.0}),
    "capped": Situation(outcome=Outcome.TRUNCATED, script=[_CAPPED]),
    "busy": Situation(outcome=Outcome.REJECTED, script=[_says(429, ("Retry-After", "60"))], phases=_UNANSWERED),
    "again_busy": Situation(
        outcome=Outcome.OK,
        script=[_says(503, ("Retry-After", "0")), select(2)],
        more={"saga_retries_total": "reason=busy"},
    ),
    "again_reset": Situation(
        outcome=Outcome.OK,
        script=[Answer(raw=b"", end="reset"), select(2)],
        more={"saga_retries_total": "reason=reset"},
    ),
}


def scripted(sent_before: Counter[tuple[str, str]]) -> Callable[[Sent], Answer]:
    """Return a script that does what the endpoint named in the path does; each text there begins anew."""

    def script(sent: Sent) -> Answer:
        name = sent.path.rpartition("/")[2]
        turn = sent_before[name, sent.text]
        sent_before[name, sent.text] += 1
        answers = SITUATIONS[name].script
        return answers[min(turn, len(answers) - 1)]

    return script


def tables(upstream: Upstream, *names: str) -> dict[str, Any]:
    """Return a configuration with an endpoint per situation, all of them the one upstream."""
    endpoints = {name: {"url": f"{upstream.url}/{name}", **SITUATIONS[name].table} for name in names}
    return {
        "endpoints": endpoints,
        "plugins": {"enabled": ["plugins.breaker"]},
        "breaker": {"failures": 1000, "retry_share": 1.0},
    }
