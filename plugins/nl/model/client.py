"""The client of a model's server: one for a process, from which each question gets a model of its own."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from plugins.nl.contract import Budget
from plugins.nl.model.attempts import Attempts
from plugins.nl.model.contract import ChatModel, ModelUnavailable, Purpose
from plugins.nl.model.counting import CallMetrics
from plugins.nl.model.kept import Kept
from plugins.nl.model.modes import Asking, asking
from plugins.nl.model.options import LlmOptions
from plugins.nl.model.probing import probed
from plugins.nl.model.readiness import Readiness
from plugins.nl.model.server import Server
from plugins.nl.model.talk import Talk
from plugins.nl.model.tape import Recording, Replay
from plugins.nl.model.wire import Body, Call, Said, Vectors, estimate
from proxy.contract import Metrics

Left = Callable[[], float]


class _Reply(Protocol):
    def document(self) -> dict[str, Any]: ...


R = TypeVar("R", bound=_Reply)


class ModelClient:
    """Hold the way to one model's server; use it as an async context manager.

    The server is asked nothing before the first question, which also finds out what it can.
    """

    def __init__(self, options: LlmOptions, metrics: Metrics, clock: Callable[[], float]) -> None:
        """Read what is to be replayed. Raises ConfigError."""
        self.options = options
        self.metrics = CallMetrics(metrics)
        self._server = Server(options)
        self._attempts = Attempts(options, clock)
        self._kept = Kept(options.cache, options.base_url) if options.cache else None
        self._record = Recording(options.record) if options.record else None
        self._replay = Replay(options.replay) if options.replay else None
        self._readiness = Readiness(options, self._server, clock)
        self._finding: asyncio.Future[Asking] | None = None

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        if self._finding is not None:
            self._finding.cancel()
            await asyncio.wait([self._finding])
        await self._server.close()

    @property
    def name(self) -> str:
        """The model's name."""
        return self.options.model

    @property
    def description(self) -> Mapping[str, Any]:
        """What one must know of the model to repeat its answers; never a key."""
        names = ("base_url", "model", "embedding_model", "temperature", "top_p", "seed", "most_tokens")
        mode = self._finding.result().mode if self._finding and _is_well(self._finding) else self.options.mode
        return {name: getattr(self.options, name) for name in names} | {"mode": mode}

    def question(self, budget: Budget) -> ChatModel:
        """Return the model of a question, whose calls are in its budget."""
        return Talk(self, budget)

    async def problem(self) -> str:
        """Say why the model cannot be used; empty where it can. Costs nothing, and asks at most every few seconds."""
        return "" if self.options.replay else await self._readiness.problem()

    async def asking(self) -> Asking:
        """Return how the server is brought to an action. Raises ModelUnavailable.

        Whoever comes first has it found out, and all wait for that; if they leave, it goes on without them.
        """
        if self._finding is None or (self._finding.done() and not _is_well(self._finding)):
            self._finding = asyncio.ensure_future(self._found_out())
        return await asyncio.shield(self._finding)

    async def _found_out(self) -> Asking:
        if self.options.mode != "auto":
            return asking(self.options.mode, "")
        return asking(*(self._replay.mode if self._replay else await probed(self._probe)))

    async def _probe(self, call: Call) -> Said:
        with self.metrics.call("probe"):
            # On no tape: what a server can is asked anew.
            return await self._sent(lambda: self._asked(call.body(self.options), "probe"), lambda: math.inf)

    async def chat(self, call: Call, left_s: Left) -> Said:
        """Return the reply to a call. Raises ModelUnavailable."""
        body = call.body(self.options)
        return await self._found(call.purpose, body, lambda: self._asked(body, call.purpose), Said.read, left_s)

    async def embeddings(self, texts: Sequence[str], left_s: Left) -> Vectors:
        """Return the vectors of some texts. Raises ModelUnavailable."""
        body = {"model": self.options.embedding_model, "input": list(texts)}

        async def ask() -> Vectors:
            made, tokens = await self._server.embeddings(body, "embed")
            vectors = Vectors(vectors=made, tokens=estimate(texts) if tokens is None else tokens)
            self.metrics.tokens(vectors.tokens, 0)
            return vectors

        return await self._found("embed", body, ask, Vectors.read, left_s)

    async def _asked(self, body: Body, purpose: Purpose) -> Said:
        said = await self._server.chat(body, purpose)
        self.metrics.tokens(said.prompt_tokens, said.completion_tokens)
        return said

    async def _sent(self, ask: Callable[[], Awaitable[R]], left_s: Left) -> R:
        # What the library takes to be imported is not the server's time.
        await self._server.open()
        return await self._attempts.sent(ask, left_s)

    async def _found(
        self,
        purpose: Purpose,
        body: Body,
        ask: Callable[[], Awaitable[R]],
        read: Callable[[Mapping[str, Any]], R],
        left_s: Left,
    ) -> R:
        """Return a reply from a file that has it, or else from the server."""
        if self._replay:
            return read(self._replay.find(purpose, body))
        kept = self._kept.find(body, read) if self._kept else None
        try:
            reply = kept if kept is not None else await self._sent(ask, left_s)
        except ModelUnavailable as error:
            if self._record:
                self._record.failed(purpose, body, error)
            raise
        if self._kept and kept is None:
            self._kept.keep(body, reply.document())
        if self._record:
            self._record.keep(purpose, body, reply.document())
        return reply


def _is_well(future: asyncio.Future[Asking]) -> bool:
    """Whether something was found out; what went wrong is looked at, too, since its question may be gone."""
    return future.done() and not future.cancelled() and future.exception() is None
