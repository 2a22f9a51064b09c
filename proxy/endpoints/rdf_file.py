"""RDF files as they lie around: which format, and how they are compressed."""

from __future__ import annotations

import bz2
import io
import lzma
import sys
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

import pyoxigraph
import zstandard

from proxy.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

FORMATS = {
    "nt": pyoxigraph.RdfFormat.N_TRIPLES,
    "nq": pyoxigraph.RdfFormat.N_QUADS,
    "ttl": pyoxigraph.RdfFormat.TURTLE,
    "trig": pyoxigraph.RdfFormat.TRIG,
    "n3": pyoxigraph.RdfFormat.N3,
    "rdf": pyoxigraph.RdfFormat.RDF_XML,
    "jsonld": pyoxigraph.RdfFormat.JSON_LD,
}
_SUFFIXES = {
    "ntriples": "nt",
    "nquads": "nq",
    "turtle": "ttl",
    "owl": "rdf",
    "rdfs": "rdf",
    "xml": "rdf",
    "rdfxml": "rdf",
    "json": "jsonld",
}
_COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz")
_STDIN = "-"
_BLOCK_BYTES = 256 * 1024
_WINDOW_BYTES = 2**31  # what `zstd --long=31` writes


@dataclass(frozen=True, slots=True, kw_only=True)
class RdfFile:
    """One file to load, or standard input where ``path`` is None.

    Units: ``size`` in bytes as it lies on the disk; 0 where nobody knows.
    """

    name: str
    path: Path | None
    format: pyoxigraph.RdfFormat
    size: int

    @property
    def names_graphs(self) -> bool:
        """Whether the format is for quads."""
        return self.format in (pyoxigraph.RdfFormat.N_QUADS, pyoxigraph.RdfFormat.TRIG)


def rdf_file(name: str, format_name: str | None) -> RdfFile:
    """Look at one argument of the command line. Raises UsageError."""
    if name == _STDIN:
        if format_name is None:
            raise UsageError(f"standard input has no name to tell its format by: add --format {'|'.join(FORMATS)}")
        return RdfFile(name="standard input", path=None, format=FORMATS[format_name], size=0)
    path = Path(name)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from error
    if path.is_dir():
        raise UsageError(f"{name} is a folder: name the files in it, as {name.rstrip('/')}/*.nt.gz")
    return RdfFile(name=name, path=path, format=_format(path, format_name), size=size)


def _format(path: Path, format_name: str | None) -> pyoxigraph.RdfFormat:
    if format_name is not None:
        return FORMATS[format_name]
    bare = path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path
    suffix = bare.suffix.lower().lstrip(".")
    fmt = FORMATS.get(_SUFFIXES.get(suffix, suffix))
    if fmt is None:
        raise UsageError(f"{path}: its name does not tell the format: add --format {'|'.join(FORMATS)}")
    return fmt


class Counted:
    """A file that counts what is read from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.read_bytes = 0

    def read(self, size: int = -1) -> bytes:
        """Read, and count."""
        data = self._file.read(size)
        self.read_bytes += len(data)
        return data

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def open_counted(file: RdfFile) -> Counted:
    """Open a file as it lies on the disk. Raises OSError."""
    return Counted(open(file.path, "rb") if file.path is not None else sys.stdin.buffer)


class _Decoder(Protocol):
    @property
    def eof(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /) -> bytes: ...


def _zstandard() -> _Decoder:
    return cast(_Decoder, zstandard.ZstdDecompressor(max_window_size=_WINDOW_BYTES).decompressobj())


def _gzip() -> _Decoder:
    return zlib.decompressobj(16 + zlib.MAX_WBITS)


# By their first bytes: names lie, and standard input has none.
_DECODERS: tuple[tuple[bytes, Callable[[], _Decoder]], ...] = (
    (b"\x1f\x8b", _gzip),
    (b"\x28\xb5\x2f\xfd", _zstandard),
    (b"BZh", bz2.BZ2Decompressor),
    (b"\xfd7zXZ\x00", lzma.LZMADecompressor),
)
_MAGIC_BYTES = 6


class Unpacked(io.RawIOBase):
    """The bytes inside a file, however it is compressed; several compressed parts in a row are one file.

    Reading raises EOFError where the file is cut short, and the decoder's own errors where it is damaged.
    """

    def __init__(self, raw: Counted) -> None:
        self._raw = raw
        self._waiting = raw.read(_MAGIC_BYTES)
        self._ready = memoryview(b"")
        self._make = next((make for magic, make in _DECODERS if self._waiting.startswith(magic)), None)
        self._decoder: _Decoder | None = None

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill the buffer with what is there."""
        while not self._ready:
            data = self._waiting or self._raw.read(_BLOCK_BYTES)
            self._waiting = b""
            if not data:
                if self._decoder is not None:
                    raise EOFError("the compressed file ends before its end: it was not copied whole")
                return 0
            self._ready = memoryview(self._decoded(data))
        view = memoryview(buffer).cast("B")
        size = min(len(view), len(self._ready))
        view[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decoded(self, data: bytes) -> bytes:
        if self._make is None:
            return data
        if self._decoder is None:
            data = data.lstrip(b"\0")  # tapes and some tools pad with zeros
            if not data:
                return b""
            self._decoder = self._make()
        out = self._decoder.decompress(data)
        if self._decoder.eof:
            self._waiting, self._decoder = self._decoder.unused_data, None
        return out
