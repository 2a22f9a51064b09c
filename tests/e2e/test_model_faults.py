"""The model client before servers that refuse it, and wrong configurations: one message that names the key."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import ssl
import subprocess
import time
import traceback
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from plugins.nl.model.contract import ModelUnavailable, TooLong
from tests.llm import Fails, Says, Turn, model_server
from tests.llm_client import OFFERS, PROMPT, asking
from tests.stage import free_port, program

SECRET = "sk-very-secret-0123456789"


@contextlib.asynccontextmanager
async def pages(**paths: web.Response) -> AsyncIterator[str]:
    """Serve fixed pages, and yield the address; everything else is 404."""
    app = web.Application()
    for path, response in paths.items():
        document = {"body": response.body, "status": response.status, "content_type": response.content_type}

        async def page(_: web.Request, document: dict[str, Any] = document) -> web.Response:
            return web.Response(**document)

        app.router.add_route("*", "/" + path.replace("__", "/"), page)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_a_wrong_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", SECRET)
    async with model_server([], key="another") as served, asking(served.url, api_key_env="MODEL_KEY") as asked:
        with pytest.raises(
            ModelUnavailable, match=r"does not take the key in MODEL_KEY \(llm\.api_key_env\)"
        ) as raised:
            await asked.model.choose(PROMPT, OFFERS)
        assert raised.value.status == 503
        assert SECRET not in f"{raised.value} {raised.value.private}"
        assert "llm.api_key_env" in await asked.client.problem()
        assert served.asked == 1 + 1


async def test_no_key_where_one_is_wanted() -> None:
    async with model_server([], key="another") as served, asking(served.url) as asked:
        with pytest.raises(ModelUnavailable, match=r"wants a key: llm\.api_key_env names"):
            await asked.model.choose(PROMPT, OFFERS)


async def test_the_right_key_goes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODEL_KEY", SECRET)
    script = [Turn(Says("t", "stop"))]
    async with model_server(script, key=SECRET) as served, asking(served.url, api_key_env="MODEL_KEY") as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).action == "stop"
        assert await asked.client.problem() == ""
        assert SECRET not in json.dumps(asked.client.description)


@pytest.mark.parametrize("mode", ["auto", "text"])
async def test_an_unknown_model_is_named_beside_those_that_are_there(mode: str) -> None:
    async with model_server([]) as served, asking(served.url, model="tou", mode=mode) as asked:
        with pytest.raises(ModelUnavailable, match=r"has no model 'tou' \(llm\.model\); it has 'toy'"):
            await asked.model.choose(PROMPT, OFFERS)
        assert "it has 'toy'" in await asked.client.problem()


UNKNOWN = {
    "Ollama": (404, {"error": {"message": 'model "x" not found, try pulling it first', "type": "api_error"}}),
    "vLLM": (
        404,
        {"object": "error", "message": "The model `x` does not exist.", "type": "NotFoundError", "code": 404},
    ),
    "OpenRouter": (400, {"error": {"message": "x is not a valid model ID", "code": 400}}),
    "DeepSeek": (400, {"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}),
    "Mistral": (400, {"object": "error", "message": "Invalid model: x", "type": "invalid_model"}),
}


@pytest.mark.parametrize(("status", "body"), UNKNOWN.values(), ids=UNKNOWN.keys())
async def test_unknown_models_in_the_words_of_servers(status: int, body: dict[str, Any]) -> None:
    async with model_server([Turn(Fails(status, body=body))]) as served, asking(served.url, mode="text") as asked:
        with pytest.raises(ModelUnavailable, match=r"has no model 'toy' \(llm\.model\)"):
            await asked.model.choose(PROMPT, OFFERS)


async def test_an_address_without_v1() -> None:
    async with model_server([]) as served, asking(served.url.removesuffix("/v1")) as asked:
        with pytest.raises(ModelUnavailable, match=r"llm\.base_url: it should end in /v1"):
            await asked.model.choose(PROMPT, OFFERS)
        assert "should end in /v1" in await asked.client.problem()


async def test_an_address_with_too_much() -> None:
    async with model_server([]) as served, asking(f"{served.url}/chat/completions") as asked:
        with pytest.raises(ModelUnavailable, match=r"llm\.base_url"):
            await asked.model.choose(PROMPT, OFFERS)


async def test_a_web_page_instead_of_a_server() -> None:
    page = web.Response(body=b"<html>Welcome</html>", content_type="text/html")
    async with pages(v1__chat__completions=page, v1__models=page) as url, asking(f"{url}/v1") as asked:
        with pytest.raises(ModelUnavailable, match=r"a web page answers at llm\.base_url, which should end in /v1"):
            await asked.model.choose(PROMPT, OFFERS)
        assert "llm.base_url" in await asked.client.problem()


@pytest.mark.parametrize(
    "body",
    [
        b"not json",
        b'"text"',
        b"[]",
        b'{"choices": 7}',
        b'{"choices": [7]}',
        b'{"choices": [{"message": {"tool_calls": [7]}}]}',
    ],
)
async def test_nonsense_instead_of_a_reply(body: bytes) -> None:
    page = web.Response(body=body, content_type="application/json")
    async with pages(v1__chat__completions=page) as url, asking(f"{url}/v1", mode="text", attempts=1) as asked:
        with pytest.raises(ModelUnavailable, match=r"llm\.base_url"):
            await asked.model.choose(PROMPT, OFFERS)


@pytest.mark.parametrize("type", ["application/json", "text/event-stream"])
async def test_a_reply_without_choices_is_asked_for_again(type: str) -> None:
    empty = '{"choices": []}' if "json" in type else 'data: {"choices": []}\n\ndata: [DONE]\n\n'
    script = [Turn(Fails(200, body=empty, type=type)), Turn(Says("t", "stop"))]
    async with model_server(script) as served, asking(served.url, mode="text") as asked:
        assert (await asked.model.choose(PROMPT, OFFERS)).action == "stop"


async def test_nobody_listens() -> None:
    started = time.monotonic()
    async with asking(f"http://127.0.0.1:{free_port()}/v1") as asked:
        with pytest.raises(ModelUnavailable, match=r"nothing listens at the address in llm\.base_url"):
            await asked.model.choose(PROMPT, OFFERS)
        assert "nothing listens" in await asked.client.problem()
        assert asked.counted("saga_llm_calls_total", purpose="probe", outcome="failed") == 1
    # It did not wait for a better time: that is the strategy's choice.
    assert time.monotonic() - started < 30


async def test_no_such_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async with asking("http://nowhere.invalid/v1") as asked:
        with pytest.raises(ModelUnavailable, match=r"the host in llm\.base_url is not known"):
            await asked.model.choose(PROMPT, OFFERS)


async def test_tls_where_there_is_none() -> None:
    async with model_server([]) as served, asking(served.url.replace("http:", "https:")) as asked:
        with pytest.raises(ModelUnavailable, match=r"TLS as llm\.base_url says"):
            await asked.model.choose(PROMPT, OFFERS)


@pytest.fixture
def unsigned(tmp_path: Path) -> ssl.SSLContext:
    if program("openssl") is None:
        pytest.skip("openssl is not installed")
    files = {name: str(tmp_path / name) for name in ("key", "certificate")}
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=127.0.0.1"]
    subprocess.run([*words, "-keyout", files["key"], "-out", files["certificate"]], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files["certificate"], files["key"])
    return context


async def test_a_certificate_that_nobody_signed(unsigned: ssl.SSLContext) -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=unsigned)
    async with server, asking(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1") as asked:
        with pytest.raises(ModelUnavailable, match="certificate is not trusted"):
            await asked.model.choose(PROMPT, OFFERS)


TOO_LONG = {
    "OpenAI": (400, {"error": {"message": "Shorten it, please.", "code": "context_length_exceeded"}}),
    "vLLM": (400, {"message": "'max_tokens' is too large: 8000. This model's maximum context length is 4096 tokens"}),
    "llama.cpp": (400, {"error": {"message": "request (9000 tokens) is large", "type": "exceed_context_size_error"}}),
    "older llama.cpp": (500, {"error": {"message": "the request exceeds the available context size. try increasing"}}),
    "Ollama": (400, {"error": {"message": "the input length exceeds the context length"}}),
    "TGI": (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096"}),
    "Groq": (400, {"error": {"message": "Please reduce the length of the messages or completion."}}),
    "Mistral": (400, {"message": "Prompt contains 50000 tokens, too large for model with 32768 maximum"}),
    "hosted": (400, {"error": {"message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
    "Gemini": (400, {"error": {"message": "The input token count exceeds the maximum number of tokens allowed"}}),
    "a gateway": (413, "<html>413 Request Entity Too Large</html>"),
}  # fmt: skip


@pytest.mark.parametrize(("status", "body"), TOO_LONG.values(), ids=TOO_LONG.keys())
async def test_a_prompt_that_is_too_long_is_an_error_of_its_own(status: int, body: Any) -> None:
    async with model_server([Turn(Fails(status, body=body))]) as served, asking(served.url, mode="text") as asked:
        with pytest.raises(TooLong, match=r"context of the model in llm\.model"):
            await asked.model.choose(PROMPT, OFFERS)
        assert isinstance(TooLong("x"), ModelUnavailable)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 501])
async def test_what_will_not_get_better_is_asked_once(status: int) -> None:
    async with model_server([Turn(Fails(status))]) as served, asking(served.url, mode="text") as asked:
        with pytest.raises(ModelUnavailable, match=r"llm\."):
            await asked.model.write(PROMPT)
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="failed") == 1


async def test_neither_keys_nor_prompts_get_into_log_or_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("MODEL_KEY", SECRET)
    said = f"Cannot serve 'Who is Obama?' with {SECRET} in this template."
    script = [
        Turn(Says("secret-thought", "search", "secret-name")),
        Turn(Fails(400, body={"error": {"message": said}})),
    ]
    with caplog.at_level(logging.DEBUG):
        async with model_server(script, key=SECRET) as served, asking(served.url, api_key_env="MODEL_KEY") as asked:
            # What the server's own side logs here is not ours.
            await asked.model.choose(PROMPT, OFFERS)
            with pytest.raises(ModelUnavailable) as raised:
                await asked.model.choose(PROMPT, OFFERS)
            await asked.client.problem()
    ours = [each for each in caplog.records if not each.name.startswith(("aiohttp", "asyncio"))]
    lines = "\n".join(f"{each.getMessage()} {each.__dict__.get('fields')}" for each in ours)
    error = f"{raised.value.private} {''.join(traceback.format_exception(raised.value))}"
    for word in (SECRET, "Obama", "secret-thought", "secret-name", "You answer questions"):
        assert word not in lines
        assert word not in error
    assert "template" in raised.value.private


async def test_ready_where_the_list_has_another_name_but_the_model_is_taken() -> None:
    listed = web.Response(body=b'{"data": [{"id": "another"}]}', content_type="application/json")
    said = web.Response(
        body=b'{"choices": [{"message": {"content": "Hi"}, "finish_reason": "length"}]}',
        content_type="application/json",
    )
    async with pages(v1__models=listed, v1__chat__completions=said) as url, asking(f"{url}/v1") as asked:
        assert await asked.client.problem() == ""


async def test_readiness_is_remembered_for_a_while() -> None:
    async with model_server([]) as served, asking(served.url) as asked:
        assert await asked.client.problem() == ""
        served.model = "gone"
        assert await asked.client.problem() == ""
