"""A question's way to the model: what is asked, what is read, what is mended once, and what all of it costs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from plugins.nl.contract import Budget, OutOfBudget
from plugins.nl.model.contract import Choice, Offer, Prompt, Reply, Unreadable
from plugins.nl.model.modes import messages, repair
from plugins.nl.model.options import Price
from plugins.nl.model.reading import without_thinking
from plugins.nl.model.wire import Call, Said

if TYPE_CHECKING:
    from plugins.nl.model.client import ModelClient

T = TypeVar("T")

# Stands at the end of a reply that was cut: what has it in it lacks its end.
_CUT = "\ufffc"
# Servers tell at most so many tokens at a place, and take so many texts at once.
_MOST_ALTERNATIVES, _MOST_TEXTS = 20, 256


class Talk:
    """The model of one question. See ChatModel."""

    def __init__(self, client: ModelClient, budget: Budget) -> None:
        self._client = client
        self._budget = budget

    @property
    def name(self) -> str:
        """The model's name."""
        return self._client.name

    async def choose(self, prompt: Prompt, offers: Sequence[Offer]) -> Choice:
        """Return one thought and one action."""
        async with self._in_time():
            asking = await self._client.asking()
        return await self._read(asking.choice(prompt, offers), lambda said: asking.chosen(said, offers))

    async def fill(self, prompt: Prompt, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an object that fits a JSON schema."""
        async with self._in_time():
            asking = await self._client.asking()
        return await self._read(asking.form(prompt, schema), lambda said: asking.filled(said, schema))

    async def write(self, prompt: Prompt, *, most_tokens: int | None = None, alternatives: int = 0) -> Reply:
        """Return a text, without what the model thought aloud before it."""
        wanted = min(alternatives, _MOST_ALTERNATIVES)
        call = Call(purpose=prompt.purpose, messages=messages(prompt), most_tokens=most_tokens, alternatives=wanted)
        self._afford()
        with self._client.metrics.call(prompt.purpose):
            said = await self._asked(call)
            if said.cut and most_tokens is None:
                raise Unreadable(self._too_long())
            return _reply(said)

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return a vector for each text; an empty list where no embedding model is configured."""
        options = self._client.options
        vectors: list[list[float]] = []
        for start in range(0, len(texts) if options.embedding_model else 0, _MOST_TEXTS):
            self._afford()
            with self._client.metrics.call("embed"):
                async with self._in_time():
                    some = texts[start : start + _MOST_TEXTS]
                    made = await self._client.embeddings(some, lambda: self._budget.left_s)
            self._count(options.embedding_model, made.tokens, 0)
            vectors += made.vectors
        return vectors

    async def _read(self, call: Call, read: Callable[[Said], T]) -> T:
        """Return what a reply says; where it cannot be read the model is asked once to mend it. Raises Unreadable."""
        self._afford()
        with self._client.metrics.call(call.purpose) as ending:
            said = await self._asked(call)
            try:
                return self._whole(said, read)
            except Unreadable as error:
                made = await self._mended(repair(call, said, str(error)), read)
            ending.outcome = "repaired"
            return made

    async def _mended(self, call: Call, read: Callable[[Said], T]) -> T:
        self._afford()
        with self._client.metrics.call("repair"):
            return self._whole(await self._asked(call), read)

    def _whole(self, said: Said, read: Callable[[Said], T]) -> T:
        """Read a reply. One that was cut behind what is wanted is as good as whole. Raises Unreadable."""
        if not said.cut:
            return read(said)
        marked = (said.call[0], said.call[1] + _CUT) if said.call else None
        try:
            made = read(replace(said, text=said.text + _CUT, call=marked))
        except Unreadable:
            raise Unreadable(self._too_long()) from None
        if _CUT in repr(made):
            raise Unreadable(self._too_long())
        return made

    def _too_long(self) -> str:
        return f"it was cut off after llm.most_tokens ({self._client.options.most_tokens}) tokens"

    def _afford(self) -> None:
        """Begin a call. Raises OutOfBudget where calls, tokens, money or time are spent."""
        # What a call costs is known behind it: the last one may go beyond.
        for what, most in (("tokens", self._budget.tokens), ("money", self._budget.money)):
            if self._budget.spent.get(what, 0) >= most:
                raise OutOfBudget(what)
        self._budget.spend("llm_calls")

    async def _asked(self, call: Call) -> Said:
        async with self._in_time():
            said = await self._client.chat(call, lambda: self._budget.left_s)
        self._count(self._client.name, said.prompt_tokens, said.completion_tokens)
        if said.estimated:
            self._budget.count("estimated_tokens", said.prompt_tokens + said.completion_tokens)
        return said

    @asynccontextmanager
    async def _in_time(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._budget.left_s):
                yield
        except TimeoutError:
            raise OutOfBudget("seconds") from None

    def _count(self, model: str, prompt_tokens: int, completion_tokens: int) -> None:
        self._budget.count("prompt_tokens", prompt_tokens)
        self._budget.count("completion_tokens", completion_tokens)
        self._budget.count("tokens", prompt_tokens + completion_tokens)
        price = self._client.options.prices.get(model, Price())
        self._budget.count("money", price.of(prompt_tokens, completion_tokens))


def _reply(said: Said) -> Reply:
    """Return a text with its tokens, as far as both are of the answer itself."""
    text = without_thinking(said.text)
    start = said.text.find(text) if text else len(said.text)
    kept, seen = [], 0
    for n, (token, _) in enumerate(said.tokens):
        seen += len(token)
        # Those that have a share in the answer.
        if seen > start and seen - len(token) < start + len(text):
            kept.append(n)
    return Reply(
        text=text,
        tokens=tuple(said.tokens[n] for n in kept),
        alternatives=tuple(said.alternatives[n] for n in kept),
    )
