"""Which connections a process holds (Linux): with it they are lost."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def clients_of(pid: int, port: int) -> frozenset[int]:
    """Return the ports at the other ends of the connections that a process has taken at a port of its own."""
    sockets = set()
    for each in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(each))
    lines = Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
    fields = (line.split() for line in lines)
    return frozenset(
        int(remote.rpartition(":")[2], 16)
        for _, local, remote, *_, inode in (each[:10] for each in fields)
        if local.endswith(f":{port:04X}") and f"socket:[{inode}]" in sockets
    )
