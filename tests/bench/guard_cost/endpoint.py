"""An endpoint that takes a while for every answer. Run as a program.

`python -m tests.bench.guard_cost.endpoint PORT MS HOW`: ``HOW`` is what becomes of look-ups: `answers` answers them as
late as all others, `hangs` never. A client's query gets ten rows, or none where it asks for `?none`. Every constant is
a country with sixty properties, and nothing else matches.
"""

from __future__ import annotations

import asyncio
import json
import sys
from urllib.parse import unquote_plus

import uvloop

_DIRECT = "http://www.wikidata.org/prop/direct/"
_COUNTRY = "http://www.wikidata.org/entity/Q3624078"
_ROWS = [{"rows": {"type": "literal", "value": f"row {number}"}} for number in range(10)]


def main(arguments: list[str]) -> None:
    """Serve until killed."""
    port, delay_ms, how = int(arguments[0]), float(arguments[1]), arguments[2]

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: _Connection(delay_ms / 1000, how), "127.0.0.1", port)
        await server.serve_forever()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve())


class _Connection(asyncio.Protocol):
    """One client, one request at a time."""

    def __init__(self, delay_s: float, how: str) -> None:
        self._delay_s = delay_s
        self._how = how
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, mark, body = self._buffer.partition(b"\r\n\r\n")
        length = next(
            (int(each[15:]) for each in head.lower().split(b"\r\n") if each.startswith(b"content-length:")), 0
        )
        if not mark or len(body) < length:
            return
        self._buffer = b""
        text = unquote_plus(body.decode())
        lookup = "AS ?s)" in text or "ASK" in text
        if not lookup or self._how == "answers":
            asyncio.get_running_loop().call_later(self._delay_s, self._send, answer(text))

    def _send(self, answer: bytes) -> None:
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/sparql-results+json\r\nContent-Length: {len(answer)}\r\n\r\n"
        )
        self._transport.write(head.encode() + answer)  # type: ignore[attr-defined]  # uvloop's transports have no base


def answer(text: str) -> bytes:
    """Return what a query, or a look-up, gets."""
    if "ASK" in text:
        return b'{"head":{},"boolean":false}'
    if "AS ?s)" in text:
        return _told(text.count("AS ?s)"))
    rows = [] if "?none" in text else _ROWS
    return json.dumps({"head": {"vars": ["rows"]}, "results": {"bindings": rows}}).encode()


def _told(count: int) -> bytes:
    """Return what a look-up of so many constants gets."""
    rows = []
    for number in range(count):
        place = {"type": "literal", "value": str(number)}
        used = [f"{_DIRECT}P{each}" for each in (31, 1082, 17, *range(2000, 2057))]
        rows += [{"s": place, "p": {"type": "uri", "value": each}} for each in used]
        rows.append({"s": place, "p": {"type": "uri", "value": used[0]}, "c": {"type": "uri", "value": _COUNTRY}})
    return json.dumps({"head": {"vars": ["s", "p", "c"]}, "results": {"bindings": rows}}).encode()


if __name__ == "__main__":
    main(sys.argv[1:])
