"""The checks beside a query: when they begin, what they wait for, and what is kept of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from plugins.schema.facts import Budget, Facts
from plugins.schema.judge import Judgement
from plugins.schema.lull import MOST_WAITING, Lull
from plugins.schema.trial import Trial
from plugins.schema.verdicts import Key, Verdicts
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Dataset
from proxy.errors import UpstreamFailed
from tests.unit.schema.demo_schema import DIRECT, demo_index, item, syntax
from tests.unit.schema.test_facts import Endpoint, row

COUNTRY = [row(item("Q64"), DIRECT + "P31"), row(item("Q64"), DIRECT + "P31", item("Q3624078"))]
BIRTH = "SELECT ?d { wd:Q64 wdt:P569 ?d }"
NO_CONSTANT = "SELECT ?d { ?x wdt:P31 wd:Q5 ; wdt:P569 ?d }"


@dataclass(slots=True)
class Place:
    """An endpoint with its facts and verdicts."""

    endpoint: Endpoint
    facts: Facts
    verdicts: Verdicts

    def trial(self, text: str) -> Trial:
        gate = asyncio.Event()
        judgement = Judgement(syntax(text), demo_index(), self.facts, gate=gate)
        return Trial(judgement, gate, self.facts, self.verdicts, Key(text.encode(), Dataset(), "client"))


@asynccontextmanager
async def place(endpoint: Endpoint) -> AsyncIterator[Place]:
    clock = asyncio.get_running_loop().time
    facts = Facts(endpoint.run, "e", vocabulary("wikidata"), Budget(types_s=5.0, ask_s=5.0), clock)
    yield Place(endpoint, facts, Verdicts(clock, 300.0))
    await facts.aclose()


def codes(trial: Trial) -> list[str] | None:
    return None if trial.report is None else [each.code for each in trial.report.findings]


async def test_nothing_is_looked_up_for_an_answer_that_is_out_before_somebody_hurries() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        trial = here.trial(BIRTH)
        trial.begin_soon()
        assert trial.linger()
        await asyncio.sleep(0.1)
        assert (codes(trial), here.endpoint.asked) == (None, [])
        trial.hurry()
        await trial.end()
        assert codes(trial) == ["domain"]


async def test_look_ups_begin_by_themselves_where_the_answer_takes_long() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        trial = here.trial(BIRTH)
        trial.begin_soon()
        for _ in range(500):
            if trial.report is not None:
                break
            await asyncio.sleep(0.01)
        assert codes(trial) == ["domain"]


async def test_what_needs_no_look_up_does_not_wait_for_the_gate() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        trial = here.trial(NO_CONSTANT)
        trial.linger()
        await trial.end()
        assert codes(trial) == []
        assert here.endpoint.asked == []


async def test_a_text_is_judged_once() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        assert await here.trial(BIRTH).full() is not None
        asked = len(here.endpoint.asked)
        again = here.trial(BIRTH)
        assert codes(again) == ["domain"]
        assert await again.full() is again.report
        assert not again.linger()
        assert len(here.endpoint.asked) == asked


async def test_what_was_forgotten_meanwhile_is_not_kept() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        trial = here.trial(BIRTH)
        here.facts.forget()
        assert await trial.schema() is not None
        assert here.trial(BIRTH).report is None


async def test_checks_that_miss_an_answer_are_not_kept() -> None:
    async with place(Endpoint(UpstreamFailed("gone"))) as here:
        trial = here.trial(BIRTH)
        await trial.schema()
        assert here.trial(BIRTH).report is None


async def test_a_lull_lets_one_go_after_the_other_and_drops_what_is_too_much() -> None:
    async with place(Endpoint(COUNTRY, False, wait_s=0.01)) as here:
        lull = Lull()
        trials = [here.trial(f"SELECT ?d {{ wd:Q{number} wdt:P569 ?d }}") for number in range(MOST_WAITING + 5)]
        done: list[bool] = []
        for trial in trials:
            assert trial.linger()
            trial.then(lambda report: done.append(report is not None))
            lull.add(trial)
        async with asyncio.timeout(30):
            for trial in trials:
                await trial.end()
        await asyncio.sleep(0)
        assert (done.count(True), done.count(False)) == (MOST_WAITING, 5)
        assert here.endpoint.most_at_once == 1
        await lull.aclose()


async def test_a_busy_worker_goes_on_all_the_same() -> None:
    async with place(Endpoint(COUNTRY, False)) as here:
        lull, trial = Lull(), here.trial(BIRTH)
        trial.linger()
        lull.add(trial)
        async with asyncio.timeout(10):
            while trial.report is None:
                lull.stir()
                await asyncio.sleep(0.001)
        await lull.aclose()
