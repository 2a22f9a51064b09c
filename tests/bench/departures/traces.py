"""What a process holds: descriptors, tasks, child processes, memory, kept connections (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tests.bench.departures.rest import workers

_ESTABLISHED = "01"


@dataclass(frozen=True, slots=True)
class Traces:
    """Units: ``resident`` in MiB; the rest are counts."""

    descriptors: int
    tasks: int
    children: int
    resident: float


def traces(kept: int) -> Traces:
    """Look at this process, in which endpoint, proxy and clients run.

    ``kept`` connections to the endpoint stay open between queries: each is a descriptor at both ends, and a task of the
    endpoint.
    """
    return Traces(
        descriptors=len(os.listdir("/proc/self/fd")) - 2 * kept,
        tasks=len(asyncio.all_tasks()) - kept,
        children=len(workers()),
        resident=resident(),
    )


def resident() -> float:
    """Return the MiB that this process holds."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(found[1]) / 1024 if found else 0.0


def kept_connections(url: str) -> int:
    """Count the open connections of ours at the port of an address, as the listening side has them.

    The table also shows those that nobody has accepted, and those of other processes.
    """
    port = f":{urlsplit(url).port:04X}"
    lines = Path("/proc/self/net/tcp").read_text().splitlines()[1:]
    fields = (line.split() for line in lines)
    there = [each[9] for each in fields if each[1].endswith(port) and each[3] == _ESTABLISHED]
    return len({f"socket:[{inode}]" for inode in there} & _links()) if there else 0


def _links() -> set[str]:
    """Return what the descriptors of this process stand for."""
    found = set()
    for each in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(os.readlink(each))
    return found
