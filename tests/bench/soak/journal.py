"""What the proxy's log says of its workers, read as it grows; a soak leaves a million other lines in it."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

_OURS = re.compile(rb'^\{.*"event": "(?:worker|reload)\..*$', re.MULTILINE)
_LOOK_S = 0.2
_PATIENCE_S = 60.0


class Journal:
    """Keep the lines about workers and reloads, by event."""

    def __init__(self, log: Path) -> None:
        self._log = log
        self._read = 0
        self._lines: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)

    def look(self) -> None:
        """Read what is new. Called every second, it never has much to read, and keeps nobody waiting."""
        with self._log.open("rb") as file:
            file.seek(self._read)
            whole = file.read().rpartition(b"\n")[0]
        self._read += len(whole) + bool(whole)
        for match in _OURS.finditer(whole):
            line = json.loads(match[0])
            self._lines[line["event"]].append(line)

    def count(self, events: Iterable[str]) -> int:
        """Return how often these events were logged."""
        self.look()
        return sum(len(self._lines[each]) for each in events)

    async def more(self, *events: str, do: Callable[[], object]) -> None:
        """Do something, and wait until one of these events is logged once more. Raises TimeoutError."""
        before, end = self.count(events), time.monotonic() + _PATIENCE_S
        do()
        while self.count(events) == before:
            if time.monotonic() > end:
                raise TimeoutError(f"none of {', '.join(events)} came")
            await asyncio.sleep(_LOOK_S)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Return all lines."""
        self.look()
        for lines in self._lines.values():
            yield from lines
