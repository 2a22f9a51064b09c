"""How much memory a process holds, and the most that it held (Linux)."""

from __future__ import annotations

import re
from pathlib import Path

_PROC = Path("/proc")


class Watched:
    """One process, watched from now on. Units: MiB."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._before = _field(pid, "VmRSS")
        # Source: proc(5), clear_refs: 5 sets the peak back to what is held now.
        (_PROC / str(pid) / "clear_refs").write_text("5")

    @property
    def growth(self) -> float:
        """How far the peak is above what was held at the start; nothing for a process that is gone."""
        try:
            return _field(self.pid, "VmHWM") - self._before
        except FileNotFoundError:
            return float("nan")


def _field(pid: int, name: str) -> float:
    found = re.search(rf"^{name}:\s+(\d+) kB$", (_PROC / str(pid) / "status").read_text(), re.MULTILINE)
    if found is None:
        raise FileNotFoundError(f"no {name} of process {pid}")
    return int(found[1]) / 1024
