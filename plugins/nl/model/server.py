"""One attempt at an OpenAI-compatible server: a request goes out, a reply comes back, and every error is one of ours.

The library is imported at the first request, in a thread: that takes half a second.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, cast

from plugins.nl.model import failures
from plugins.nl.model.assembly import Assembly
from plugins.nl.model.failures import Failure
from plugins.nl.model.options import LlmOptions
from plugins.nl.model.quirks import Quirks
from plugins.nl.model.wire import Body, Said

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

_CONNECT_S = 10.0
# They log headers and messages where they log anything: keys and prompts.
_TALKATIVE = ("openai", "httpx", "httpcore", "httpx2", "httpcore2")
# Tells a gateway, or a log of the server, what a request is for.
_PURPOSE = "X-Saga-Purpose"
# How servers say that they make no embeddings, at all or with this model.
_NO_VECTORS = (400, 404, 405, 422, 500, 501)


class Server:
    """The server of `[llm]`. All methods raise Failure."""

    def __init__(self, options: LlmOptions) -> None:
        self._options = options
        self._key = os.environ.get(options.api_key_env, "") if options.api_key_env else ""
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()
        self._quirks = Quirks()

    async def close(self) -> None:
        """Close all connections."""
        if self._client is not None:
            await self._client.close()

    async def chat(self, body: Body, purpose: str) -> Said:
        """Return the reply to a request."""
        while True:
            sent = self._quirks.fitted(body, streams=True)
            try:
                async with self._errors(sent):
                    return await self._replied(sent, purpose)
            except _Refused as refusal:
                if not self._quirks.learn(refusal.said, sent):
                    raise await self._explained(refusal) from None

    async def embeddings(self, body: Body, purpose: str) -> tuple[list[list[float]], int | None]:
        """Return a vector for each text, in their order, and the tokens of all."""
        client = await self.open()
        try:
            async with self._errors(body):
                made = await client.embeddings.create(
                    **cast(Any, body), encoding_format="float", extra_headers={_PURPOSE: purpose}
                )
        except _Refused as refusal:
            if refusal.status in _NO_VECTORS:
                raise failures.no_vectors(self._options, refusal.status, refusal.private) from None
            raise await self._explained(refusal) from None
        vectors = [each.embedding for each in sorted(made.data, key=lambda each: each.index)]
        return vectors, made.usage.prompt_tokens if made.usage else None

    async def models(self, beside: str = "") -> tuple[str, ...] | None:
        """Return the models that the server lists; None where it has no list at the address, or ``beside`` it."""
        client = await self.open()
        try:
            async with self._errors({}):
                answer = await client.get(f"{beside}/models", cast_to=cast(type[dict[str, Any]], object))
        except _Refused as refusal:
            if refusal.status in (401, 403):
                raise await self._explained(refusal) from None
            return None
        listed = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(listed, list):
            return None
        return tuple(str(each.get("id")) for each in listed if isinstance(each, dict))

    async def _replied(self, sent: Body, purpose: str) -> Said:
        client = await self.open()
        completions = cast(Any, client.chat.completions)
        if not sent.get("stream"):
            raw = await completions.with_raw_response.create(**sent, extra_headers={_PURPOSE: purpose})
            return _whole(raw.http_response.headers.get("content-type", ""), raw.http_response.content, sent)
        async with await completions.create(**sent, extra_headers={_PURPOSE: purpose}) as stream:
            media_type = stream.response.headers.get("content-type", "")
            if "event-stream" not in media_type:
                return _whole(media_type, await stream.response.aread(), sent)
            return await self._streamed(stream, sent)

    async def _streamed(self, stream: AsyncIterator[Any], sent: Body) -> Said:
        assembly = Assembly()
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as silence:
                async for chunk in stream:
                    assembly.add(chunk.to_dict(warnings=False))
                    if assembly.begun:
                        silence.reschedule(loop.time() + self._options.silence_s)
        except TimeoutError:
            raise failures.silent(self._options) from None
        if assembly.begun and not assembly.ended:
            # The connection ended in good order, the reply did not.
            raise failures.gone(EOFError("the stream ended before the reply did"))
        return _taken(assembly, sent)

    @asynccontextmanager
    async def _errors(self, sent: Body) -> AsyncIterator[None]:
        """Make every error of the library one of ours; a refusal may still be learnt from."""
        await self.open()
        import httpx2
        import openai
        import pydantic

        try:
            yield
        except openai.APIStatusError as error:
            # Not from it: what the server said may repeat a prompt, and would stand in a traceback.
            raise _Refused(error, failures.loggable(_said(error), sent, self._key)) from None
        except openai.APITimeoutError as error:
            raise failures.far(_CONNECT_S) from error
        except (openai.APIConnectionError, httpx2.HTTPError) as error:
            raise failures.gone(error) from error
        except openai.APIError as error:
            # In the middle of a stream there is no status.
            private = failures.loggable(_said(error), sent, self._key)
            raise failures.refused(self._options, 500, _said(error), {}, private) from None
        except (ValueError, KeyError, TypeError, AttributeError, pydantic.ValidationError):
            raise failures.no_json("") from None

    async def _explained(self, refusal: _Refused) -> Failure:
        """Say what a refusal means; where that helps the server is asked what it has instead."""
        options, status, private = self._options, refusal.status, refusal.private
        if failures.names_no_model(status, refusal.said):
            return failures.no_model(options, await self._known() or (), private)
        if status in (404, 405):
            beside = await self._known("/v1") is not None
            return failures.no_page("it should end in /v1" if beside else "such addresses usually end in /v1", private)
        return failures.refused(options, status, refusal.said, refusal.headers, private)

    async def _known(self, beside: str = "") -> tuple[str, ...] | None:
        try:
            return await self.models(beside)
        except Failure:
            return None

    async def open(self) -> AsyncOpenAI:
        """Return the library's client, made at the first use."""
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_client, self._options, self._key)
            return self._client


class _Refused(Exception):
    """The server answered with a status of an error."""

    def __init__(self, error: APIStatusError, private: str) -> None:
        super().__init__(error.status_code)
        self.status: int = error.status_code
        self.said = _said(error)
        self.private = private
        self.headers: Mapping[str, str] = error.response.headers


def _client(options: LlmOptions, key: str) -> AsyncOpenAI:
    import openai

    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    client = openai.AsyncOpenAI(
        base_url=options.base_url,
        # The library wants one, and would look for another one's in the environment.
        api_key=key or "none",
        timeout=openai.Timeout(None, connect=_CONNECT_S),
        # The attempts are ours: they know the time of the question.
        max_retries=0,
    )
    # What these import is imported now, in this thread.
    _ = client.chat.completions.with_raw_response, client.embeddings
    return client


def _said(error: Any) -> str:
    """Return all words of an error object."""
    body = error.body if error.body is not None else error.message
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)


def _whole(media_type: str, body: bytes, sent: Body) -> Said:
    """Read a reply that came in one piece."""
    try:
        document = json.loads(body)
    except ValueError:
        raise failures.no_json(media_type) from None
    if not isinstance(document, dict):
        raise failures.no_json(media_type)
    assembly = Assembly()
    assembly.add(document)
    return _taken(assembly, sent)


def _taken(assembly: Assembly, sent: Body) -> Said:
    if not assembly.chosen:
        raise failures.no_reply()
    return assembly.said(list(sent["messages"]))
