"""The page /search: candidates for a text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from aiohttp import web

from plugins.search.desk import Consulted, Desk
from plugins.search.hit import KINDS, LANGUAGE, LIMIT, MOST_HITS, Kind
from proxy.contract import Context, Route
from proxy.errors import BadRequest, NotFound

MOST_CHARS = 1_000
_KNOWN = ("q", "kind", "language", "limit")


class Pages:
    """The routes of the search."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self._desks = desks
        self._context: Context | None = None

    def open(self, context: Context) -> None:
        """Take what the application gives."""
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return the page for the default endpoint and by name."""
        return [Route(method="GET", path=path, handler=self._search) for path in ("/search", "/search/{endpoint}")]

    async def _search(self, request: web.Request) -> web.Response:
        name = self._endpoint(request)
        fields = _fields(request)
        text = _asked_text(fields)
        kind, language, limit = _kind(fields), _language(fields), _limit(fields)
        found = await self._desks[name].search(text, kind, language, limit)
        document = {
            "endpoint": name,
            "candidates": [hit.document() for hit in found.hits],
            "sources": [_source(each) for each in found.consulted],
        }
        body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
        return web.Response(body=body, content_type="application/json")

    def _endpoint(self, request: web.Request) -> str:
        assert self._context is not None
        name = request.match_info.get("endpoint") or next(iter(self._context.endpoints))
        if name not in self._desks:
            raise NotFound(f"There is no endpoint {name[:100]!r}; there are {', '.join(self._context.endpoints)}.")
        return name


def _fields(request: web.Request) -> dict[str, str]:
    """Return the parameters, each of them known and once."""
    found: dict[str, str] = {}
    for name, value in request.rel_url.query.items():
        if name not in _KNOWN:
            raise BadRequest(f"There is no parameter {name[:50]!r}; there are {', '.join(_KNOWN)}.")
        if name in found:
            raise BadRequest(f"`{name}` stands there twice.")
        found[name] = value
    return found


def _asked_text(fields: Mapping[str, str]) -> str:
    text = fields.get("q", "").strip()
    if not text:
        raise BadRequest("Say what to search for: `?q=Berlin`.")
    if len(text) > MOST_CHARS:
        raise BadRequest(f"`q` has {len(text):,} characters; at most {MOST_CHARS:,} are searched for.")
    return text


def _kind(fields: Mapping[str, str]) -> Kind | None:
    wanted = fields.get("kind", "")
    if not wanted:
        return None
    for kind in KINDS:
        if kind == wanted:
            return kind
    raise BadRequest(f"`kind` is {' or '.join(KINDS)}, not {wanted[:50]!r}.")


def _language(fields: Mapping[str, str]) -> str:
    language = fields.get("language", "").strip()
    if language and not LANGUAGE.fullmatch(language):
        raise BadRequest(f"`language` is a tag such as `en` or `zh-hans`, not {language[:50]!r}.")
    return language.lower()


def _limit(fields: Mapping[str, str]) -> int:
    wanted = fields.get("limit", str(LIMIT))
    if not (wanted.isascii() and wanted.isdigit() and len(wanted) < 10 and 1 <= int(wanted) <= MOST_HITS):
        raise BadRequest(f"`limit` is a number from 1 to {MOST_HITS}, not {wanted[:50]!r}.")
    return int(wanted)


def _source(consulted: Consulted) -> dict[str, str]:
    shown: dict[str, str] = {"source": consulted.source, "state": consulted.state}
    return {**shown, "detail": consulted.detail} if consulted.detail else shown
