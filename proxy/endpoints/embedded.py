"""An Oxigraph store of our own, asked in child processes that can be killed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from proxy.contract import Dataset, Health, Query, Reply
from proxy.endpoints.answer import Answer, Complaint
from proxy.endpoints.child import Child, Gone
from proxy.endpoints.complaints import explained, unusable
from proxy.endpoints.edit import applied
from proxy.endpoints.edits import edits
from proxy.endpoints.frames import Kind
from proxy.endpoints.pool import Pool
from proxy.endpoints.updates import Updates
from proxy.errors import Forbidden, NotAcceptable, UpstreamFailed
from proxy.results.formats import Format, formats_for
from proxy.results.state import State
from proxy.syntax import Form

GIB = 1024**3

# A process that has not opened its store in this time will not do so.
_START_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddedSettings:
    """What one embedded store is given.

    Shapes: ``updates`` lets a writer start with the readers, so that no update waits for one; ``prefixes`` are implied
    in every text; ``union`` makes all named graphs together the default graph.
    Units: times in seconds; ``memory_bytes`` is what one query may take above what an idle reader holds; ``queue`` is
    how many queries may wait for a reader. Without ``cpu_s`` a query may burn as long as ``total_s`` lasts.
    """

    store: Path
    readers: int = 2
    memory_bytes: int = 2 * GIB
    total_s: float = 300.0
    first_byte_s: float | None = None
    update_s: float | None = None
    cpu_s: float | None = None
    queue: int = 100
    queue_s: float = 10.0
    updates: bool = False
    prefixes: Mapping[str, str] = field(default_factory=dict)
    union: bool = False

    def hello(self) -> dict[str, object]:
        """Return what a child is told when it starts."""
        return {
            "store": str(self.store.absolute()),
            "memory_bytes": self.memory_bytes,
            # A second wall behind the deadline: for the moment when the proxy itself is stuck.
            "cpu_s": (self.total_s if self.cpu_s is None else self.cpu_s) + 1.0,
            "prefixes": dict(self.prefixes),
            "union": self.union,
            "wait_s": self.queue_s,
        }


class EmbeddedEndpoint:
    """Answer queries from a folder on the disk: readers in a pool, and one writer."""

    def __init__(self, name: str, settings: EmbeddedSettings) -> None:
        self.name = name
        self._settings = settings
        self._pool = Pool(self._start_reader, settings.readers, settings.queue, settings.queue_s)
        self._updates = Updates(self._start_writer, settings.queue, settings.queue_s)

    @asynccontextmanager
    async def lifespan(self) -> AsyncIterator[None]:
        """Hold the child processes, which start at once; nobody waits for them."""
        self._pool.open()
        if self._settings.updates:
            self._updates.open()
        try:
            yield
        finally:
            await self._updates.close()
            await self._pool.close()

    @property
    def readers(self) -> list[int]:
        """The process ids of the readers."""
        return self._pool.pids

    @property
    def pids(self) -> list[int]:
        """The process ids of the readers and the writer."""
        return [*self._pool.pids, *self._updates.pids]

    async def run(self, query: Query) -> Reply:
        """Answer a query or apply an update; the first byte is there when this returns.

        Raises:
            BadQuery: the text is malformed, or calls a function that does not exist.
            BadRequest: a graph of the dataset is no IRI, or an update names graphs beside those of its request.
            Forbidden: SERVICE or LOAD, which would reach out of the store.
            NotAcceptable: a format that cannot be made.
            ResourceLimit: the reader ran out of memory or died.
            UpstreamBusy: the queue is full or too slow, or another process writes.
            UpstreamTimeout: a deadline passed.
            UpstreamFailed: there is no store, or it cannot be opened.
        """
        _refuse_reaching_out(query)
        if query.form is Form.UPDATE:
            return await self._update(query)
        return await self._query(query)

    async def health(self) -> Health:
        """Say whether a reader lives that has opened the store."""
        if self._pool.ready:
            return Health(ok=True, detail=f"{len(self._pool.pids)} readers")
        failure = self._pool.failure
        return Health(ok=False, detail=failure.detail if failure else "the readers are starting")

    async def optimize(self) -> None:
        """Let the writer rearrange the store for reading. Readers go on; updates wait until it is done.

        Raises UpstreamFailed, UpstreamBusy, ResourceLimit.
        """
        try:
            await self._updates.apply({}, None)
        except (Complaint, Gone) as error:
            raise unusable(error) from error
        await self._pool.refresh()

    async def _query(self, query: Query) -> Reply:
        clock = asyncio.get_running_loop().time
        settings = self._settings
        fmt = _format(query)
        started = clock()
        total_s = min(query.timeout_s or settings.total_s, settings.total_s)
        child = await self._pool.take(started + total_s)
        asked = clock()
        answer = Answer(child, started + total_s, total_s)
        try:
            await answer.begin(self._request(query, fmt), settings.first_byte_s)
        except BaseException as error:
            self._let_go(child, answer)
            if isinstance(error, Complaint | Gone):
                raise explained(error, query) from error
            raise

        async def release() -> None:
            self._let_go(child, answer)

        return Reply(
            until=started + total_s,
            format=fmt,
            chunks=answer,
            state=State(arrived=answer.arrived),
            release=release,
            queue_s=asked - started,
            upstream_s=clock() - asked,
        )

    @staticmethod
    def _request(query: Query, fmt: Format) -> dict[str, object]:
        dataset = query.dataset
        return {
            "text": _text(query, Dataset()),
            "format": fmt.short_name,
            "default": dataset.default,
            "named": dataset.named,
        }

    def _let_go(self, child: Child, answer: Answer) -> None:
        """Give back a reader that said all; end one that is still at it."""
        answer.stop()
        if answer.done:
            self._pool.give_back(child)
        else:
            self._pool.throw_away(child)

    async def _update(self, query: Query) -> Reply:
        settings = self._settings
        limit_s = settings.total_s if settings.update_s is None else settings.update_s
        request: dict[str, object] = {"text": _text(query, query.dataset)}
        started = asyncio.get_running_loop().time()
        try:
            queue_s = await self._updates.apply(request, min(query.timeout_s or limit_s, limit_s))
        except (Complaint, Gone) as error:
            raise explained(error, query) from error
        if self._updates.quiet:
            await self._pool.refresh()
        took_s = asyncio.get_running_loop().time() - started - queue_s
        return Reply(format=None, chunks=_Empty(), queue_s=queue_s, upstream_s=took_s)

    async def _start_reader(self) -> Child:
        return await _started("proxy.endpoints.reader", self._settings.hello())

    async def _start_writer(self) -> Child:
        return await _started("proxy.endpoints.writer", self._settings.hello())


class _Empty:
    """The body of an update."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        raise StopAsyncIteration


async def _started(module: str, hello: dict[str, object]) -> Child:
    """Start a child and wait until it is ready. Raises UpstreamFailed, UpstreamBusy."""
    try:
        child = await Child.start(module, hello)
    except OSError as error:
        raise UpstreamFailed("The system has no room for another process.", private=str(error)) from error
    try:
        async with asyncio.timeout(_START_S):
            kind, members = await child.first()
        if kind is Kind.READY:
            return child
        raise Complaint(str(members.get("kind")), str(members.get("message")))
    except BaseException as error:
        child.kill()
        await child.wait()
        if isinstance(error, Complaint | Gone):
            raise unusable(error) from error
        if isinstance(error, TimeoutError):
            raise UpstreamFailed(f"The store did not open within {_START_S:g} s.") from error
        raise


def _text(query: Query, dataset: Dataset) -> str:
    """Return the text that Oxigraph reads: the client's own, but for what it would refuse."""
    return applied(query.text, edits(query.syntax, dataset))


def _format(query: Query) -> Format:
    """Choose the first format of the client's that can be made for this form. Raises NotAcceptable."""
    possible = formats_for(query.form)
    for fmt in query.formats:
        if fmt in possible:
            return fmt
    offered = ", ".join(fmt.media_type for fmt in possible)
    raise NotAcceptable(f"This store answers such a query as {offered}.")


def _refuse_reaching_out(query: Query) -> None:
    """Let no text through that would make Oxigraph ask another server. Raises Forbidden with line and column.

    Looked for in the tokens, so it holds for texts that our grammar cannot read too; SILENT changes nothing.
    """
    syntax = query.syntax
    found = [(service.start, "SERVICE") for service in syntax.services]
    found += [(source.start, "LOAD") for source in syntax.loads if source.keyword == "LOAD"]
    if found:
        start, word = min(found)
        line, column = syntax.position(start)
        raise Forbidden(
            f"line {line}, column {column}: {word} is not allowed here: this store asks no other server.",
            members={"line": line, "column": column},
        )
