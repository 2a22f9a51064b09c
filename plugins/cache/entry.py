"""One answer that is kept, and how its bytes are packed."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import zstandard

from proxy.results import Format

# A body is packed in slices of this size, each a frame of its own: a slow client of a large answer holds one of them
# unpacked, and no step takes longer than a tenth of a millisecond.
# Units: bytes.
SLICE_BYTES = 64 * 1024
# Source: perf.md section 4: below this, packing costs more than it saves.
SMALLEST_BYTES = 4 * 1024
_LEVEL = 3
# What Python's objects and two tables take per entry, beside its bytes: 920, measured with tracemalloc.
_OVERHEAD_BYTES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Hold one answer as its client got it. ``partial`` is why it is not whole: such a one is shared, never kept.

    Shapes: ``slices`` are the body in order, each of `SLICE_BYTES` but the last; with ``packed`` each is a frame of
    zstd. ``headers`` are those of the endpoint.
    Units: ``born`` is a time of the plugin's clock; ``fresh_s`` and ``stale_s`` are seconds from there, and from the
    end of the former; ``size`` is bytes as the endpoint gave them.
    """

    endpoint: str
    format: Format
    version: str | None
    headers: Mapping[str, str]
    etag: str
    slices: tuple[bytes, ...]
    packed: bool
    rows: int
    boolean: bool | None
    size: int
    partial: str | None
    born: float
    fresh_s: float
    stale_s: float

    @property
    def cost(self) -> int:
        """The memory that it takes, in bytes."""
        return _OVERHEAD_BYTES + sum(map(len, self.slices)) + sum(map(len, self.headers.values()))


class Packer:
    """Pack and unpack slices; one for all answers of a worker, since making one costs more than a slice."""

    def __init__(self) -> None:
        self._pack = zstandard.ZstdCompressor(level=_LEVEL).compress
        self._unpack = zstandard.ZstdDecompressor().decompress

    def pack(self, each: bytes | bytearray) -> bytes:
        """Pack a slice.

        The library makes its result as large as it could become and cuts it off, and the allocator finds no use for
        what was cut off: kept as it is, a slice of 1 kB holds 64. A copy is as large as it needs to be.
        """
        return bytes(memoryview(self._pack(each)))

    def chunks(self, entry: Entry) -> AsyncIterator[bytes]:
        """Return the body of an entry as it was, in slices."""
        return _Slices(entry.slices, self._unpack if entry.packed else _as_it_is)


class _Slices:
    """Unpack one slice at a time. A generator would do, at three times the cost for the usual single slice."""

    def __init__(self, slices: Sequence[bytes], unpack: Callable[[bytes], bytes]) -> None:
        self._slices = iter(slices)
        self._unpack = unpack

    def __aiter__(self) -> Self:
        """Return itself: a body is read once."""
        return self

    async def __anext__(self) -> bytes:
        """Return the next slice."""
        for each in self._slices:
            return self._unpack(each)
        raise StopAsyncIteration


def _as_it_is(each: bytes) -> bytes:
    return each


class Packing:
    """Pack a body as it comes. Unpacked, at most one slice is held."""

    def __init__(self, packer: Packer) -> None:
        self._packer = packer
        self._open = bytearray()
        self._slices: list[bytes] = []
        self._hash = hashlib.blake2b(digest_size=12)
        self.size = 0

    def add(self, chunk: bytes) -> None:
        """Take the next part of the body."""
        self.size += len(chunk)
        self._hash.update(chunk)
        self._open += chunk
        while len(self._open) >= SLICE_BYTES:
            self._slices.append(self._packer.pack(self._open[:SLICE_BYTES]))
            del self._open[:SLICE_BYTES]

    def etag(self, fmt: Format) -> str:
        """Return the name of the body. Weak, since it may go out in several codings.

        Source: RFC 9110 section 8.8.3.
        """
        return f'W/"{fmt.short_name}-{self._hash.hexdigest()}"'

    def finish(self) -> tuple[tuple[bytes, ...], bool]:
        """Return the slices, and whether they are packed."""
        if not self._slices and len(self._open) < SMALLEST_BYTES:
            return (bytes(self._open),) if self._open else (), False
        if self._open:
            self._slices.append(self._packer.pack(self._open))
        return tuple(self._slices), True
