"""Every answer and every fault: what a query held is gone with it, and does not wait for the garbage to be collected.

An error holds the frames it came through, and they hold buffers. Where such an error is kept by what is in one of those
frames, nothing of it is freed until Python looks for cycles, which it does ever more rarely: a worker that met a stream
of broken answers grew by half.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType

import pytest

from tests import fronts, stage, wire
from tests.faults.catalogue import FAULTS
from tests.faults.fault import ACCEPT, CHAIN, Fault, Sight, Visit, ask, scripted, seen, text
from tests.profiles import select
from tests.upstream import Answer

_CODES = ("f_code", "cr_code", "gi_code", "ag_code")
# The library's handler of a connection keeps what went wrong with it, and our task in it, in a frame of its own.
_NOT_OURS = {"proxy.listener._Connection", "proxy.listener.py: _Connection._handle_request"}

every = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(": ", "-").replace(" ", "_"))


async def _again(url: str, _: int) -> Sight:
    return seen(await wire.get(url, {"query": text(0)}))


async def _update(url: str, number: int) -> Sight:
    return seen(await wire.post(url, {"update": f"INSERT DATA {{ <urn:s> <urn:p> {number} }}"}, ACCEPT))


def _fine(name: str, answer: Answer, visit: Visit = ask, status: int = 200) -> Fault:
    """Return what is no fault at all."""
    sees, outcomes = frozenset({Sight(status)}), frozenset({"ok"})
    return Fault(name=name, peer=scripted(answer), sees=sees, outcomes=outcomes, visit=visit, table={"updates": True})


_FINE = (
    _fine("asked", select(3)),
    _fine("from the cache", select(3), _again),
    _fine("streamed", select(fronts.LARGE)),
    _fine("update", Answer(status=204, body=b""), _update, status=204),
)


@contextmanager
def garbage() -> Iterator[Counter[str]]:
    """Yield a counter that is filled at the end: what is ours of all that only the collector frees."""
    found: Counter[str] = Counter()
    gc.collect()
    gc.disable()
    try:
        yield found
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        names = (name for each in gc.garbage for name in (_name(each), _code(each)))
        found.update(name for name in names if name.startswith(("proxy.", "plugins.")) and name not in _NOT_OURS)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


def _name(found: object) -> str:
    return f"{type(found).__module__}.{type(found).__qualname__}"


def _code(found: object) -> str:
    """Return the module and name of what runs, or ran, where it is a frame, a coroutine or a generator."""
    code = next((code for name in _CODES if (code := getattr(found, name, None)) is not None), None)
    if not isinstance(code, CodeType) or not Path(code.co_filename).is_relative_to(stage.ROOT):
        return ""
    return f"{'.'.join(Path(code.co_filename).relative_to(stage.ROOT).parts)}: {code.co_qualname}"


@pytest.mark.parametrize("chain", [CHAIN, CHAIN[::-1]], ids=["in order", "the other way round"])
@pytest.mark.parametrize("answer", _FINE, ids=lambda answer: answer.name)
async def test_nothing_of_an_answer_waits_for_the_collector(answer: Fault, chain: tuple[str, ...]) -> None:
    async with answer.scene(plugins={"enabled": [f"plugins.{name}" for name in chain]}) as (url, _):
        assert await answer.visit(url, 0) in answer.sees
        await _rest(url)
        with garbage() as found:
            assert await answer.visit(url, 1) in answer.sees
            await _rest(url)
        assert not found


@every
async def test_nothing_of_a_query_waits_for_the_collector(fault: Fault) -> None:
    async with fault.scene() as (url, _):
        await fault.visit(url, 0)
        await _rest(url)
        with garbage() as found:
            await fault.visit(url, 1)
            await _rest(url)
        assert not found


async def _rest(url: str) -> None:
    async with asyncio.timeout(10):
        while await fronts.counted(url, "saga_inflight_queries"):  # noqa: ASYNC110 - what is watched is a page
            await asyncio.sleep(0.02)
    await asyncio.sleep(0.1)
