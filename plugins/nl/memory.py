"""What is remembered from one question to the next, and where."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

from plugins.nl.local import LocalRecords, open_database
from plugins.nl.options import NlOptions
from plugins.nl.records import Records

# Set by the parent of many workers, and absent where there is one.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_MOST_CALLERS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Hold the records of conversations, and those of what callers have spent: this machine's, then everybody's."""

    conversations: Records
    seconds: Sequence[Records]
    money: Sequence[Records]


@asynccontextmanager
async def memory(options: NlOptions, clock: Callable[[], float]) -> AsyncIterator[Memory]:
    """Open the records: those that the workers of this machine share, and those in Redis where it is configured."""
    folder = os.environ.get(_FOLDER)
    with closing(open_database(Path(folder) if folder else None)) as database:
        local = Memory(
            conversations=LocalRecords(database, "conversations", options.conversations, clock),
            seconds=[LocalRecords(database, "seconds", _MOST_CALLERS, clock)],
            money=[LocalRecords(database, "money", _MOST_CALLERS, clock)],
        )
        if not options.redis:
            yield local
            return
        async with _shared(options, clock) as everybodys:
            yield Memory(
                conversations=everybodys.conversations,
                seconds=[*local.seconds, *everybodys.seconds],
                money=[*local.money, *everybodys.money],
            )


@asynccontextmanager
async def _shared(options: NlOptions, clock: Callable[[], float]) -> AsyncIterator[Memory]:
    from plugins.nl.shared import SharedRecords
    from proxy.redis_link import RedisLink

    link = RedisLink(options)
    names = ("conversations", "seconds", "money")
    conversations, seconds, money = (SharedRecords(link, f"{options.namespace}:nl:{name}", clock) for name in names)

    async def settle() -> None:
        for records in (conversations, seconds, money):
            await records.settle()

    async with link.lifespan(settle):
        yield Memory(conversations=conversations, seconds=[seconds], money=[money])
