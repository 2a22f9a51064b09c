"""The log: one JSON object a line, with the id of the request, and without the words of queries."""

from __future__ import annotations

import functools
import json
import logging
import random
import re
import sys
import time
from contextvars import ContextVar

log = logging.getLogger("saga")
request_id: ContextVar[str] = ContextVar("request_id", default="-")
# The text of the query that runs here: what must not get into the log.
text_here: ContextVar[str] = ContextVar("text", default="")

_ids = random.Random()
# `json.dumps` makes an encoder for each line.
_written = json.JSONEncoder(default=str).encode
_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_WORD = re.compile(r"\w{3,}")


def take_request_id(offered: str | None) -> str:
    """Return the client's own request id where it is safe to repeat, else a new one."""
    # Random and not secret: no question to the system for each.
    taken = offered if offered and _ID.fullmatch(offered) else f"{_ids.getrandbits(128):032x}"
    request_id.set(taken)
    return taken


class JsonFormatter(logging.Formatter):
    """Write one JSON object per line: time, level, event, request_id, and the fields of the event."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line. Events of ours are fixed words; text of libraries goes under `message`."""
        line: dict[str, object] = {
            "time": f"{_second(int(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.msg if record.name == "saga" else record.name,
            "request_id": request_id.get(),
        }
        if record.name != "saga":
            line["message"] = record.getMessage()
        line.update(getattr(record, "fields", {}))
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        # In ASCII no character of a client's ends the line, and no locale of ours changes it.
        return _written(line)


@functools.lru_cache(maxsize=2)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def start_logging(level: str) -> None:
    """Send every log line of this process to standard error as JSON."""
    # No line says these, and to ask for them takes half as long as all the rest of a line.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.getLogger("aiohttp.access").disabled = True


def event(name: str, level: int = logging.INFO, **fields: object) -> None:
    """Log an event of ours. The name is a fixed word such as `query.done`; values go into fields.

    In ``private`` stands what an endpoint said, which may repeat the query: words of that are left out.
    """
    if not log.isEnabledFor(level):
        return
    if said := fields.get("private"):
        fields["private"] = _without(str(said), text_here.get())
    # Not `log.log`, which looks for the line of code that called it, every time.
    log.handle(log.makeRecord(log.name, level, "", 0, name, (), None, extra={"fields": fields}))


def _without(said: str, text: str) -> str:
    """Return what was said without the words of a query, also where it was cut, wrapped or escaped on its way."""
    return _WORD.sub(lambda word: "…" if word.group() in text else word.group(), said)
