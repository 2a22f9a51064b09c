"""Turn an answer from one format into another while it streams past."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from proxy.errors import NotAcceptable
from proxy.results.ahead import Ahead
from proxy.results.formats import Format
from proxy.results.solution_readers import SOLUTION_READERS, SolutionReader
from proxy.results.solution_writers import SOLUTION_WRITERS, SolutionWriter
from proxy.results.state import State
from proxy.results.statement_readers import STATEMENT_READERS
from proxy.results.statement_writers import STATEMENT_WRITERS
from proxy.results.terms import Solution
from proxy.syntax import Form

# So much is read and written at once: some milliseconds.
# Units: bytes.
_SLICE_BYTES = 16 * 1024
_SILENCE_S = 0.05
# Rows that come before the list of variables are kept up to this number; only a table needs the list first.
_EARLY_ROWS = 10_000


def can_transcode(source: Format, target: Format, form: Form) -> bool:
    """Whether an answer in one format can be given in another.

    CSV loses what kind of term a value is, and JSON-LD needs its contexts: neither is read. A table has no place for
    the Boolean of an ASK.
    """
    if form is Form.ASK and target in (Format.CSV, Format.TSV):
        return False
    if source is target:
        return True
    solutions = source in SOLUTION_READERS and target in SOLUTION_WRITERS
    return solutions or (source in STATEMENT_READERS and target in STATEMENT_WRITERS)


def transcoded(chunks: AsyncIterator[bytes], source: Format, target: Format, form: Form) -> AsyncIterator[bytes]:
    """Return the answer in another format. Blank node labels stay consistent; memory holds one slice.

    Raises: NotAcceptable here, or while streaming where a single term does not fit the format; Truncated for a source
    that is not whole; errors of the source pass. In all these cases the output stops without its end.
    """
    if not can_transcode(source, target, form):
        raise NotAcceptable(f"An answer in {source.media_type} cannot be turned into {target.media_type}.")
    if source is target:
        return chunks
    if source in SOLUTION_READERS:
        return _solutions(chunks, SOLUTION_READERS[source](State()), SOLUTION_WRITERS[target]())
    return _statements(chunks, source, target)


async def rows(chunks: AsyncIterator[bytes], source: Format) -> AsyncIterator[Solution]:
    """Yield the solutions of an answer: from variable to term, unbound ones absent.

    Raises: NotAcceptable for a format whose terms are not told apart; Truncated for a source that is not whole.
    """
    if source not in SOLUTION_READERS:
        raise NotAcceptable(f"The terms of an answer in {source.media_type} cannot be read.")
    reader = SOLUTION_READERS[source](State())
    async for part in _slices(chunks):
        reader.feed(part) if part else reader.hurry()
        found, reader.solutions = reader.solutions, []
        for solution in found:
            yield solution
    reader.finish()
    for solution in reader.solutions:
        yield solution


async def _slices(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Cut large chunks, and let others run between the slices; an empty one says that for now no more comes."""
    source, clock = Ahead(chunks), asyncio.get_running_loop().time
    try:
        while (chunk := await source.take()) is not None:
            yield chunk[:_SLICE_BYTES]
            for start in range(_SLICE_BYTES, len(chunk), _SLICE_BYTES):
                await asyncio.sleep(0)
                yield chunk[start : start + _SLICE_BYTES]
            if not await source.comes(clock() + _SILENCE_S):
                yield b""
    finally:
        await source.aclose()


def _encoded(text: str) -> bytes:
    # JSON can say half of a surrogate pair; UTF-8 cannot.
    return text.encode(errors="replace")


async def _solutions(
    chunks: AsyncIterator[bytes], reader: SolutionReader, writer: SolutionWriter
) -> AsyncIterator[bytes]:
    output = _Table(reader, writer)
    async for part in _slices(chunks):
        reader.feed(part) if part else reader.hurry()
        if text := output.ready():
            yield _encoded(text)
    reader.finish()
    yield _encoded(output.rest())


class _Table:
    """Write the solutions of a reader, as soon as its variables are known."""

    def __init__(self, reader: SolutionReader, writer: SolutionWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._started = False

    def ready(self) -> str:
        """Return what can be written now: the head goes out with the first rows."""
        found = self._reader.solutions
        if not found:
            return ""
        header = self._reader.header
        if header is None:
            if len(found) > _EARLY_ROWS:
                raise NotAcceptable("The endpoint sends its rows before its variables; ask for the format it gives.")
            return ""
        self._reader.solutions = []
        return self._start(header) + self._writer.rows(found)

    def rest(self) -> str:
        """Return the end, and whatever was not written yet."""
        boolean = self._reader.state.boolean
        if boolean is not None:
            return self._writer.boolean(boolean)
        return self.ready() + self._start(self._reader.header or []) + self._writer.end()

    def _start(self, header: list[str]) -> str:
        if self._started:
            return ""
        self._started = True
        return self._writer.start(header)


async def _statements(chunks: AsyncIterator[bytes], source: Format, target: Format) -> AsyncIterator[bytes]:
    reader = STATEMENT_READERS[source](State())
    writer = STATEMENT_WRITERS[target]()
    start = writer.start()
    async for part in _slices(chunks):
        reader.feed(part) if part else reader.hurry()
        found, reader.statements = reader.statements, []
        if found:
            yield _encoded(start + writer.statements(found))
            start = ""
    reader.finish()
    yield _encoded(start + writer.statements(reader.statements) + writer.end())
