"""Replies kept in a folder by the hash of their request, so that an evaluation asks for nothing twice."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from plugins.nl.model.wire import Body, digest

R = TypeVar("R")

log = logging.getLogger("saga")


class Kept:
    """A folder of replies. One that cannot be read is as good as none; one that cannot be written is lost.

    Shapes: ``server`` is the address whose replies they are; those of another are others.
    """

    def __init__(self, folder: Path, server: str) -> None:
        self._folder = folder
        self._server = server

    def find(self, body: Body, read: Callable[[Mapping[str, Any]], R]) -> R | None:
        """Return the reply to a request, if it was asked before; ``read`` makes it of its JSON form."""
        try:
            return read(json.loads(self._path(body).read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, body: Body, reply: Mapping[str, Any]) -> None:
        """Write a reply: whole, or not at all."""
        path = self._path(body)
        part = path.with_suffix(f".{os.getpid()}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_text(json.dumps(reply, ensure_ascii=False), encoding="utf-8")
            part.replace(path)
        except OSError as error:
            log.warning("llm.not_kept", extra={"fields": {"why": error.strerror}})

    def _path(self, body: Body) -> Path:
        name = digest({"server": self._server, **body})
        return self._folder / name[:2] / f"{name}.json"
