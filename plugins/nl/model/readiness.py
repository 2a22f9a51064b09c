"""Whether a model's server can be used, asked without a price: its list of models."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable

from plugins.nl.model.failures import Failure
from plugins.nl.model.options import LlmOptions
from plugins.nl.model.server import Server
from plugins.nl.model.wire import Call

_SECONDS = 5.0
_KEPT_S = 10.0


class Readiness:
    """Ask the server how it is, and remember the answer for a few seconds."""

    def __init__(self, options: LlmOptions, server: Server, clock: Callable[[], float]) -> None:
        self._options = options
        self._server = server
        self._clock = clock
        self._asking = asyncio.Lock()
        self._asked = -math.inf
        self._problem = ""
        self._answered = False

    async def problem(self) -> str:
        """Say what is wrong; empty where nothing is."""
        async with self._asking:
            if self._clock() - self._asked >= _KEPT_S:
                self._problem = await self._found()
                self._asked = self._clock()
            return self._problem

    async def _found(self) -> str:
        await self._server.open()
        try:
            async with asyncio.timeout(_SECONDS):
                listed = await self._server.models()
                if listed is None or not _has(listed, self._options.model):
                    # A list may be missing, or have other names than those that are taken: the shortest call decides.
                    await self._short_call()
        except TimeoutError:
            return f"The model's server at llm.base_url did not answer within {_SECONDS:g} s."
        except Failure as failure:
            return failure.error.detail
        return ""

    async def _short_call(self) -> None:
        """Ask for one token, once. Raises Failure."""
        if not self._answered:
            call = Call(purpose="probe", messages=(("user", "Hello"),), most_tokens=1)
            await self._server.chat(call.body(self._options), "probe")
            self._answered = True


def _has(listed: tuple[str, ...], model: str) -> bool:
    # Ollama lists `qwen3:latest` and takes `qwen3`.
    return model in listed or f"{model}:latest" in listed
