"""A search API on another machine, of the shape of Wikidata's wbsearchentities.

Source: MediaWiki API help, module wbsearchentities: `search` is a list of objects with id, concepturi, label,
description and match.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote

import aiohttp

from plugins.search.hit import KINDS, Hit, Kind
from plugins.search.matching import in_order
from plugins.search.patience import Patience
from proxy.errors import UpstreamBusy, UpstreamFailed

_LARGEST_BYTES = 1024 * 1024
_MOST_CHARS = 250
_MOST_HITS = 50
_TEXT_CHARS = 1_000
_WAIT_S, _LONGEST_WAIT_S = 5.0, 300.0
_TYPES: dict[Kind, str] = {"entity": "item", "property": "property"}
_IRI = re.compile(r"https?://[^\s<>\"{}|\\^`\x00-\x20]{1,500}")
_ID = re.compile(r"[\w:.-]{1,100}")


class Remote:
    """Ask a search API, a few questions at a time."""

    def __init__(
        self, session: aiohttp.ClientSession, address: str, seconds: float, concurrency: int, clock: Callable[[], float]
    ) -> None:
        self._session = session
        self._address = address
        self._patience = Patience("The remote search", seconds, concurrency, clock)

    async def find(self, text: str, kind: Kind | None, language: str, limit: int) -> list[Hit]:
        """Return hits in the order of the API, items and properties in turn. Raises UpstreamError."""
        async with self._patience.turn():
            try:
                found: list[Hit] = []
                for each in KINDS if kind is None else (kind,):
                    found += await self._asked(text, each, language, limit)
            except (aiohttp.ClientError, OSError, ValueError) as error:
                # Also ValueError: addresses and encodings that no server should send us to.
                raise UpstreamFailed("The remote search cannot be reached.", private=repr(error)) from error
        return in_order(found)[:limit]

    async def _asked(self, text: str, kind: Kind, language: str, limit: int) -> list[Hit]:
        address = self._address.format(
            text=quote(text[:_MOST_CHARS].encode("utf-8", "replace"), safe=""),
            language=quote(language or "en", safe=""),
            kind=_TYPES[kind],
            limit=min(limit, _MOST_HITS),
        )
        # No redirects: the operator named one server.
        async with self._session.get(address, allow_redirects=False) as reply:
            if reply.status in (429, 503):
                wait_s = _seconds(reply.headers.get("Retry-After", ""))
                raise UpstreamBusy(
                    "The remote search asks us to wait.", headers={"Retry-After": str(math.ceil(wait_s))}
                )
            if reply.status != 200:
                raise UpstreamFailed(f"The remote search answered with status {reply.status}.")
            body = bytearray()
            async for chunk in reply.content.iter_chunked(65_536):
                body += chunk
                if len(body) > _LARGEST_BYTES:
                    raise UpstreamFailed("The remote search answered with more than a megabyte.")
        return _hits(bytes(body), kind, limit)


def _hits(body: bytes, kind: Kind, limit: int) -> list[Hit]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise UpstreamFailed("The remote search answered with something that is not JSON.") from error
    listed = found.get("search") if isinstance(found, dict) else None
    if not isinstance(listed, list):
        raise UpstreamFailed("The remote search answered without a list of results.", private=repr(found)[:200])
    hits = [_hit(each, kind, place) for place, each in enumerate(listed[:limit]) if isinstance(each, dict)]
    return [hit for hit in hits if hit is not None]


def _hit(found: Mapping[str, Any], kind: Kind, place: int) -> Hit | None:
    """Return one result, or None where it does not say what it is."""
    name, iri = _text(found, "id"), _text(found, "concepturi")
    if not _ID.fullmatch(name) or not _IRI.fullmatch(iri):
        return None
    match = found.get("match")
    match = match if isinstance(match, dict) else {}
    return Hit(
        id=name,
        iri=iri,
        kind=kind,
        match="remote",
        source="remote",
        label=_text(found, "label"),
        text=_text(match, "text") or _text(found, "label"),
        language=_text(match, "language"),
        description=_text(found, "description"),
        # Their order is all that they tell; an entity may not push every property out.
        score=0.25 / (1 + place),
    )


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value.encode("utf-8", "replace").decode()[:_TEXT_CHARS] if isinstance(value, str) else ""


def _seconds(text: str) -> float:
    """Return the seconds of a Retry-After; a date or nonsense counts as the usual pause."""
    return min(float(text), _LONGEST_WAIT_S) if text.isascii() and text.isdigit() else _WAIT_S
