"""Say why a query cannot work: beside it as a warning, or before it as a block.

A fault of the guard lets the query pass, in every mode; it is logged. Only a verified finding of severity block stops a
query, and only in block mode; checks that are late never do.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from multidict import CIMultiDict
from prometheus_client import Counter

from plugins.schema.desk import Desk, Shelf
from plugins.schema.facts import LOOKUP, Budget, Facts
from plugins.schema.findings import Report
from plugins.schema.head import begun
from plugins.schema.index import MAX_AGE_DAYS, Index
from plugins.schema.pages import Pages
from plugins.schema.trial import Trial
from plugins.schema.vocabulary import vocabulary
from plugins.schema.warning import HEADER, warnings
from proxy.contract import Context, Plugin, Query, Reply, Route, Run
from proxy.errors import BadRequest, Blocked, ConfigError
from proxy.settings import NONE, EndpointTable, key
from proxy.syntax import Form

log = logging.getLogger("saga")

Mode = Literal["off", "warn", "block"]
_ORDER: tuple[Mode, ...] = ("off", "warn", "block")
_MODES: Mapping[str, Mode] = {mode: mode for mode in _ORDER}


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardEndpoint:
    """A `[guard.endpoints.NAME]` table."""

    index: Path | None = key("schema index of the endpoint's graph; without one its queries pass unchecked", None)
    mode: Mode | None = key("off, warn or block; absent is that of `[guard]`", None)
    override: bool | None = key("whether a `Saga-Guard` header may lower the mode; absent is that of `[guard]`", None)
    concurrency: int = key(
        "look-ups that run at the same time, on a store one less than its readers; 1 for a public endpoint", 4
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardOptions:
    """The `[guard]` table."""

    mode: Mode = key("warn runs the checks beside the query, block before it", "warn")
    override: bool = key("whether a `Saga-Guard` header may lower the mode; raise it may always", False)
    strict: bool = key("judge by the paper's rule instead, without a class hierarchy; for comparison", False)
    optional: bool = key("start without the guard where an index is missing or damaged", False)
    types_s: float = key("seconds that a look-up of types may take", 0.5)
    ask_s: float = key("seconds that the verification of a finding may take", 1.0)
    remembered_s: float = key(
        "seconds that an answer of the endpoint counts; so long an update through another worker may go unseen", 300.0
    )
    max_age_days: float = key("days after which an index is too old to be used without a note", MAX_AGE_DAYS)
    endpoints: Mapping[str, GuardEndpoint] = key("what holds for single endpoints", NONE)


class Guard(Plugin):
    """Judge queries by the schema of their graph. A failure here lets the query pass.

    What was said of a text is kept, and said again at once, for as long as the answers of the endpoint below it count:
    `remembered_s`. An update through this worker makes it forget all of that. Look-ups for a query that has its rows
    already wait for a quiet moment; where too many wait, a query passes unchecked.
    """

    Options = GuardOptions

    def __init__(self, options: GuardOptions) -> None:
        super().__init__(options)
        self._options: GuardOptions = options
        self._desks: dict[str, Desk] = {}
        self._rules: dict[str, GuardEndpoint] = {}
        self._pages = Pages(self._desks)
        self._found: Counter | None = None

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Open the indexes. Raises ConfigError for one that cannot be used, unless the config says to go on."""
        self._found = context.metrics.counter(
            "saga_guard_findings", "Findings about queries", ["endpoint", "code", "severity"]
        )
        self._pages.open(context)
        async with AsyncExitStack() as stack:
            for name, endpoint in context.tables.items():
                self._rules[name] = self._rule(name, endpoint)
                desk = self._desk(name, self._rules[name], context)
                if desk is not None:
                    self._desks[name] = desk
                    stack.push_async_callback(desk.aclose)
            context.parts["schema"] = self._problem
            yield
        self._desks.clear()

    def index(self, endpoint: str) -> Index | None:
        """Return the schema index of an endpoint as its file is now; None where it has none."""
        desk = self._desks.get(endpoint)
        return desk.index if desk else None

    async def _problem(self) -> str:
        """Say which indexes cannot be used. Why names files of this machine, and stands in the log."""
        broken = [name for name, desk in self._desks.items() if desk.index is None]
        return f"the schema index of {', '.join(broken)} cannot be used; the log says why" if broken else ""

    def routes(self) -> Sequence[Route]:
        """Add /validate and /schema."""
        return self._pages.routes()

    async def query(self, query: Query, run: Run) -> Reply:
        """Check a query beside or before its run, as the mode says."""
        desk = self._desks.get(query.endpoint)
        if LOOKUP in query.hints or desk is None or query.form is Form.OTHER:
            return await run(query)
        if query.form is Form.UPDATE:
            return await _updated(query, run, desk)
        mode = self._mode(query)
        trial = None if mode == "off" else desk.trial(query)
        if trial is None:
            return await run(query)
        return await (self._before if mode == "block" else self._beside)(query, run, desk, trial)

    async def _before(self, query: Query, run: Run, desk: Desk, trial: Trial) -> Reply:
        """Check, then run. Late checks only warn."""
        try:
            report = await trial.schema()
            if report is not None and report.blocks:
                self._count(query, report)
                members = {"findings": [each.document() for each in report.findings]}
                raise Blocked(report.blocks[0].message, members=members)
        except BaseException:
            await desk.end(trial)
            raise
        return await self._beside(query, run, desk, trial)

    async def _beside(self, query: Query, run: Run, desk: Desk, trial: Trial) -> Reply:
        """Run while the checks run. Only a whole answer that found nothing waits for them: it needs the reason."""
        trial.begin_soon()
        try:
            reply, nothing = await begun(await run(query), query.syntax)
            if not nothing:
                return self._rows(query, reply, desk, trial)
            try:
                report = await trial.full()
            except BaseException:
                await reply.aclose()
                raise
        except BaseException:
            await desk.end(trial)
            raise
        await desk.end(trial)
        return self._with(query, reply, report)

    def _rows(self, query: Query, reply: Reply, desk: Desk, trial: Trial) -> Reply:
        """Answer at once with the findings that are there; later ones go into the log and the metrics."""
        report = trial.report
        desk.leave(trial, lambda late: None if report else self._count(query, _softened(late)))
        return self._with(query, reply, report)

    def _with(self, query: Query, reply: Reply, report: Report | None) -> Reply:
        if report is None or not report.findings:
            return reply
        report = _softened(report)
        self._count(query, report)
        headers = CIMultiDict(reply.headers)
        headers.extend((HEADER, value) for value in warnings(report.findings))
        return replace(reply, headers=headers)

    def _count(self, query: Query, report: Report) -> None:
        assert self._found is not None
        for each in report.findings:
            self._found.labels(query.endpoint, each.code, each.severity).inc()
        if report.findings:
            said = [f"{each.code} {each.severity} {each.prop.id}" for each in report.findings[:10]]
            fields = {"endpoint": query.endpoint, "query": query.id, "findings": said}
            log.info("guard.findings", extra={"fields": fields})

    def _mode(self, query: Query) -> Mode:
        """Return the mode that holds: a header may raise the configured one, and lower it where that is allowed."""
        rule = self._rules[query.endpoint]
        mode = rule.mode or self._options.mode
        override = self._options.override if rule.override is None else rule.override
        asked = query.hints.get("saga-guard", "").strip().lower()
        if not asked:
            return mode
        if asked not in _MODES:
            raise BadRequest(f"Saga-Guard takes off, warn or block, not {asked[:20]!r}.")
        # What a question is answered with says of each of its queries how it is to be judged.
        if override or query.source == "nl":
            return _MODES[asked]
        return max(mode, _MODES[asked], key=_ORDER.index)

    def _rule(self, name: str, endpoint: EndpointTable) -> GuardEndpoint:
        """Return what holds for an endpoint: its table of ours, over the keys of its own."""
        table = self._options.endpoints.get(name, GuardEndpoint())
        override = endpoint.guard_override if table.override is None else table.override
        return replace(
            table,
            index=table.index or endpoint.schema,
            mode=table.mode or endpoint.guard,
            override=override,
        )

    def _desk(self, name: str, table: GuardEndpoint, context: Context) -> Desk | None:
        if table.index is None:
            return None
        try:
            shelf = Shelf(table.index, context.clock, self._options.remembered_s, self._options.max_age_days)
        except ConfigError as error:
            if not self._options.optional:
                raise
            log.error("guard.index_refused", extra={"fields": {"endpoint": name, "detail": str(error)}})
            return None
        budget = Budget(
            types_s=self._options.types_s,
            ask_s=self._options.ask_s,
            concurrency=look_ups_at_once(table, context.tables[name]),
            remembered_s=self._options.remembered_s,
        )
        facts = Facts(context.run, name, vocabulary(shelf.graph), budget, context.clock)
        return Desk(shelf, facts, by_paper=self._options.strict)


def look_ups_at_once(table: GuardEndpoint, endpoint: EndpointTable) -> int:
    """Return how many look-ups may run at once: of two or more readers of a store one is left to clients."""
    places = endpoint.places - 1 if endpoint.store else table.concurrency
    return max(1, min(places, table.concurrency))


async def _updated(query: Query, run: Run, desk: Desk) -> Reply:
    """Run an update, and forget what the graph said before it."""
    try:
        return await run(query)
    finally:
        desk.forget()


def _softened(report: Report) -> Report:
    """Return the report of a query that runs: nothing in it is a block."""
    findings = (replace(each, severity="warn") if each.severity == "block" else each for each in report.findings)
    return replace(report, findings=tuple(findings))
