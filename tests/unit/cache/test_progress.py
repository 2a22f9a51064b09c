"""Who waits for a stage goes on when it is reached, or any after it, and whoever leaves is held by nobody."""

from __future__ import annotations

import asyncio
import gc

from plugins.cache.progress import Progress, Stage


async def waiting(progress: Progress, stage: Stage) -> asyncio.Task[None]:
    """Return a task that waits for a stage."""
    task = asyncio.get_running_loop().create_task(progress.until(stage))
    await asyncio.sleep(0)
    return task


def _futures() -> int:
    gc.collect()
    return sum(type(each) is asyncio.Future for each in gc.get_objects())


async def test_each_stage_calls_those_who_wait_for_it_and_no_others() -> None:
    progress = Progress()
    opened, begun, landed = [await waiting(progress, stage) for stage in (Stage.OPENED, Stage.BEGUN, Stage.LANDED)]
    progress.reach(Stage.OPENED)
    await opened
    assert not begun.done()
    progress.reach(Stage.LANDED)
    await asyncio.gather(begun, landed)


async def test_a_stage_that_is_past_is_not_waited_for_and_never_left() -> None:
    progress = Progress()
    progress.reach(Stage.LANDED)
    progress.reach(Stage.OPENED)
    assert progress.stage is Stage.LANDED
    await progress.until(Stage.BEGUN)


async def test_who_leaves_hurts_nobody_and_is_forgotten() -> None:
    progress = Progress()
    stays = await waiting(progress, Stage.LANDED)
    before = _futures()
    for _ in range(10):
        left = await waiting(progress, Stage.LANDED)
        left.cancel()
        await asyncio.wait((left,))
    del left
    await asyncio.sleep(0)
    assert _futures() == before
    progress.reach(Stage.LANDED)
    await stays


async def test_who_leaves_in_the_moment_of_the_stage_leaves_all_the_same() -> None:
    progress = Progress()
    left, stays = await waiting(progress, Stage.OPENED), await waiting(progress, Stage.LANDED)
    progress.reach(Stage.OPENED)
    left.cancel()
    await asyncio.wait((left,))
    assert left.cancelled()
    progress.reach(Stage.LANDED)
    await stays
