"""The pages of the guard: /validate judges a query that does not run, /schema shows a property or a class."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from plugins.schema.desk import Desk
from plugins.schema.findings import Report
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, Property, Side
from proxy.contract import Context, Dataset, Route
from proxy.errors import BadQuery, BadRequest, NotFound, UnsupportedMedia
from proxy.syntax import Syntax, read

_FORM = "application/x-www-form-urlencoded"
_QUERY = "application/sparql-query"
_LARGE_TEXT = 64 * 1024
_NO_INDEX = "no schema index for this endpoint; `saga schema build` makes one"


class Pages:
    """Routes that look at what the guard holds."""

    def __init__(self, desks: Mapping[str, Desk]) -> None:
        self._desks = desks
        self._context: Context | None = None

    def open(self, context: Context) -> None:
        """Take what the application gives."""
        self._context = context

    def routes(self) -> Sequence[Route]:
        """Return both pages, for the default endpoint and by name."""
        found = []
        for tail in ("", "/{endpoint}"):
            for method in ("GET", "POST", "QUERY"):
                found.append(Route(method=method, path=f"/validate{tail}", handler=self._validate))
            found.append(Route(method="GET", path=f"/schema{tail}", handler=self._schema))
        return found

    async def _validate(self, request: web.Request) -> web.Response:
        name = self._endpoint(request)
        fields = await _fields(request)
        if not fields.get("query"):
            raise BadRequest("There is no `query` to check.")
        desk = self._desks.get(name)
        if desk is None:
            return _json(Report(checked=False, reason=_NO_INDEX).document())
        try:
            syntax = await self._read(name, str(fields["query"][0]))
        except BadQuery as error:
            return _json(Report(checked=False, reason=error.detail).document())
        dataset = Dataset(
            default=tuple(fields.get("default-graph-uri", ())), named=tuple(fields.get("named-graph-uri", ()))
        )
        return _json((await desk.judge(syntax, dataset)).document())

    async def _schema(self, request: web.Request) -> web.Response:
        desk = self._desks.get(self._endpoint(request))
        wanted = request.rel_url.query.get("id", "")
        if desk is None:
            raise NotFound(f"There is {_NO_INDEX}.")
        if not wanted:
            raise BadRequest("Say which property or class: `?id=P31`, or its IRI.")
        prop, info = desk.index.property(wanted), desk.index.class_info(wanted)
        if prop is None and info is None:
            raise NotFound(f"The schema index has neither a property nor a class {wanted[:200]!r}.")
        return _json(described(desk.index, prop, info))

    def _endpoint(self, request: web.Request) -> str:
        assert self._context is not None
        name = request.match_info.get("endpoint") or next(iter(self._context.endpoints))
        if name not in self._context.endpoints:
            raise NotFound(f"There is no endpoint {name!r}; there are {', '.join(self._context.endpoints)}.")
        return name

    async def _read(self, name: str, text: str) -> Syntax:
        """Read a text with the prefixes that its endpoint implies."""
        assert self._context is not None
        reading = functools.partial(read, text, prefixes=self._context.prefixes[name])
        return await asyncio.to_thread(reading) if len(text) > _LARGE_TEXT else reading()


async def _fields(request: web.Request) -> dict[str, list[str]]:
    """Return the fields of a request, sent in any way in which /sparql takes a query."""
    found: dict[str, list[str]] = {}
    for name, value in request.rel_url.query.items():
        found.setdefault(name, []).append(value)
    if request.method == "GET":
        return found
    if request.content_type == _QUERY:
        try:
            found["query"] = [(await request.read()).decode()]
        except UnicodeDecodeError:
            raise BadRequest("The body is not UTF-8.") from None
    elif request.content_type == _FORM:
        for name, sent in (await request.post()).items():
            found.setdefault(name, []).append(str(sent))
    else:
        raise UnsupportedMedia(f"Send the query as {_FORM}, or as it is with Content-Type {_QUERY}.")
    return found


def described(index: Index, prop: Property | None, info: ClassInfo | None) -> dict[str, Any]:
    """Return what the index says of a property, or else of a class."""
    if prop is not None:
        return {
            "kind": "property",
            "id": prop.id,
            "iri": prop.iri,
            "label": prop.label,
            "description": prop.description,
            "aliases": list(prop.aliases),
            "value": prop.kind,
            "domain": _side(index, prop.domain),
            "range": _side(index, prop.range),
            "qualifiers": list(prop.qualifiers),
            "inverse": prop.inverse,
            "usage": prop.usage,
        }
    assert info is not None
    above = [_class(index, each) for each in index.hierarchy.parents(info.iri)]
    texts = {"label": info.label, "description": info.description}
    return {"kind": "class", "id": info.id, "iri": info.iri, **texts, "superclasses": above}


def _side(index: Index, side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "classes": [_class(index, each) for each in side.classes],
        "relation": side.relation,
        "status": side.status,
        "exceptions": len(side.exceptions),
        "source": side.source,
        "support": side.support,
        "share": side.share,
    }


def _class(index: Index, iri: str) -> dict[str, str]:
    info = index.class_info(iri)
    return {"id": info.id, "label": info.label} if info else {"id": iri, "label": ""}


def _json(document: dict[str, Any]) -> web.Response:
    return web.Response(
        body=json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"), content_type="application/json"
    )
