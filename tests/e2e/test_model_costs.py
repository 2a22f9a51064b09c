"""The model client: texts, probabilities, vectors, and what all of it costs."""

from __future__ import annotations

import asyncio
import math
import sys
from typing import Any

import pytest

from plugins.nl.contract import OutOfBudget
from plugins.nl.model.contract import ModelUnavailable
from plugins.nl.model.options import Price
from tests.llm import Abilities, Fails, Hangs, Says, Turn, Writes, model_server
from tests.llm_client import OFFERS, PROMPT, asking


async def test_texts_come_with_probabilities_where_they_are_wanted() -> None:
    tokens = [
        ("\n", -0.1, {"\n": -0.1}),
        ("Yes", -0.25, {"Yes": -0.25, "No": -1.5}),
        (" it is", -0.5, {" it is": -0.5}),
    ]
    script = [Turn(Writes("\nYes it is", tokens=tokens)), Turn(Writes("Yes it is"))]
    async with model_server(script) as served, asking(served.url) as asked:
        reply = await asked.model.write(PROMPT, most_tokens=5, alternatives=2)
        assert reply.text == "Yes it is"
        assert reply.tokens == (("Yes", -0.25), (" it is", -0.5))
        assert math.exp(reply.alternatives[0]["No"]) == pytest.approx(0.2231, abs=1e-3)
        assert (await asked.model.write(PROMPT)).tokens == ()
        assert served.requests[0].body["top_logprobs"] == 2
        assert "logprobs" not in served.requests[1].body
        assert "tools" not in served.requests[0].body


@pytest.mark.parametrize("refuses", [True, False])
async def test_a_server_without_probabilities_gives_the_text(refuses: bool) -> None:
    script = [Turn(Writes("Yes."))] * 2
    abilities = Abilities(logprobs=False, refuses=refuses)
    async with model_server(script, abilities) as served, asking(served.url) as asked:
        for _ in script:
            reply = await asked.model.write(PROMPT, alternatives=2)
            assert (reply.text, reply.tokens, reply.alternatives) == ("Yes.", (), ())
        # It is asked for them once.
        assert sum("logprobs" in each.body for each in served.requests) == (0 if refuses else 2)


async def test_what_a_model_thinks_aloud_is_no_part_of_its_text() -> None:
    text = "<think>hm hm</think>Yes it is"
    script = [Turn(Writes(text)), Turn(Writes("No", thinking="hm hm"))]
    async with model_server(script) as served, asking(served.url) as asked:
        reply = await asked.model.write(PROMPT, alternatives=1)
        assert reply.text == "Yes it is"
        assert "".join(token for token, _ in reply.tokens).endswith("it is")
        assert (await asked.model.write(PROMPT)).text == "No"


async def test_vectors_of_texts() -> None:
    async with model_server() as served:
        async with asking(served.url, embedding_model="small") as asked:
            vectors = await asked.model.embed(["date of birth", "birth date", "a river"])
            near, far = (sum(a * b for a, b in zip(vectors[0], each, strict=True)) for each in vectors[1:])
            assert near > far
            assert asked.budget.spent["prompt_tokens"] == 7
            assert served.embedded[0].body["model"] == "small"
            many = await asked.model.embed([f"text {n}" for n in range(600)])
            assert len(many) == 600
            assert [len(each.body["input"]) for each in served.embedded[1:]] == [256, 256, 88]
        async with asking(served.url) as asked:
            assert await asked.model.embed(["a"]) == []


async def test_a_server_without_vectors_names_the_key() -> None:
    async with (
        model_server((), Abilities(embeddings=False)) as served,
        asking(served.url, embedding_model="e") as asked,
    ):
        with pytest.raises(ModelUnavailable, match=r"llm\.embedding_model"):
            await asked.model.embed(["a"])
        assert len(served.embedded) == 1


async def test_tokens_are_those_of_the_server_and_money_is_theirs() -> None:
    script = [Turn(Writes("hm")), Turn(Says("one two", "search", "three")), Turn(Writes("four five six"))]
    prices = {"toy": Price(prompt=1000.0, completion=5000.0)}
    async with model_server(script) as served, asking(served.url, prices=prices) as asked:
        await asked.model.choose(PROMPT, OFFERS)
        await asked.model.write(PROMPT)
        spent = asked.budget.spent
        assert (spent["prompt_tokens"], spent["completion_tokens"]) == (served.prompt_tokens, served.completion_tokens)
        assert spent["tokens"] == served.prompt_tokens + served.completion_tokens
        assert spent["money"] == pytest.approx(served.prompt_tokens / 1000 + served.completion_tokens / 200)
        assert "estimated_tokens" not in spent


@pytest.mark.parametrize("refuses", [True, False])
async def test_tokens_that_nobody_counts_are_estimated_and_said_to_be(refuses: bool) -> None:
    abilities = Abilities(usage=False, refuses=refuses)
    async with model_server([Turn(Writes("x" * 40))], abilities) as served, asking(served.url) as asked:
        await asked.model.write(PROMPT)
        assert asked.budget.spent["completion_tokens"] == 10
        assert asked.budget.spent["estimated_tokens"] == asked.budget.spent["tokens"] > 10


@pytest.mark.parametrize(
    ("limits", "what"),
    [
        ({"llm_calls": 2}, "llm_calls"),
        ({"tokens": 10}, "tokens"),
        ({"money": 0.001}, "money"),
        ({"seconds": 0.0}, "seconds"),
    ],
)
async def test_a_budget_that_is_spent_asks_no_more(limits: dict[str, float], what: str) -> None:
    script = [Turn(Writes("one two three"))] * (0 if what == "seconds" else 2 if what == "llm_calls" else 1)
    prices = {"toy": Price(prompt=1000.0)}
    async with model_server(script) as served, asking(served.url, limits=limits, prices=prices) as asked:
        for _ in script:
            await asked.model.write(PROMPT)
        with pytest.raises(OutOfBudget):
            await asked.model.write(PROMPT)
        assert asked.budget.spent.get("llm_calls", 0) == len(script)


async def test_the_time_of_a_question_ends_its_call() -> None:
    async with model_server([Turn(Hangs("some"))]) as served, asking(served.url, limits={"seconds": 3.0}) as asked:
        with pytest.raises(OutOfBudget, match="seconds"):
            await asked.model.write(PROMPT)
        async with asyncio.timeout(10):
            await served.requests[0].gone.wait()
        assert asked.counted("saga_llm_calls_total", purpose="controller", outcome="timeout") == 1


async def test_no_more_calls_at_once_than_configured() -> None:
    script = [Turn(Hangs())] * 3
    async with model_server(script) as served, asking(served.url, concurrency=2, mode="text") as asked:
        waiting = [asyncio.ensure_future(asked.another().model.write(PROMPT)) for _ in range(3)]
        await served.arrival(2)
        await asyncio.sleep(0.3)
        assert len(served.requests) == 2
        waiting[0].cancel()
        waiting[1].cancel()
        await served.arrival(3)
        waiting[2].cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_what_is_configured_goes_out() -> None:
    script = [Turn(Says("t", "stop"))]
    options: dict[str, Any] = {"temperature": 0.7, "top_p": 0.9, "seed": 42, "most_tokens": 99}
    async with model_server(script) as served, asking(served.url, **options) as asked:
        await asked.model.choose(PROMPT, OFFERS)
        body = served.requests[0].body
        assert (body["temperature"], body["top_p"], body["seed"], body["max_tokens"]) == (0.7, 0.9, 42, 99)
        tool = body["tools"][0]["function"]
        assert (tool["name"], tool["parameters"]["required"]) == ("search", ["thought", "argument"])
        assert "argument" not in body["tools"][2]["function"]["parameters"]["properties"]


@pytest.mark.parametrize("name", ["temperature", "seed", "stop", "tool_choice", "stream_options", "max_tokens"])
async def test_what_a_server_does_not_take_is_left_out_from_then_on(name: str) -> None:
    said = f"Unsupported value: '{name}' does not support this with the model."
    refusal = Fails(400, body={"error": {"message": said, "param": name, "code": "unsupported_value"}})
    script = [Turn(refusal), Turn(Says("t", "stop")), Turn(Says("t", "stop"))]
    mode = "text" if name == "stop" else "tools"
    async with model_server(script) as served, asking(served.url, mode=mode, seed=1) as asked:
        await asked.model.choose(PROMPT, OFFERS)
        await asked.model.choose(PROMPT, OFFERS)
        assert [name in each.body for each in served.requests] == [True, False, False]
        if name == "max_tokens":
            assert served.requests[1].body["max_completion_tokens"] == 2048


async def test_the_library_is_imported_with_the_first_question() -> None:
    program = "import sys, plugins.nl, plugins.nl.model.client; sys.exit('openai' in sys.modules)"
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", program)
    assert await child.wait() == 0
