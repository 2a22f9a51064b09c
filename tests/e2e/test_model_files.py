"""Replies that are kept by the hash of their request, and calls that are recorded and replayed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from plugins.nl.model.contract import ModelUnavailable, Prompt, TooLong
from plugins.nl.model.tape import Mismatch
from proxy.errors import ConfigError
from tests.llm import Abilities, Fails, Fills, Says, Turn, Writes, model_server
from tests.llm_client import OFFERS, PROMPT, SCHEMA, Asking, asking
from tests.stage import free_port

SCRIPT = [
    Turn(Says("t", "search", "Obama")),
    Turn(Writes("hm")),
    Turn(Says("u", "stop")),
    Turn(Fills({"form": "date", "label": "x", "sure": True})),
    Turn(Writes("Yes it is")),
]
NEXT = Prompt(purpose="controller", system=PROMPT.system, user="Question: Who is Obama?\nObservation: Q76")


def kept_in(folder: Path) -> list[Path]:
    return list(folder.rglob("*.json"))


async def told(asked: Asking) -> list[object]:
    """Return all that a question hears, a mended reply among it."""
    return [
        await asked.model.choose(PROMPT, OFFERS),
        await asked.model.choose(NEXT, OFFERS),
        await asked.model.fill(PROMPT, SCHEMA),
        await asked.model.write(PROMPT, alternatives=1),
        await asked.model.embed(["a b"]),
    ]


@pytest.mark.parametrize(
    "abilities", [Abilities(), Abilities(tools=False, json=False, json_object=False)], ids=["tools", "text"]
)
async def test_a_record_is_replayed_without_a_server(abilities: Abilities, tmp_path: Path) -> None:
    tape = tmp_path / "calls.jsonl"
    async with model_server(SCRIPT, abilities) as served, asking(served.url, record=tape, embedding_model="e") as asked:
        first, spent = await told(asked), dict(asked.budget.spent)
    gone = f"http://127.0.0.1:{free_port()}/v1"
    async with asking(gone, replay=tape, embedding_model="e") as asked:
        assert await told(asked) == first
        assert asked.budget.spent == spent
        assert await asked.client.problem() == ""
    assert tape.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in tape.read_text().splitlines()]
    purposes = [each["purpose"] for each in lines]
    assert purposes == ["controller", "controller", "repair", "controller", "controller", "embed"]
    assert set(lines[0]) == {"hash", "purpose", "request", "reply"}


async def test_a_replay_that_does_not_match_shows_the_difference(tmp_path: Path) -> None:
    tape = tmp_path / "calls.jsonl"
    async with model_server(SCRIPT[:1]) as served, asking(served.url, mode="text", record=tape) as asked:
        await asked.model.choose(PROMPT, OFFERS)
    async with asking("http://127.0.0.1:1/v1", mode="text", replay=tape) as asked:
        with pytest.raises(Mismatch) as raised:
            await asked.model.choose(NEXT, OFFERS)
        lines = str(raised.value).splitlines()
        assert "--- recorded" in lines
        assert "+Observation: Q76" in lines
        assert " Question: Who is Obama?" in lines
        # The call that is recorded is still there, once.
        assert (await asked.model.choose(PROMPT, OFFERS)).argument == "Obama"
        with pytest.raises(Mismatch, match="has no call of this kind left"):
            await asked.another().model.choose(PROMPT, OFFERS)


async def test_what_failed_fails_again(tmp_path: Path) -> None:
    tape = tmp_path / "calls.jsonl"
    script = [
        Turn(Fails(400, body={"error": {"code": "context_length_exceeded"}})),
        Turn(Fails(401)),
        Turn(Writes("x")),
    ]

    async def heard(asked: Asking) -> list[str]:
        with pytest.raises(TooLong) as first:
            await asked.model.write(PROMPT)
        with pytest.raises(ModelUnavailable) as second:
            await asked.model.write(PROMPT)
        return [str(first.value), str(second.value), (await asked.model.write(PROMPT)).text]

    async with model_server(script) as served, asking(served.url, record=tape) as asked:
        first = await heard(asked)
    async with asking("http://127.0.0.1:1/v1", replay=tape) as asked:
        assert await heard(asked) == first


async def test_other_parameters_are_another_request(tmp_path: Path) -> None:
    tape = tmp_path / "calls.jsonl"
    async with model_server([Turn(Writes("x"))]) as served, asking(served.url, record=tape) as asked:
        await asked.model.write(PROMPT)
    async with asking("http://127.0.0.1:1/v1", replay=tape, temperature=0.5) as asked:
        with pytest.raises(Mismatch, match=r"\+temperature: 0\.5"):
            await asked.model.write(PROMPT)


@pytest.mark.parametrize("text", ["no json", "[]", '{"hash": "x"}'])
def test_a_file_that_is_no_record_stops_the_start(text: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text(text + "\n")

    async def opened() -> None:
        async with asking("http://127.0.0.1:1/v1", replay=tmp_path / "calls.jsonl"):
            pass

    with pytest.raises(ConfigError, match=r"llm\.replay"):
        opened().send(None)


async def test_nothing_is_asked_twice_where_replies_are_kept(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    async with model_server(SCRIPT) as served, asking(served.url, cache=kept, embedding_model="e") as asked:
        first, spent = await told(asked), dict(asked.budget.spent)
        again = asked.another()
        assert await told(again) == first
        # To its budget it is as if it had been asked; over the wire went nothing.
        assert again.budget.spent == spent
        assert len(served.requests) == len(SCRIPT)
        assert asked.counted("saga_llm_tokens_total", direction="completion") < spent["completion_tokens"] + 20
    async with model_server([], model="toy") as other, asking(other.url, cache=kept) as asked:
        # Another server's replies are no answer of this one.
        with pytest.raises(Exception, match="status 400"):
            await asked.model.write(PROMPT)
        other.mistakes.clear()
    assert not list(kept.rglob("*.part"))


async def test_failures_and_half_replies_are_not_kept(tmp_path: Path) -> None:
    script = [Turn(Fails(400)), Turn(Writes("now"))]
    async with model_server(script) as served, asking(served.url, cache=tmp_path) as asked:
        with pytest.raises(Exception, match="status 400"):
            await asked.model.write(PROMPT)
        assert (await asked.model.write(PROMPT)).text == "now"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"text": 1}'])
async def test_a_kept_reply_that_is_damaged_is_asked_for_again(text: str, tmp_path: Path) -> None:
    script = [Turn(Writes("first")), Turn(Writes("second"))]
    async with model_server(script) as served, asking(served.url, cache=tmp_path) as asked:
        await asked.model.write(PROMPT)
        for path in kept_in(tmp_path):
            path.write_text(text)
        assert (await asked.model.write(PROMPT)).text == "second"


async def test_a_folder_that_cannot_be_written_costs_only_the_keeping(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with model_server([Turn(Writes("x"))] * 2) as served, asking(served.url, cache=tmp_path / "file") as asked:
        assert [(await asked.model.write(PROMPT)).text for _ in range(2)] == ["x", "x"]
