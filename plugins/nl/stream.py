"""Events on their way to a client: server-sent, with heartbeats.

The last event is the answer or an error, whatever happens; a stream without one was cut.
Source: WHATWG HTML, "Server-sent events".
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress

from aiohttp import web

from plugins.nl.contract import Event
from plugins.nl.document import encoded_aside
from proxy.contract import REQUEST_ID
from proxy.errors import ProxyError, Stopping

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    # nginx gathers an answer otherwise, and the steps come all at the end.
    "X-Accel-Buffering": "no",
}
# A client that does not read holds nothing longer than this.
_UNREAD_S = 30.0


async def stream(request: web.Request, events: AsyncGenerator[Event, None], heartbeat_s: float) -> web.StreamResponse:
    """Send events as they happen; a comment line where nothing happens for a while.

    Raises ProxyError where that comes first; a later one is sent as the last event.
    """
    async with aclosing(paced(events, heartbeat_s)) as source:
        first = await anext(source)
        response = web.StreamResponse(headers=_HEADERS)
        await response.prepare(request)
        sender = _Sender(request, response)
        try:
            await sender.send(first)
            async for each in source:
                await sender.send(each)
            await response.write_eof()
        except ProxyError as error:
            await sender.end(error)
        except asyncio.CancelledError:
            # This proxy stops, or the client has left: then nobody hears it.
            await sender.end(Stopping("This proxy is stopping. Ask again in 5 s."))
            raise
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
        except ConnectionError:
            # The client left between two events.
            pass
    return response


class _Sender:
    """Write events to one response, and know how far it is."""

    def __init__(self, request: web.Request, response: web.StreamResponse) -> None:
        self._request = request
        self._response = response
        self._last = Event(kind="thought")

    async def send(self, event: Event | None) -> None:
        """Write an event, or a heartbeat. Raises TimeoutError where the client does not read."""
        data = b": still working\n\n" if event is None else await written(event)
        async with asyncio.timeout(_UNREAD_S):
            await self._response.write(data)
        self._last = event or self._last

    async def end(self, error: ProxyError) -> None:
        """Write an error as the last event."""
        problem = {
            "type": "about:blank",
            "title": error.title,
            "status": error.status,
            "code": error.code,
            "detail": error.detail,
            "request_id": self._request[REQUEST_ID],
            **error.members,
        }
        with suppress(ConnectionError, TimeoutError):
            await self.send(Event(kind="error", data=problem, seq=self._last.seq + 1, t=self._last.t))
            await self._response.write_eof()


async def written(event: Event) -> bytes:
    """Return one event as it goes over the wire: its number, its kind, and one line of JSON."""
    data = await encoded_aside(event.document())
    return f"id: {event.seq}\nevent: {event.kind}\ndata: ".encode() + data + b"\n\n"


async def paced(events: AsyncGenerator[Event, None], seconds: float) -> AsyncGenerator[Event | None, None]:
    """Yield events, and None after each so many seconds without one. Closing it ends the events, too."""
    coming: asyncio.Queue[Event | None] = asyncio.Queue()

    async def pump() -> None:
        # All of a strategy runs in one task, as its timeouts and task groups need it.
        try:
            async with aclosing(events):
                async for event in events:
                    coming.put_nowait(event)
        finally:
            coming.put_nowait(None)

    task = asyncio.ensure_future(pump())
    try:
        while True:
            try:
                async with asyncio.timeout(seconds):
                    event = await coming.get()
            except TimeoutError:
                yield None
                continue
            if event is None:
                break
            yield event
        await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
