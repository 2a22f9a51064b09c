"""Every fault of the catalogue: what its client sees, what the metrics say, and that nothing of it stays.

`python -m tests.faults --long` does the last with 10,000 rounds of each.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests import fronts
from tests.faults.catalogue import FAULTS, row
from tests.faults.fault import Fault
from tests.faults.rounds import run

_ROUNDS, _WARM, _AT_ONCE = 32, 8, 8
_CONFIRMED_S = 0.3

every = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(": ", "-").replace(" ", "_"))
judged = pytest.mark.parametrize(
    "fault",
    [fault for fault in FAULTS if fault.outcomes],
    ids=lambda fault: fault.name.replace(": ", "-").replace(" ", "_"),
)


async def outcomes(url: str) -> dict[str, float]:
    """Return the outcomes that were counted."""
    names = ("ok", "empty", "client_error", "upstream_error", "timeout", "cancelled", "truncated", "rejected")
    found = {name: await fronts.counted(url, "saga_queries_total", outcome=name) for name in names}
    return {name: count for name, count in found.items() if count}


@every
async def test_a_client_sees_what_it_should_and_it_is_counted_once(fault: Fault) -> None:
    async with fault.scene() as (url, _):
        sight = await fault.visit(url, 0)
        assert sight in fault.sees
        async with asyncio.timeout(10):
            while await fronts.counted(url, "saga_inflight_queries"):  # noqa: ASYNC110 - what is watched is a page
                await asyncio.sleep(0.02)
        counted = await outcomes(url)
        assert counted.keys() <= fault.outcomes
        assert bool(counted) is bool(fault.outcomes)
        assert sum(counted.values()) <= fault.most
        assert await fronts.counted(url, "saga_retries_total") == 0
        assert await fronts.counted(url, "saga_breaker_open") == 0


@judged
async def test_three_in_a_row_open_the_circuit_where_nobody_is_there(fault: Fault) -> None:
    breaker = {"failures": 3, "retry_share": 0.0, "patience_s": 0.0, "cool_off_s": 600.0, "liveness_s": 600.0}
    async with fault.scene(breaker=breaker) as (url, _):
        for number in range(3):
            await fault.visit(url, number)
        if fault.opens:
            async with asyncio.timeout(10):
                while not await fronts.counted(url, "saga_breaker_open"):  # noqa: ASYNC110 - what is watched is a page
                    await asyncio.sleep(0.02)
            assert await fronts.counted(url, "saga_endpoint_up") == 0
            shut = await fault.visit(url, 3)
            assert shut is not None
            assert (shut.status, shut.code) == (503, "upstream_busy")
            assert 0 < int(shut.retry or "") <= 600
        else:
            # A doubt would ask whether it lives, and open the circuit only then.
            await asyncio.sleep(_CONFIRMED_S)
            assert await fronts.counted(url, "saga_breaker_open") == 0


@judged
async def test_what_is_worth_it_is_sent_once_more_and_counted(fault: Fault) -> None:
    breaker = {"failures": 10**9, "retry_share": 1.0, "retry_within_s": 30.0, "patience_s": 2.0}
    async with fault.scene(breaker=breaker) as (url, _):
        assert await fault.visit(url, 0) in fault.sees
        assert await fronts.counted(url, "saga_retries_total") == (1 if fault.retries else 0)
        if fault.retries:
            assert await fronts.counted(url, "saga_retries_total", reason=fault.retries) == 1


@every
async def test_nothing_of_some_dozen_rounds_stays(fault: Fault) -> None:
    held = await run(fault, _ROUNDS, _AT_ONCE, _WARM)
    assert held.same, f"before {held.before}, after {held.after}"
    assert held.seen.keys() <= fault.sees
    assert held.seen.total() == _ROUNDS


def test_the_table_of_the_readme_is_the_catalogue() -> None:
    page = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| ") and line.split(" | ")[0][2:].count(": ")]
    assert rows == [row(fault) for fault in FAULTS]
