"""See that the client of `[llm]` works with a real small model, whatever that model knows.

`python -m tests.bench.local_model URL [--model NAME] [--calls N] [--questions N] [--out FILE]` finds out what the
server can, asks for actions and forms in the mode that it has and in text mode, reads token probabilities, and has
`saga` answer questions on the demo graph in either mode, with six actions at most. A pass-through in between takes down
what the server itself counts. Exit code 1 where tokens differ from the server's own, a reply could not even be
repaired, or no probabilities came. Nothing is said of the quality of what the model answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import aiohttp
from aiohttp import web

from plugins.nl.contract import Budget
from plugins.nl.model.client import ModelClient
from plugins.nl.model.contract import ChatModel, Offer, Prompt, Unreadable
from plugins.nl.model.options import LlmOptions
from proxy.series import PrometheusMetrics
from tests import stage, toolbox
from tests.bench.machine import headline

QUESTIONS = (
    "Where was Marie Curie born?",
    "Which rivers are in Germany?",
    "Wann wurde Albert Einstein geboren?",
    "How many children does Marie Curie have?",
    "Was Albert Einstein born in Ulm?",
)
OFFERS = (
    Offer(name="search", description="Find entities and properties by name.", argument="a name"),
    Offer(name="execute", description="Run a SPARQL query.", argument="the query"),
    Offer(name="stop", description="End the search."),
)
KIND = {
    "type": "object",
    "properties": {"kind": {"type": "string", "enum": ["person", "place", "date", "number", "other"]}},
}
_SYSTEM = "You answer questions with a knowledge graph. Nothing is known yet. Choose the first action."
WAYS = ("prompt", "completion")
Mode = Literal["auto", "text"]
MODES: tuple[Mode, ...] = ("auto", "text")
_SECONDS = 3600.0


@dataclass(slots=True)
class Witness:
    """A pass-through that takes down what the server counts of each reply."""

    target: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    replies: int = 0
    url: str = ""
    _runner: web.AppRunner | None = field(default=None)

    @asynccontextmanager
    async def standing(self) -> AsyncIterator[Witness]:
        """Stand between client and server."""
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._pass)
        runner = web.AppRunner(app)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield self
        finally:
            await runner.cleanup()

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        address = self.target.removesuffix("/v1") + request.path_qs
        body = await request.read()
        headers = {"Content-Type": "application/json"} if body else {}
        timeout = aiohttp.ClientTimeout(total=None)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.request(request.method, address, data=body or None, headers=headers) as reply,
        ):
            response = web.StreamResponse(status=reply.status, headers={"Content-Type": reply.headers["Content-Type"]})
            await response.prepare(request)
            whole = b""
            async for chunk in reply.content.iter_any():
                whole += chunk
                await response.write(chunk)
        self._count(whole)
        return response

    def _count(self, reply: bytes) -> None:
        """Count by llama.cpp's own timings where it sends them, else by the usage of the reply."""
        for line in re.findall(rb"(?m)^(?:data: )?(\{.*\})\s*$", reply):
            document = json.loads(line)
            if timings := document.get("timings"):
                self._add(timings["prompt_n"] + timings.get("cache_n", 0), timings["predicted_n"])
                return
        usage = re.search(rb'"usage":\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})', reply)
        if usage:
            counts = json.loads(usage[1])
            self._add(counts["prompt_tokens"], counts["completion_tokens"])

    def _add(self, prompt: int, completion: int) -> None:
        self.replies += 1
        self.prompt_tokens += prompt
        self.completion_tokens += completion


@dataclass(slots=True)
class Findings:
    """What came of all calls."""

    wrong: list[str] = field(default_factory=list)
    answers: list[Mapping[str, Any]] = field(default_factory=list)


async def mode_of(options: LlmOptions, seen: PrometheusMetrics, findings: Findings, calls: int) -> None:
    """Ask for actions and forms in one mode, or in the one that the server is found to have."""
    async with ModelClient(options, seen, time.monotonic) as client:
        model = client.question(_budget())
        for question in QUESTIONS[:calls]:
            await _action(model, question, findings)
        await _form(model, QUESTIONS[0], findings)
        print(f"  mode {options.mode}: {client.description['mode']}")


async def _action(model: ChatModel, question: str, findings: Findings) -> None:
    started = time.monotonic()
    try:
        choice = await model.choose(Prompt(purpose="controller", system=_SYSTEM, user=question), OFFERS)
        said = f"{choice.action}({choice.argument})"
    except Unreadable as error:
        findings.wrong.append(f"{question}: {error}")
        said = f"unreadable: {error}"
    print(f"  {time.monotonic() - started:6.1f} s  {question}  ->  {' '.join(said.split())[:100]}")


async def _form(model: ChatModel, question: str, findings: Findings) -> None:
    try:
        prompt = Prompt(purpose="answer_type", system="Say what kind of answer a question wants.", user=question)
        filled = await model.fill(prompt, KIND)
        print(f"  form: {dict(filled)}")
    except Unreadable as error:
        findings.wrong.append(f"form: {error}")


async def probabilities(options: LlmOptions, seen: PrometheusMetrics, findings: Findings) -> None:
    """Read the probabilities of a word."""
    async with ModelClient(options, seen, time.monotonic) as client:
        prompt = Prompt(purpose="other", system="Answer with Yes or No.", user="Is Paris the capital of France?")
        reply = await client.question(_budget()).write(prompt, most_tokens=3, alternatives=5)
    first = sorted(reply.alternatives[0].items(), key=lambda each: -each[1]) if reply.alternatives else []
    print("  probabilities:", ", ".join(f"{token!r} {math.exp(at):.3f}" for token, at in first))
    if not reply.tokens or len(first) != 5 or "".join(token for token, _ in reply.tokens).strip() != reply.text:
        findings.wrong.append(f"no probabilities of the text {reply.text!r}: {reply.tokens}")


def _budget() -> Budget:
    return Budget(clock=time.monotonic, started=time.monotonic(), seconds=_SECONDS, tokens=10**9, llm_calls=10**6)


def _counted(seen: PrometheusMetrics) -> list[int]:
    """Return the tokens of the metrics, and print how the calls ended."""
    ends = {
        f"{each.labels['purpose']} {each.labels['outcome']}": int(each.value)
        for family in seen.registry.collect()
        for each in family.samples
        if each.name == "saga_llm_calls_total"
    }
    print("  calls:", ", ".join(f"{count} {end}" for end, count in ends.items()))
    named = (seen.registry.get_sample_value("saga_llm_tokens_total", {"direction": way}) for way in WAYS)
    return [int(each or 0) for each in named]


async def whole_questions(options: Mapping[str, Any], questions: Sequence[str], findings: Findings) -> list[int]:
    """Have `saga` answer on the demo graph, through the real proxy. Return the tokens that its metrics count."""
    with tempfile.TemporaryDirectory() as folder:
        index = await asyncio.to_thread(toolbox.demo_index, Path(folder) / "search")
        tables = toolbox.tables(stage.demo_store(Path(folder) / "store"), index)
        tables["plugins"]["enabled"].append("plugins.nl")
        tables["nl"] = {"strategy": "saga", "max_actions": 6, "seconds": _SECONDS, "seconds_per_minute": 0.0}
        tables["llm"] = {**options, "timeout_s": _SECONDS, "silence_s": _SECONDS}
        timeout = aiohttp.ClientTimeout(total=None)
        async with stage.proxy(tables) as url, aiohttp.ClientSession(timeout=timeout) as session:
            for question in questions:
                async with session.post(f"{url}/nl", json={"question": question, "strategy": "saga"}) as reply:
                    _told(question, await reply.json(content_type=None), findings)
            async with session.get(f"{url}/metrics") as reply:
                seen = await reply.text()
    print("  calls:", ", ".join(line for line in seen.splitlines() if line.startswith("saga_llm_calls_total{")))
    for purpose, count in re.findall(r'saga_llm_calls_total\{outcome="failed",purpose="(\w+)"\} ([0-9.]+)', seen):
        findings.wrong.append(f"{float(count):g} calls failed: {purpose}")
    named = (re.search(rf'saga_llm_tokens_total{{direction="{way}"}} ([0-9.e+]+)', seen) for way in WAYS)
    return [int(float(each[1])) if each else 0 for each in named]


def _told(question: str, answer: Mapping[str, Any], findings: Findings) -> None:
    findings.answers.append(answer)
    usage = answer.get("usage", {})
    print(f"{question}  ->  {answer.get('status') or answer}, {usage}")
    for step in answer.get("steps", ()):
        said = step.get("text") or f"{step.get('action', '')}({step.get('argument', '')})"
        print(f"    {step['kind']}: {' '.join(said.split())[:150]}")
    if answer.get("status") not in ("answered", "partial", "unanswered", "out_of_budget"):
        findings.wrong.append(f"{question}: {answer.get('status')} {answer.get('warnings')}")


async def measured(url: str, model: str, calls: int, questions: int, modes: Sequence[Mode], most: int) -> Findings:
    """Do all parts, each with a witness of its own. Units: ``most`` tokens of one reply to a whole question."""
    result = Findings()
    for mode in modes if calls else ():
        async with _witnessed(url, f"{calls} actions and a form, {mode}", result) as (witness, ours):
            seen = PrometheusMetrics()
            await mode_of(_options(witness, model, mode), seen, result, calls)
            ours += _counted(seen)
    if calls:
        async with _witnessed(url, "probabilities", result) as (witness, ours):
            seen = PrometheusMetrics()
            await probabilities(_options(witness, model, "auto"), seen, result)
            ours += _counted(seen)
    for mode in modes if questions else ():
        async with _witnessed(url, f"{questions} questions, {mode}", result) as (witness, ours):
            options = {"base_url": witness.url, "model": model, "mode": mode, "most_tokens": most}
            ours += await whole_questions(options, QUESTIONS[:questions], result)
    return result


@asynccontextmanager
async def _witnessed(url: str, part: str, findings: Findings) -> AsyncIterator[tuple[Witness, list[int]]]:
    """Hold what a part counts against what the server does; the part puts its own count into the list."""
    ours: list[int] = []
    async with Witness(url).standing() as witness:
        yield witness, ours
    theirs = [witness.prompt_tokens, witness.completion_tokens]
    print(f"{part}: {witness.replies} replies, tokens sent and received {ours}, by the server's count {theirs}\n")
    if ours != theirs:
        findings.wrong.append(f"{part}: tokens differ")


def _options(witness: Witness, model: str, mode: Mode) -> LlmOptions:
    return LlmOptions(base_url=witness.url, model=model, mode=mode, timeout_s=_SECONDS, silence_s=_SECONDS)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="address of the server, such as http://127.0.0.1:8089/v1")
    parser.add_argument("--model", default="qwen2.5-coder-1.5b-instruct")
    parser.add_argument("--calls", type=int, default=len(QUESTIONS), help="actions in each mode")
    parser.add_argument("--questions", type=int, default=0, help="whole questions in each mode; slow without a GPU")
    parser.add_argument("--mode", choices=MODES, action="append", help="one alone; auto finds out what the server can")
    parser.add_argument("--most-tokens", type=int, default=2048, help="of one reply to a whole question")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where the answers go, with their steps, as JSON lines"
    )
    chosen = parser.parse_args(arguments)
    print(headline(f"A real model behind the client: {chosen.model}"))
    modes = chosen.mode or MODES
    findings = asyncio.run(
        measured(chosen.url, chosen.model, chosen.calls, chosen.questions, modes, chosen.most_tokens)
    )
    if chosen.out:
        chosen.out.write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in findings.answers))
    for each in findings.wrong:
        print("WRONG:", each)
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
