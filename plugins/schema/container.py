"""The file of an index: a magic, a version, a checked header, and sections that are mapped, never read.

Layout: 8 bytes of magic, the version and the header's length (two 32-bit numbers), 16 bytes of BLAKE2b over the
header, the header (JSON: ``meta`` and, per section, offset, length and its BLAKE2b), then the sections, each at a
multiple of 8. Numbers are little-endian.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import struct
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from proxy.errors import ConfigError

MAGIC = b"SAGAIDX\n"
VERSION = 1
_HEAD = struct.Struct("<8sII16s")
_DIGEST_BYTES = 16
_HEADER_LIMIT = 16 * 1024 * 1024
_STEP_BYTES = 4 * 1024 * 1024

# A section is given in parts, so that none of them is copied.
Sections = Mapping[str, Iterable[bytes | bytearray | memoryview]]


class IndexDamaged(ConfigError):
    """The index file cannot be used: damaged, cut short, foreign, or of another version."""


class Container:
    """An opened file, or its bytes in memory."""

    def __init__(self, data: memoryview, name: str, mapped: mmap.mmap | None = None) -> None:
        """Check the file from its first to its last byte. Raises IndexDamaged."""
        self._data = data
        self._name = name
        self._mapped = mapped
        header = self._header()
        self.meta: dict[str, Any] = header["meta"]
        self._places: dict[str, tuple[int, int]] = {}
        end = 0
        for key, (offset, length, digest) in header["sections"].items():
            if offset + length > len(data):
                raise self.damaged("it is cut short")
            if _digest(data[offset : offset + length]).hex() != digest:
                raise self.damaged(f"its section {key} has changed since it was written")
            self._places[key] = (offset, length)
            end = max(end, offset + length)
        if len(data) - end >= 8:
            raise self.damaged("something was appended to it")

    def damaged(self, why: str) -> IndexDamaged:
        """Return the error that says what is wrong and what to do."""
        return IndexDamaged(f"{self._name}: {why}; build it again with `saga schema build --out {self._name}`")

    def section(self, key: str) -> memoryview:
        """Return the bytes of a section. Raises IndexDamaged where there is none."""
        if key not in self._places:
            raise self.damaged(f"it has no section {key}")
        offset, length = self._places[key]
        return self._data[offset : offset + length]

    def numbers(self, key: str, kind: Literal["B", "I", "Q"]) -> memoryview:
        """Return a section as an array: B, I or Q of the `struct` module. Raises IndexDamaged."""
        section = self.section(key)
        if len(section) % struct.calcsize(f"<{kind}"):
            raise self.damaged(f"its section {key} has a wrong length")
        return section.cast(kind)

    def close(self) -> None:
        """Let go of the file; what was taken from it cannot be used any more."""
        with contextlib.suppress(BufferError):
            # Arrays that somebody still holds keep the pages until they are collected.
            self._data.release()
            if self._mapped is not None:
                self._mapped.close()

    def _header(self) -> dict[str, Any]:
        data = self._data
        if len(data) < _HEAD.size or bytes(data[:8]) != MAGIC:
            raise IndexDamaged(
                f"{self._name} is not an index of Saga; "
                f"`saga schema build --out FILE` makes one, and an endpoint's `schema` key names it"
            )
        _, version, length, digest = _HEAD.unpack_from(data)
        if version != VERSION:
            raise self.damaged(f"it has version {version} of the format, this Saga reads version {VERSION}")
        if length > _HEADER_LIMIT or _HEAD.size + length > len(data):
            raise self.damaged("it is cut short")
        header = bytes(data[_HEAD.size : _HEAD.size + length])
        if _digest(header) != digest:
            raise self.damaged("its header has changed since it was written")
        return dict(json.loads(header))


def open_container(path: Path) -> Container:
    """Map a file. Raises IndexDamaged."""
    if sys.byteorder != "little":
        raise IndexDamaged(f"{path}: an index is for little-endian machines")
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise IndexDamaged(f"{path} is empty; build it again with `saga schema build --out {path}`")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise IndexDamaged(f"{path}: {why}; `saga schema build --out {path}` makes an index") from error
    view = memoryview(mapped)
    try:
        return Container(view, str(path), mapped)
    except IndexDamaged:
        with contextlib.suppress(BufferError):
            view.release()
            mapped.close()
        raise


def pack(meta: Mapping[str, Any], sections: Sections) -> list[bytes | bytearray | memoryview]:
    """Return a whole file in parts."""
    parts: list[bytes | bytearray | memoryview] = []
    places: list[tuple[str, int, int, str]] = []
    offset = 0
    for key, given in sections.items():
        hashed = hashlib.blake2b(digest_size=_DIGEST_BYTES)
        length = 0
        for part in given:
            hashed.update(part)
            length += memoryview(part).nbytes
            parts.append(part)
        places.append((key, offset, length, hashed.hexdigest()))
        pad = -length % 8
        parts.append(bytes(pad))
        offset += length + pad
    # Offsets are from the start of the file, so the header's own length is part of them: reserve room, then fill.
    room = len(_header_bytes(meta, places, 2**40)) + 8
    start = _HEAD.size + room
    start += -start % 8
    header = _header_bytes(meta, places, start).ljust(start - _HEAD.size)
    return [_HEAD.pack(MAGIC, VERSION, len(header), _digest(header)), header, *parts]


def write(path: Path, parts: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file as a whole or not at all, readable by whoever may read the folder. Raises ConfigError."""
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}: name a folder that exists and can be written") from error
    try:
        with open(descriptor, "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.replace(name, path)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise ConfigError(f"{path}: {error.strerror}") from error


def _header_bytes(meta: Mapping[str, Any], places: list[tuple[str, int, int, str]], start: int) -> bytes:
    sections = {key: (start + offset, length, digest) for key, offset, length, digest in places}
    return json.dumps({"meta": meta, "sections": sections}, ensure_ascii=True).encode()


def _digest(data: bytes | memoryview) -> bytes:
    hashed = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    view = memoryview(data)
    for start in range(0, len(view), _STEP_BYTES):
        hashed.update(view[start : start + _STEP_BYTES])
    return hashed.digest()
