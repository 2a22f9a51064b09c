"""What the system says of processes: who started whom, and the processor time that they took (Linux)."""

from __future__ import annotations

import contextlib
from pathlib import Path

_PROC = Path("/proc")


def children(pid: int) -> list[int]:
    """Return the processes that a process started."""
    found = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                # After the name in brackets, which may hold anything: the state, then the parent.
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except (FileNotFoundError, ProcessLookupError):
                continue
            if parent == pid:
                found.append(int(folder.name))
    return sorted(found)


def cpu_s(pid: int) -> float:
    """Return the seconds of processor time of a process and its children, all threads, as long as they live."""
    total = 0
    for each in (pid, *children(pid)):
        # One that ends while we look has nothing to say any more.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for task in (_PROC / str(each) / "task").iterdir():
                # Source: the kernel's sched-stats: nanoseconds on a processor, nanoseconds waiting for one, slices.
                total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9
