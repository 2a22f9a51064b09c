"""Judge an answer while it streams past: whole, or broken."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Protocol

from proxy.errors import Truncated, UpstreamFailed, UpstreamTimeout
from proxy.results.ahead import Ahead
from proxy.results.csv_reader import CsvReader
from proxy.results.diagnosis import timed_out
from proxy.results.formats import Format
from proxy.results.json_reader import JsonReader
from proxy.results.jsonld_reader import JsonLdReader
from proxy.results.ntriples_reader import NTriplesReader
from proxy.results.rdfxml_reader import RdfXmlReader
from proxy.results.reader import Reader
from proxy.results.state import Completeness, State
from proxy.results.tsv_reader import TsvReader
from proxy.results.turtle_reader import TurtleReader
from proxy.results.xml_reader import XmlReader
from proxy.syntax import Form

# Until this much is there nothing is passed on, so that a small answer is judged before its first byte leaves and a
# bad one becomes a clean 502.
# Units: bytes.
HOLD_BYTES = 64 * 1024
# Nothing is held longer than this where no more comes: whoever waits for the next row sees those that are there.
HOLD_S = 0.25
# Later at least this much, or the newest chunk, is held: the end of a body only leaves when all of it was found good.
# Units: bytes.
_TAIL_BYTES = 4 * 1024
# So much is judged at once: below 10 ms in the slowest format, RDF/XML.
# Units: bytes.
_SLICE_BYTES = 64 * 1024


class Checker(Protocol):
    """Judge one body: `feed` every chunk, then `finish`. Counts rows into its State. Raises Truncated."""

    def feed(self, chunk: bytes) -> None:
        """Judge one more chunk, however the body was cut."""

    def hurry(self) -> None:
        """Judge what waits for the next chunk."""

    def finish(self) -> None:
        """Judge the end."""


_READERS: dict[Format, type[Reader]] = {
    Format.JSON: JsonReader,
    Format.XML: XmlReader,
    Format.CSV: CsvReader,
    Format.TSV: TsvReader,
    Format.NTRIPLES: NTriplesReader,
    Format.TURTLE: TurtleReader,
    Format.RDFXML: RdfXmlReader,
    Format.JSONLD: JsonLdReader,
}


def checker_for(fmt: Format, state: State) -> Checker:
    """Return a checker for one body."""
    return _READERS[fmt](state)


async def checked(
    chunks: AsyncIterator[bytes],
    fmt: Format,
    state: State,
    form: Form | None = None,
    *,
    hold_bytes: int = HOLD_BYTES,
    hold_s: float = HOLD_S,
) -> AsyncIterator[bytes]:
    """Pass an answer on as it comes, after it was judged; fill in its state.

    At first ``hold_bytes`` are held, later a small tail; and neither for longer than ``hold_s`` where no more comes.
    Units: decompressed bytes; seconds.
    Raises: Truncated as soon as the answer is seen not to be whole, UpstreamTimeout where it says that a time limit is
    why, UpstreamFailed where a query of this ``form`` cannot have such an answer. Errors of the source pass.
    """
    checker = checker_for(fmt, state)
    clock = asyncio.get_running_loop().time
    source = Ahead(chunks)
    held: deque[bytes] = deque()
    newest = b""
    waiting, until, opened, whole = 0, 0.0, False, False
    try:
        while True:
            if held and not state.arrived and not await source.comes(until):
                checker.hurry()
                # Before a row there is nothing to see, and a failure can still be told as one.
                opened = opened or state.rows > 0
                while opened and held:
                    waiting -= len(held[0])
                    yield _counted(held.popleft(), state)
            if (chunk := await source.take()) is None:
                break
            newest = chunk
            await _feed(checker, chunk)
            newest = b""
            until = until if held else clock() + hold_s
            held.append(chunk)
            waiting += len(chunk)
            opened = opened or waiting > hold_bytes
            while opened and waiting - len(held[0]) >= _TAIL_BYTES:
                waiting -= len(held[0])
                yield _counted(held.popleft(), state)
        checker.finish()
        _compare(fmt, state, form)
        whole = True
    except Truncated as error:
        if await timed_out(b"".join((*held, newest)), chunks):
            detail = "The endpoint stopped at its own time limit in the middle of its answer. Ask for less."
            raise UpstreamTimeout(detail, private=error.detail) from error
        raise
    finally:
        _judge(state, whole)
        await source.aclose()
    for chunk in held:
        yield _counted(chunk, state)


def _compare(fmt: Format, state: State, form: Form | None) -> None:
    """Raise UpstreamFailed for rows where a Boolean was asked for, or a Boolean where rows were."""
    if form is not None and not fmt.is_graph and (state.boolean is None) == (form is Form.ASK):
        given = "rows" if state.boolean is None else "a Boolean"
        raise UpstreamFailed(f"The endpoint answered {form.upper()} with {given}.")


def _judge(state: State, whole: bool) -> None:
    """Enter the verdict; an answer that its endpoint called partial stays so, as long as it is well formed."""
    if not whole:
        state.completeness = Completeness.BROKEN
    else:
        state.completeness = Completeness.PARTIAL if state.partial else Completeness.COMPLETE


def _counted(chunk: bytes, state: State) -> bytes:
    state.size += len(chunk)
    return chunk


async def _feed(checker: Checker, chunk: bytes) -> None:
    """Judge a chunk in slices, so that a large one does not stall the loop."""
    if len(chunk) <= _SLICE_BYTES:
        checker.feed(chunk)
        return
    view = memoryview(chunk)
    for start in range(0, len(chunk), _SLICE_BYTES):
        checker.feed(bytes(view[start : start + _SLICE_BYTES]))
        await asyncio.sleep(0)
