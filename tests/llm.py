"""An OpenAI-compatible model server on loopback that says what a script tells it to, and checks what it is asked.

    script = [
        Turn(Says("Who is meant?", "search", "Obama"), expects=("Question: Who",)),
        Turn(Writes("It is done."), expects=("Barack Obama (Q76)",), refuses=("[BLOCKED]",)),
    ]
    async with model_server(script) as server:
        ...  # [llm] base_url = server.url, model = server.model

Each turn answers one request. What it expects of the request is looked for in all its messages, which is how a reply
asserts the observation that it answers. Leaving the block fails where an expectation did not hold, turns are left over,
or the script ran out. A server without an ability does as real ones do: it refuses with 400, or ignores what it does
not know. Requests by which a client finds out what the server can are answered by its abilities, and take no turn.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from aiohttp import web
from multidict import CIMultiDict

from plugins.nl.model.probing import MARK
from tests.llm_script import Abilities, Answer, Asked, Calls, Dies, Fails, Fills, Hangs, Says, Turn, Writes
from tests.llm_wire import Message, counted, document, events, sample, vector

__all__ = [
    "Abilities",
    "Answer",
    "Asked",
    "Calls",
    "Dies",
    "Fails",
    "Fills",
    "Hangs",
    "ModelServer",
    "Says",
    "Turn",
    "Writes",
    "model_server",
]


class ModelServer:
    """Serve a script. ``requests`` took turns, ``probes`` did not; ``mistakes`` says what did not match."""

    def __init__(self, script: Sequence[Turn], abilities: Abilities, model: str, key: str) -> None:
        self._turns = list(script)
        self._taken = 0
        self._abilities = abilities
        self._key = key
        self._arrival = asyncio.Condition()
        self.model = model
        self.url = ""
        self.requests: list[Asked] = []
        self.probes: list[Asked] = []
        self.embedded: list[Asked] = []
        self.mistakes: list[str] = []
        self.prompt_tokens = 0
        self.completion_tokens = 0
        # All requests of any kind, also those that were refused.
        self.asked = 0

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and fail where the script was not followed. An error that is on its way gets it as a note."""
        await self._runner.cleanup()
        if error is None:
            self.check()
        elif mistakes := self._all_mistakes():
            error.add_note("The model's script: " + "; ".join(mistakes))

    def check(self) -> None:
        """Fail where an expectation did not hold, turns are left over, or the script ran out."""
        assert not (mistakes := self._all_mistakes()), "\n".join(mistakes)

    def _all_mistakes(self) -> list[str]:
        left = self._turns[self._taken :]
        return [
            *self.mistakes,
            *(f"turn {self._taken + 1} and {len(left) - 1} more were not asked for" for _ in left[:1]),
        ]

    async def arrival(self, count: int = 1, seconds: float = 10.0) -> Asked:
        """Wait for so many requests and return the last of them. Raises TimeoutError."""
        async with asyncio.timeout(seconds), self._arrival:
            await self._arrival.wait_for(lambda: len(self.requests) >= count)
        return self.requests[count - 1]

    async def check_begun(self, seconds: float = 10.0) -> None:
        """Wait for a first request that only looks at what the server can. Raises TimeoutError."""
        async with asyncio.timeout(seconds), self._arrival:
            await self._arrival.wait_for(lambda: bool(self.probes))

    async def _models(self, request: web.Request) -> web.StreamResponse:
        if refused := self._refused_key(request):
            return refused
        return web.json_response({"object": "list", "data": [{"id": self.model, "object": "model"}]})

    async def _embeddings(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request.path, CIMultiDict(request.headers), await request.json())
        self.embedded.append(asked)
        if refused := self._refused_key(request):
            return refused
        if not self._abilities.embeddings:
            return _error(501, "This server does not support embeddings.")
        texts = [asked.body["input"]] if isinstance(asked.body["input"], str) else asked.body["input"]
        data = [{"object": "embedding", "index": n, "embedding": vector(text)} for n, text in enumerate(texts)]
        tokens = sum(counted(text) for text in texts)
        self.prompt_tokens += tokens
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return web.json_response({"object": "list", "model": asked.body["model"], "data": data, "usage": usage})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request.path, CIMultiDict(request.headers), await request.json())
        if refused := self._refused_key(request) or self._refused(asked):
            return refused
        if MARK in asked.text:
            async with self._arrival:
                self.probes.append(asked)
                self._arrival.notify_all()
            await asyncio.sleep(self._abilities.probe_s)
            return await self._sent(request, asked, self._probed(asked))
        async with self._arrival:
            self.requests.append(asked)
            self._arrival.notify_all()
        if self._taken == len(self._turns):
            self.mistakes.append(f"the script has ended and was asked:\n{asked.text}")
            return _error(400, "The script has ended.")
        turn = self._turns[self._taken]
        self._taken += 1
        if wrong := turn.wrong(asked):
            self.mistakes.append(f"turn {self._taken}: the request {', '.join(wrong)}:\n{asked.text}")
        if isinstance(turn.says, Fails):
            return _failure(turn.says)
        return await self._sent(request, asked, turn.says)

    def _refused_key(self, request: web.Request) -> web.Response | None:
        self.asked += 1
        if self._key and request.headers.get("Authorization") != f"Bearer {self._key}":
            return _error(401, "Incorrect API key provided.", code="invalid_api_key")
        return None

    def _refused(self, asked: Asked) -> web.Response | None:
        """Refuse what the server cannot, in the words of such servers."""
        body, able = asked.body, self._abilities
        if body.get("model") != self.model:
            return _error(404, f"The model `{body.get('model')}` does not exist.", code="model_not_found")
        format_type = asked.format.get("type")
        lacking = {
            "tools": bool(body.get("tools")) and not able.tools,
            "response_format": (format_type == "json_schema" and not able.json)
            or (format_type == "json_object" and not able.json_object),
            "stream": bool(body.get("stream")) and not able.streaming,
            "logprobs": bool(body.get("logprobs")) and not able.logprobs,
            "stream_options": bool(body.get("stream_options")) and not able.usage,
        }
        for name, lacks in lacking.items():
            if lacks and able.refuses:
                return _error(able.status, f"Unsupported parameter: '{name}' is not supported.", param=name)
        return None

    def _wants(self, asked: Asked) -> tuple[bool, bool]:
        """Say whether the answer is to be a tool call, or else a JSON object, as far as the server can."""
        able, kind = self._abilities, asked.format.get("type")
        tools = bool(asked.body.get("tools")) and able.tools
        return tools, (kind == "json_schema" and able.json) or (kind == "json_object" and able.json_object)

    def _probed(self, asked: Asked) -> Answer:
        """Answer a check with what the server can: a sample of what is wanted, or a plain word."""
        tools, as_json = self._wants(asked)
        if tools:
            function = asked.body["tools"][0]["function"]
            return Calls(function["name"], json.dumps(sample(function["parameters"])))
        if as_json:
            return Writes(json.dumps(sample(asked.format.get("json_schema", {}).get("schema", {"type": "object"}))))
        return Writes("Blue, I would say.")

    def _message(self, asked: Asked, answer: Answer) -> Message:
        """Render an answer as the request wants it."""
        tools, as_json = self._wants(asked)
        match answer:
            case Says(thought, action, argument) if tools:
                return Message(call=(action, json.dumps({"thought": thought, "argument": argument})))
            case Says(thought, action, argument) if as_json:
                return Message(json.dumps({"thought": thought, "action": action, "argument": argument}))
            case Says(thought, action, argument):
                return Message(f"Thought: {thought}\nAction: {action}({argument})")
            case Fills(values) if tools:
                return Message(call=(asked.body["tools"][0]["function"]["name"], json.dumps(values)))
            case Fills(values):
                return Message(json.dumps(values))
            case Writes(text, finish, tokens, thinking):
                return Message(text, finish=finish, tokens=tokens, thinking=thinking)
            case Calls(name, arguments, text):
                return Message(text, call=(name, arguments))
            case Dies(after) | Hangs(after):
                return Message(after)
            case Fails():
                raise AssertionError("has no message")

    async def _sent(self, request: web.Request, asked: Asked, answer: Answer) -> web.StreamResponse:
        message = self._message(asked, answer)
        usage = {"prompt_tokens": counted(asked.text), "completion_tokens": counted(message.written)}
        usage["total_tokens"] = sum(usage.values())
        whole = not isinstance(answer, Dies | Hangs)
        if whole and asked not in self.probes:
            self.prompt_tokens += usage["prompt_tokens"]
            self.completion_tokens += usage["completion_tokens"]
        told = usage if self._abilities.usage else None
        logprobs = int(asked.body.get("top_logprobs") or 0) if asked.body.get("logprobs") else None
        shown = message if self._abilities.logprobs and logprobs is not None else message.without_tokens()
        if asked.body.get("stream") and self._abilities.streaming:
            wanted = (asked.body.get("stream_options") or {}).get("include_usage")
            kind, pieces = "text/event-stream", events(self.model, shown, told if wanted else None)
        else:
            kind, pieces = "application/json", [json.dumps(document(self.model, shown, told))]
        response = web.StreamResponse(headers={"Content-Type": kind})
        await response.prepare(request)
        # Of an answer that breaks off, neither the end of a stream nor that of a document goes out.
        for piece in pieces if whole else (pieces[:-2] if len(pieces) > 1 else [pieces[0][:-10]]):
            await response.write(piece.encode())
        return await _broken_off(request, asked, answer, response) if not whole else response


async def _broken_off(
    request: web.Request, asked: Asked, answer: Answer, response: web.StreamResponse
) -> web.StreamResponse:
    if isinstance(answer, Dies):
        # What was written must have left before the connection breaks.
        await asyncio.sleep(0.02)
        assert request.transport is not None
        request.transport.abort()
        return response
    try:
        await asyncio.Event().wait()
    finally:
        asked.gone.set()
    return response


def _failure(fails: Fails) -> web.Response:
    headers = {} if fails.retry_after is None else {"Retry-After": fails.retry_after}
    body = fails.body if isinstance(fails.body, str) else json.dumps(fails.body)
    body = body or json.dumps({"error": {"message": f"The script says {fails.status}.", "type": "scripted"}})
    return web.Response(status=fails.status, headers=headers, text=body, content_type=fails.type)


def _error(status: int, message: str, **more: str) -> web.Response:
    """Return an error object as such servers send it."""
    return web.json_response({"error": {"message": message, "type": "invalid_request_error", **more}}, status=status)


def model_server(
    script: Sequence[Turn] = (), abilities: Abilities | None = None, model: str = "toy", key: str = ""
) -> ModelServer:
    """Return a server of a script; with a ``key``, requests without it are refused."""
    return ModelServer(script, abilities or Abilities(), model, key)
