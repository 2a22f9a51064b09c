"""What the graph itself says: the types and properties of a constant, and whether anything matches a pattern.

Look-ups go through the chain, in batches, few at a time, and none is waited for longer than its budget; what comes
too late is kept for the next query. A failure is an answer that nobody has: it lets the query pass.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache

from plugins.schema.about import About, Rows, weight
from plugins.schema.vocabulary import Vocabulary
from proxy.contract import Caller, Dataset, Query, Run
from proxy.errors import ProxyError, TooMany, UpstreamBusy, UpstreamTimeout
from proxy.results.formats import Format
from proxy.syntax import Limits
from proxy.syntax.reader import read_cold

# A hint that no client can send: only our own queries carry it, and the guard lets them pass.
LOOKUP = "saga-lookup"
_HINTS = {LOOKUP: "guard"}
_BATCH = 16
_LANGUAGES = ("en", "")
# A longer answer is no look-up any more; it counts as late.
# Units: bytes.
_ANSWER_BYTES = 1024 * 1024
_LARGE_JSON = 64 * 1024
_PAUSE_S = 10.0
_LONGEST_PAUSE_S = 300.0
# So many late answers in a row, and the endpoint is left alone for a while: no query should wait for them again.
_MOST_LATE = 3
_TRUE_BYTES = 200
# A question that was too hard is not asked again for so long.
_MISSED_S = 60.0
_MOST_MISSED = 4096
_LIMITS = Limits()
_PLAIN: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of the look-ups of one endpoint.

    Units: seconds; ``kept_bytes`` is roughly what the caches may hold, half of it each.
    """

    types_s: float = 0.5
    ask_s: float = 1.0
    concurrency: int = 4
    waiting: int = 256
    remembered_s: float = 300.0
    kept_bytes: int = 16 * 1024 * 1024


class Facts:
    """Ask one endpoint. `aclose` ends what still runs; ``age`` grows whenever all answers are forgotten."""

    def __init__(
        self, run: Run, endpoint: str, vocabulary: Vocabulary, budget: Budget, clock: Callable[[], float]
    ) -> None:
        self._run = run
        self.endpoint = endpoint
        self._vocabulary = vocabulary
        self._clock = clock
        self._slots = asyncio.Semaphore(budget.concurrency)
        self._about: TTLCache[tuple[str, Dataset], About] = TTLCache(
            budget.kept_bytes // 2, budget.remembered_s, timer=clock, getsizeof=weight
        )
        self._asked: TTLCache[tuple[str, Dataset], tuple[bool, float]] = TTLCache(
            budget.kept_bytes // 2 // _TRUE_BYTES, budget.remembered_s, timer=clock
        )
        self._missed: TTLCache[tuple[str, Dataset], bool] = TTLCache(_MOST_MISSED, _MISSED_S, timer=clock)
        self._running: dict[tuple[str, Dataset], asyncio.Future[None]] = {}
        self._held: set[asyncio.Future[None]] = set()
        self._paused_until = 0.0
        self._late = 0
        self._ids = itertools.count(1)
        self.budget = budget
        self.age = 0

    async def about(self, iris: Iterable[str], dataset: Dataset, seconds: float) -> Mapping[str, About]:
        """Return what is known of constants within so many seconds; those that are late are missing.

        One query per batch gives types, own superclasses, a label and the list of properties.
        """
        wanted = dict.fromkeys(iris)
        missing = [iri for iri in wanted if self._unasked(self._about, (iri, dataset))]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._start([(iri, dataset) for iri in batch], self._learn(batch, dataset), self.budget.types_s)
        await self._wait([(iri, dataset) for iri in wanted], seconds)
        found = ((iri, self._about.get((iri, dataset))) for iri in wanted)
        return {iri: about for iri, about in found if about is not None}

    async def ask(self, body: str, dataset: Dataset, seconds: float) -> bool | None:
        """Return whether anything matches a group graph pattern; None where nobody knows in time."""
        key = (body, dataset)
        if self._unasked(self._asked, key):
            self._start([key], self._verify(body, dataset), self.budget.ask_s)
        await self._wait([key], seconds)
        found = self._asked.get(key)
        return None if found is None else found[0]

    def settled(self, questions: Iterable[str], dataset: Dataset) -> bool:
        """Whether none of these, IRIs or patterns, would be asked now: known, failed, or nothing is asked at all."""
        if self._clock() < self._paused_until:
            return True
        kept = (self._about, self._asked, self._missed)
        return all(any((each, dataset) in known for known in kept) for each in questions)

    def asked(self, body: str, dataset: Dataset) -> float:
        """Return the moment at which `ask` had its answer from; now where it has none any more."""
        found = self._asked.get((body, dataset))
        return self._clock() if found is None else found[1]

    def now(self) -> float:
        """Return the moment of the clock by which answers grow old."""
        return self._clock()

    def forget(self) -> None:
        """Forget all answers, because the data may have changed; what still runs will not be kept either."""
        self.age += 1
        self._about.clear()
        self._asked.clear()
        self._missed.clear()
        self._running.clear()

    async def aclose(self) -> None:
        """End every look-up."""
        for task in self._held:
            task.cancel()
        await asyncio.gather(*self._held, return_exceptions=True)

    def _unasked(self, kept: Mapping[tuple[str, Dataset], object], key: tuple[str, Dataset]) -> bool:
        return key not in kept and key not in self._running and key not in self._missed

    def _start(self, keys: Sequence[tuple[str, Dataset]], work: Coroutine[Any, Any, None], seconds: float) -> None:
        if self._clock() < self._paused_until or len(self._held) >= self.budget.waiting:
            work.close()
            return
        task = asyncio.ensure_future(self._within(keys, work, seconds))
        self._held.add(task)
        self._running.update(dict.fromkeys(keys, task))
        task.add_done_callback(lambda _: self._ended(keys, task))

    def _ended(self, keys: Sequence[tuple[str, Dataset]], task: asyncio.Future[None]) -> None:
        self._held.discard(task)
        for key in keys:
            if self._running.get(key) is task:
                del self._running[key]
        if not task.cancelled():
            # Seen here, so that a fault which nobody waits for does not count as lost; a waiter sees it, too.
            task.exception()

    async def _wait(self, keys: Iterable[tuple[str, Dataset]], seconds: float) -> None:
        tasks = {self._running[key] for key in keys if key in self._running}
        if tasks and seconds > 0:
            done, _ = await asyncio.wait(tasks, timeout=seconds)
            for task in done:
                task.result()

    async def _within(
        self, keys: Sequence[tuple[str, Dataset]], work: Coroutine[Any, Any, None], seconds: float
    ) -> None:
        """Do a look-up within its budget. Waiting for a free place counts."""
        try:
            async with asyncio.timeout(seconds), self._slots:
                await work
            self._late = 0
        except (TimeoutError, UpstreamTimeout):
            self._missed.update(dict.fromkeys(keys, True))
            self._late += 1
            if self._late >= _MOST_LATE:
                self._pause("")
        except (TooMany, UpstreamBusy) as error:
            self._pause(error.headers.get("Retry-After", ""))
        except ProxyError:
            # The endpoint failed, or refuses such queries. Its answer is missing; the client's query will tell why.
            pass
        finally:
            work.close()

    def _pause(self, wait: str) -> None:
        seconds = float(wait) if wait.isascii() and wait.isdigit() else _PAUSE_S
        self._late = 0
        self._paused_until = self._clock() + min(max(seconds, 1.0), _LONGEST_PAUSE_S)

    async def _learn(self, batch: Sequence[str], dataset: Dataset) -> None:
        age, asked = self.age, self._clock()
        answer = await self._answer(self._properties_text(batch), dataset, self.budget.types_s)
        if age != self.age:
            return
        found: dict[str, Rows] = {str(number): Rows() for number in range(len(batch))}
        for row in answer.get("results", _PLAIN).get("bindings", ()):
            known = found.get(row.get("s", _PLAIN).get("value"))
            if known is not None:
                known.add(row, self._vocabulary)
        for iri, known in zip(batch, found.values(), strict=True):
            about = known.about(iri, asked)
            if weight(about) <= self._about.maxsize:
                self._about[iri, dataset] = about

    async def _verify(self, body: str, dataset: Dataset) -> None:
        age, asked = self.age, self._clock()
        answer = (await self._answer(f"ASK {{ {body} }}", dataset, self.budget.ask_s)).get("boolean")
        if age == self.age and isinstance(answer, bool):
            self._asked[body, dataset] = answer, asked

    async def _answer(self, text: str, dataset: Dataset, seconds: float) -> Any:
        """Run a query of our own. Raises ProxyError, TimeoutError for an answer without bounds."""
        query = Query(
            id=f"guard-{next(self._ids)}",
            endpoint=self.endpoint,
            syntax=read_cold(text, _PLAIN, _LIMITS),
            formats=(Format.JSON,),
            caller=Caller(address="guard"),
            source="guard",
            dataset=dataset,
            timeout_s=seconds,
            hints=_HINTS,
        )
        body = bytearray()
        async with await self._run(query) as reply:
            async for chunk in reply.chunks:
                body += chunk
                if len(body) > _ANSWER_BYTES:
                    raise TimeoutError
            if reply.state.partial:
                raise TimeoutError
        return json.loads(body) if len(body) <= _LARGE_JSON else await asyncio.to_thread(json.loads, bytes(body))

    def _properties_text(self, batch: Sequence[str]) -> str:
        """Return one query for a batch, in which every pattern starts at a constant.

        One VALUES for all of them would read better; Oxigraph 0.5 scans the whole store for it (1.7 s instead of 1 ms).
        """
        vocabulary = self._vocabulary
        classes = ", ".join(f"<{iri}>" for iri in (*vocabulary.types, *vocabulary.superclasses))
        labels = ", ".join(f"<{iri}>" for iri in vocabulary.labels)
        languages = ", ".join(f'"{language}"' for language in _LANGUAGES)
        branches = (
            f"{{ SELECT DISTINCT ?p ({number} AS ?s) {{ <{iri}> ?p ?v }} }} "
            f"UNION {{ <{iri}> ?p ?c FILTER(?p IN ({classes})) BIND({number} AS ?s) }} "
            f"UNION {{ <{iri}> ?p ?c FILTER(?p IN ({labels}) && LANG(?c) IN ({languages})) BIND({number} AS ?s) }}"
            for number, iri in enumerate(batch)
        )
        return f"SELECT ?s ?p ?c {{ {' UNION '.join(branches)} }}"
