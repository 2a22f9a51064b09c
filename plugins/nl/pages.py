"""The pages of questions: /nl answers in JSON or as events, and speaks the Text2SPARQL challenge's GET."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any

from aiohttp import web

from plugins.nl.contract import Event
from plugins.nl.conversations import Conversation, Conversations
from plugins.nl.document import encoded_aside
from plugins.nl.inquiry import Inquiry
from plugins.nl.memory import memory
from plugins.nl.office import Office
from plugins.nl.options import NlOptions
from plugins.nl.purse import Purse
from plugins.nl.request import Asked, asked, wants_events
from plugins.nl.stream import stream
from proxy.contract import CALLER, REQUEST_ID, Caller, Context, Right, Route
from proxy.errors import NotFound, TooMany

_RETRY_S = "2"
_DAY_S = 86_400.0
_MONEY = "of money that questions with this key have in a day"
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class Pages:
    """Answer requests."""

    def __init__(self, options: NlOptions) -> None:
        self._options = options
        self._running = 0

    @asynccontextmanager
    async def opened(self, context: Context, office: Office) -> AsyncIterator[None]:
        """Take what the application gives, and remember while it runs."""
        options, clock = self._options, context.clock
        self._context, self._office = context, office
        async with memory(options, clock) as kept:
            self._seconds = Purse(options.seconds_per_minute, kept.seconds, clock)
            self._money = {
                name: Purse(own.money_per_day, kept.money, clock, _DAY_S, _MONEY) for name, own in options.keys.items()
            }
            self._conversations = Conversations(kept.conversations, options.conversation_s)
            yield

    def routes(self) -> Sequence[Route]:
        """Return the page, for the default endpoint and by name.

        Questions may cost money, so that not everyone may ask; and nobody who may not query, since a question does.
        """
        right: Right = "query" if self._options.public else "nl"
        return [
            Route(method=method, path=f"/nl{tail}", handler=self.answer, right=right, local=True)
            for tail in ("", "/{endpoint}")
            for method in ("GET", "POST")
        ]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Read the request, answer the question."""
        events = wants_events(request)
        if events and "Last-Event-ID" in request.headers:
            # An EventSource that lost its stream comes again by itself. Source: WHATWG HTML, 204 makes it stop.
            return web.Response(status=204)
        given = await asked(request, self._options.longest_question)
        caller = request[CALLER]
        conversation = await self._conversation(given, caller, self._endpoint(request, given))
        inquiry = self._office.inquiry(given, conversation, caller, request[REQUEST_ID])
        async with self._place(inquiry, caller):
            happening = self._remembered(inquiry, conversation)
            if events:
                return await stream(request, happening, self._options.heartbeat_s)
            document = await _last(happening)
        if given.dataset is not None:
            document = {"dataset": given.dataset, "question": given.question, "query": document["sparql"] or ""}
        return web.Response(body=await encoded_aside(document), content_type="application/json", headers=_HEADERS)

    @asynccontextmanager
    async def _place(self, inquiry: Inquiry, caller: Caller) -> AsyncIterator[None]:
        """Hold a place while a question is answered, and let the caller pay at its end. Raises TooMany."""
        money = self._money.get(caller.key or "")
        await self._seconds.demand(caller)
        if money is not None:
            await money.demand(caller)
        if self._running >= self._options.concurrency:
            detail = f"{self._running} questions are being answered, which is the most; try again soon."
            raise TooMany(detail, headers={"Retry-After": _RETRY_S})
        started = self._context.clock()
        self._running += 1
        try:
            yield
        finally:
            self._running -= 1
            seconds = self._context.clock() - started
            self._office.ended(inquiry, seconds)
            try:
                await self._seconds.pay(caller, seconds)
            finally:
                if money is not None:
                    await money.pay(caller, inquiry.work.budget.spent.get("money", 0.0))

    async def _remembered(self, inquiry: Inquiry, conversation: Conversation) -> AsyncGenerator[Event, None]:
        """Yield the events; the turn is kept before the answer goes out, since the next question may come at once."""
        async with aclosing(inquiry.events()) as events:
            async for event in events:
                if event.kind == "answer":
                    await self._conversations.keep(conversation, inquiry.turn())
                yield event

    def _endpoint(self, request: web.Request, given: Asked) -> str:
        """Return the endpoint of the path, or the one that the challenge's `dataset` names, or the default."""
        name = request.match_info.get("endpoint")
        if name is None and given.dataset is not None:
            name = self._options.datasets.get(given.dataset, given.dataset)
        known = self._context.endpoints
        if name is None:
            return next(iter(known))
        if name not in known:
            raise NotFound(f"There is no endpoint {name[:200]!r}; there are {', '.join(known)}.")
        return name

    async def _conversation(self, given: Asked, caller: Caller, endpoint: str) -> Conversation:
        if given.conversation:
            return await self._conversations.find(given.conversation, caller, endpoint)
        return self._conversations.begin(caller, endpoint)


async def _last(events: AsyncGenerator[Event, None]) -> dict[str, Any]:
    """Return what the last event says, which is the answer."""
    document: dict[str, Any] = {}
    async with aclosing(events):
        async for event in events:
            document = dict(event.data)
    return document
