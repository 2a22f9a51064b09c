"""An entry as bytes, for Redis; and back, where the bytes are to be trusted as little as any from outside."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import zstandard
from multidict import CIMultiDict

from plugins.cache.entry import SLICE_BYTES, Entry
from proxy.results import Format

# Changed whenever the layout changes: older and newer workers then miss instead of misreading.
_MAGIC = b"SAGA2\n"
_DIGEST_BYTES = 16


class BadRecord(ValueError):
    """The bytes are no entry of ours."""


def written(entry: Entry, now: float, wall: float) -> bytes:
    """Return an entry as bytes: a mark, a hash of the rest, a line of JSON, the slices.

    Units: ``now`` is the time of the plugin's clock, ``wall`` the same moment in seconds since 1970.
    """
    head = {
        "endpoint": entry.endpoint,
        "format": entry.format.name,
        "version": entry.version,
        "headers": list(entry.headers.items()),
        "etag": entry.etag,
        "slices": [len(each) for each in entry.slices],
        "packed": entry.packed,
        "rows": entry.rows,
        "boolean": entry.boolean,
        "size": entry.size,
        "born": wall - (now - entry.born),
        "fresh_s": entry.fresh_s,
        "stale_s": entry.stale_s,
    }
    rest = b"".join((json.dumps(head).encode(), b"\n", *entry.slices))
    return _MAGIC + hashlib.blake2b(rest, digest_size=_DIGEST_BYTES).digest() + rest


def read(record: bytes, now: float, wall: float) -> Entry:
    """Return the entry. Raises BadRecord for bytes that are not whole, or not ours."""
    start = len(_MAGIC) + _DIGEST_BYTES
    rest = record[start:]
    digest = hashlib.blake2b(rest, digest_size=_DIGEST_BYTES).digest()
    if record[:start] != _MAGIC + digest:
        raise BadRecord("no record of this version, or a damaged one")
    line, _, body = rest.partition(b"\n")
    try:
        return _entry(json.loads(line), body, now, wall)
    except (ValueError, KeyError, TypeError, AttributeError, zstandard.ZstdError) as error:
        raise BadRecord(f"a record that cannot be read: {error!r}") from error


def _entry(head: dict[str, Any], body: bytes, now: float, wall: float) -> Entry:
    packed = bool(head["packed"])
    slices = _cut(body, head["slices"])
    if packed and any(zstandard.frame_content_size(each) > SLICE_BYTES for each in slices):
        raise BadRecord("a slice that is too large")
    return Entry(
        endpoint=str(head["endpoint"]),
        format=Format[head["format"]],
        version=None if head["version"] is None else str(head["version"]),
        headers=CIMultiDict((str(name), str(value)) for name, value in head["headers"]),
        etag=str(head["etag"]),
        slices=slices,
        packed=packed,
        rows=int(head["rows"]),
        boolean=head["boolean"],
        size=int(head["size"]),
        partial=None,
        # Clocks of two machines differ: nothing is younger than now.
        born=now - max(0.0, wall - float(head["born"])),
        fresh_s=float(head["fresh_s"]),
        stale_s=float(head["stale_s"]),
    )


def _cut(body: bytes, lengths: list[int]) -> tuple[bytes, ...]:
    slices, start = [], 0
    for length in lengths:
        slices.append(body[start : start + length])
        start += length
    if start != len(body):
        raise BadRecord("slices that do not add up")
    return tuple(slices)
