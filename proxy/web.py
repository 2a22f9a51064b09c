"""The HTTP edge: /sparql, health, metrics; the one place where errors become HTTP."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType

from aiohttp import HttpVersion11, web
from aiohttp.typedefs import Handler as AiohttpHandler
from aiohttp.typedefs import Middleware

from proxy import protocol
from proxy.body import read_body, refuse_length
from proxy.callers import Callers
from proxy.contract import CALLER, REQUEST_ID, STARTED, Query, Route, Run
from proxy.description import describe
from proxy.errors import (
    BadRequest,
    Forbidden,
    MethodNotAllowed,
    NotFound,
    ProxyError,
    TooLarge,
)
from proxy.observe import QueryMetrics, event, take_request_id
from proxy.results.formats import Format
from proxy.settings import EndpointTable, Settings
from proxy.streaming import break_connection, send
from proxy.syntax import Form, Limits, Syntax, read
from proxy.targets import refuse_targets

METHODS = ("GET", "HEAD", "POST", "QUERY", "OPTIONS")
_HINTS = ("cache-control", "if-none-match", "saga-guard", "traceparent", "tracestate", "user-agent")
_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
_LARGE_TEXT = 64 * 1024


class SparqlPages:
    """Answer the SPARQL 1.1 Protocol at /sparql, /sparql/{endpoint} and the configured aliases."""

    def __init__(
        self,
        settings: Settings,
        prefixes: Mapping[str, Mapping[str, str]],
        callers: Callers,
        queries: QueryMetrics,
        run: Run,
    ) -> None:
        self._settings = settings
        self._prefixes = prefixes
        self._callers = callers
        self._queries = queries
        self._run = run
        self._limits = Limits(max_bytes=settings.server.max_query_bytes)

    def routes(self) -> Sequence[Route]:
        """Return every path under which an endpoint is served."""
        default = next(iter(self._settings.endpoints))
        names = {"/sparql": default, **{f"/sparql/{name}": name for name in self._settings.endpoints}}
        for name, table in self._settings.endpoints.items():
            names.update(dict.fromkeys(table.aliases, name))
        pages = []
        for path, name in names.items():
            page = _Page(self, name)
            for spelling in (path, path.rstrip("/") + "/"):
                # Which right is needed is known only once the text was read.
                pages += [
                    Route(method=method, path=spelling, handler=page.answer, right=None)
                    for method in METHODS
                    if method != "OPTIONS"
                ]
        return pages

    async def answer(self, request: web.Request, name: str) -> web.StreamResponse:
        """Read the request, run the query through the chain, and stream the reply."""
        form = Form.OTHER
        try:
            operation = await self._operation(request)
            if operation.kind == "description":
                return await self._describe(request, name)
            syntax = await self._read(name, operation)
            form = syntax.form
            query = self._query(request, name, operation, syntax)
            self._permit(query, self._settings.endpoints[name])
        except ProxyError as error:
            self._queries.refused(name, error, form)
            raise
        if request.method == "HEAD":
            refuse_targets(query, self._settings.endpoints[name])
            return web.Response(headers=_described(query.formats[0]))
        return await send(request, await self._run(query))

    async def _operation(self, request: web.Request) -> protocol.Operation:
        query_string = request.rel_url.raw_query_string
        if "#" in request.raw_path:
            raise BadRequest("The address holds a raw `#`, behind which everything is lost; write it as %23.")
        if request.method in ("GET", "HEAD"):
            return protocol.parse_get(query_string)
        content_type = request.headers.get("Content-Type", "")
        operation = protocol.parse_post(query_string, content_type, await read_body(request, self._settings.server))
        if request.method == "QUERY" and operation.kind == "update":
            raise BadRequest("QUERY only reads; send an update with POST.")
        return operation

    async def _read(self, name: str, operation: protocol.Operation) -> Syntax:
        reading = functools.partial(read, operation.text, prefixes=self._prefixes[name], limits=self._limits)
        # A long text is read in a thread, so that other requests go on meanwhile.
        syntax = await asyncio.to_thread(reading) if len(operation.text) > _LARGE_TEXT else reading()
        if syntax.is_update != (operation.kind == "update"):
            sent, kind = ("`query`", "an update") if syntax.is_update else ("`update`", "a query")
            raise BadRequest(f"{sent} holds {kind}; send it as {'`update`' if syntax.is_update else '`query`'}.")
        if syntax.is_update and operation.dataset and syntax.datasets:
            raise BadRequest("The update says USING or WITH; leave out using-graph-uri and using-named-graph-uri.")
        return syntax

    def _query(self, request: web.Request, name: str, operation: protocol.Operation, syntax: Syntax) -> Query:
        table = self._settings.endpoints[name]
        return Query(
            id=request[REQUEST_ID],
            endpoint=name,
            syntax=syntax,
            formats=() if syntax.is_update else self._formats(request, operation.format, syntax.form),
            caller=request[CALLER],
            dataset=operation.dataset,
            timeout_s=min(operation.timeout_s, table.total_s) if operation.timeout_s else None,
            version=protocol.version(request.headers.get("Accept", "")),
            hints=_hints(request),
        )

    def _permit(self, query: Query, table: EndpointTable) -> None:
        """Let the query pass by the caller's rights."""
        if query.form is not Form.UPDATE:
            self._callers.demand(query.caller, "query")
        elif not table.updates:
            raise Forbidden(f"The endpoint `{query.endpoint}` takes no updates (`updates = true` would allow them).")
        else:
            self._callers.demand_update(query.caller)

    async def _describe(self, request: web.Request, name: str) -> web.Response:
        target = self._formats(request, None, Form.CONSTRUCT)[0]
        base = self._settings.server.public_url.rstrip("/") or _origin(request)
        body = await describe(self._settings.endpoints[name], base + request.path, target)
        return web.Response(body=body, headers=_described(target))

    def _formats(self, request: web.Request, wanted: str | None, form: Form) -> tuple[Format, ...]:
        accept = ", ".join(request.headers.getall("Accept", ()))
        return protocol.formats(accept, wanted, form, strict=self._settings.server.strict_accept)


def _origin(request: web.Request) -> str:
    """Return the address that the client used, or our own where it names none that can stand in an IRI."""
    host = request.headers.get("Host", "")
    if _HOST.fullmatch(host):
        return f"{request.scheme}://{host}"
    socket_name = request.transport.get_extra_info("sockname") if request.transport else None
    name, port = (socket_name or ("localhost", 80))[:2]
    return f"{request.scheme}://[{name}]:{port}" if ":" in name else f"{request.scheme}://{name}:{port}"


def expectation(limit: int) -> Callable[[web.Request], Awaitable[web.StreamResponse | None]]:
    """Return the answer to `Expect: 100-continue`: a client that asks first is told first.

    Source: RFC 9110 section 10.1.1.
    """

    async def answer(request: web.Request) -> web.StreamResponse | None:
        request[REQUEST_ID] = take_request_id(request.headers.get("X-Request-Id"))
        try:
            refuse_length(request, limit)
        except TooLarge as error:
            return _logged(error, request)
        if request.headers["Expect"].lower() == "100-continue" and request.version >= HttpVersion11:
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            # Not part of the response, whose size tells whether it has begun.
            request.writer.output_size = 0
        return None

    return answer


def _hints(request: web.Request) -> Mapping[str, str]:
    """Return what plugins may read. A condition counts only where nothing is changed (RFC 9110 section 13.1.2)."""
    taken = _HINTS if request.method in ("GET", "QUERY") else [h for h in _HINTS if h != "if-none-match"]
    return MappingProxyType({name: request.headers[name] for name in taken if name in request.headers})


def _described(target: Format) -> dict[str, str]:
    """Return the headers of an answer that runs nothing."""
    return {
        "Content-Type": target.content_type,
        "Vary": "Accept, Accept-Encoding",
    }


class _Page:
    """One path, bound to the endpoint that it serves."""

    def __init__(self, pages: SparqlPages, name: str) -> None:
        self._pages = pages
        self._name = name

    async def answer(self, request: web.Request) -> web.StreamResponse:
        return await self._pages.answer(request, self._name)


def guarded(route: Route, callers: Callers) -> AiohttpHandler:
    """Return the route's handler behind the check of its right."""

    async def handler(request: web.Request) -> web.StreamResponse:
        if route.right is not None:
            callers.demand(request[CALLER], route.right)
        return await route.handler(request)

    return handler


def problem(error: ProxyError, request_id: str) -> web.Response:
    """Return the response for an error. The only builder of error responses.

    Source: RFC 9457.
    """
    document = {
        "type": "about:blank",
        "title": error.title,
        "status": error.status,
        "code": error.code,
        "detail": error.detail,
        "request_id": request_id,
        **error.members,
    }
    response = web.Response(
        status=error.status,
        body=json.dumps(document, ensure_ascii=False).encode("utf-8", "replace"),
        headers={"Content-Type": "application/problem+json", "Cache-Control": "no-store", **error.headers},
    )
    if error.headers.get("Connection") == "close":
        response.force_close()
    return response


def edge(callers: Callers) -> Middleware:
    """Return the middleware around every page: request id, caller, preflight, errors."""

    @web.middleware
    async def middleware(request: web.Request, handler: AiohttpHandler) -> web.StreamResponse:
        request[REQUEST_ID] = take_request_id(request.headers.get("X-Request-Id"))
        if request.method == "OPTIONS":
            return web.Response(status=204, headers={"Allow": ", ".join(METHODS)})
        try:
            request[CALLER] = callers.identify(
                request.remote or "", request.headers.get("X-Forwarded-For"), request.headers.get("Authorization")
            )
            return await handler(request)
        except ProxyError as error:
            return _logged(error, request)
        except web.HTTPMethodNotAllowed as error:
            allowed = ", ".join(sorted({*error.allowed_methods, "OPTIONS"}))
            detail = f"{request.path} takes {allowed}, not {request.method}."
            return _logged(MethodNotAllowed(detail, headers={"Allow": allowed}), request)
        except web.HTTPNotFound:
            return _logged(NotFound(f"There is no page {request.path}. SPARQL is at /sparql."), request)
        except Exception:
            event("request.failed", logging.ERROR, path=request.path)
            logging.getLogger("saga.traceback").exception("request failed")
            if request.get(STARTED):
                break_connection(request)
            return problem(ProxyError("An error of the proxy itself; it is in its log."), request[REQUEST_ID])

    return middleware


def _logged(error: ProxyError, request: web.Request) -> web.Response:
    if error.status >= 500:
        fields = {"detail": error.detail, "private": error.private}
        event("request.failed", logging.WARNING, code=error.code, status=error.status, **fields)
    else:
        # The detail may repeat words of the query, which are the client's.
        event("request.refused", logging.DEBUG, code=error.code, status=error.status)
    return problem(error, request[REQUEST_ID])
