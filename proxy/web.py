"""The HTTP edge: /sparql, health, metrics; the one place where errors become HTTP."""

from __future__ import annotations

import asyncio
import functools
import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType

from aiohttp import HttpVersion11, web
from aiohttp.typedefs import Handler as AiohttpHandler

from proxy import protocol
from proxy.body import read_body, refuse_length
from proxy.callers import Callers
from proxy.contract import CALLER, REQUEST_ID, STARTED, Caller, Query, Route, Run
from proxy.description import describe, origin
from proxy.errors import (
    BadRequest,
    Forbidden,
    MethodNotAllowed,
    NotFound,
    ProxyError,
)
from proxy.local import from_this_machine
from proxy.logs import event, take_request_id
from proxy.observe import QueryMetrics
from proxy.results.formats import Format
from proxy.settings import Settings
from proxy.streaming import break_connection, send
from proxy.syntax import Form, Limits, Syntax, read
from proxy.targets import refuse_targets

METHODS = ("GET", "HEAD", "POST", "QUERY", "OPTIONS")
_HINTS = ("cache-control", "saga-guard", "traceparent", "tracestate", "user-agent")
_CONDITIONAL_HINTS = ("if-none-match", *_HINTS)
# So many requests are remembered, where address and body together have at most so many bytes.
_KEPT_REQUESTS = 1024
_KEPT_BYTES = 4000
_LARGE_BYTES = 64 * 1024


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
        # Equal requests mean the same: what each asks is read once.
        self._remembered = functools.lru_cache(_KEPT_REQUESTS)(self._understood)

    def routes(self) -> Sequence[Route]:
        """Return every path under which an endpoint is served."""
        default = next(iter(self._settings.endpoints))
        names = {"/sparql": default, **{f"/sparql/{name}": name for name in self._settings.endpoints}}
        for name, table in self._settings.endpoints.items():
            names.update(dict.fromkeys(table.aliases, name))
        pages = []
        for path, name in names.items():
            page = functools.partial(self.answer, name=name)
            for spelling in (path, path.rstrip("/") + "/"):
                # Which right is needed is known only once the text was read.
                pages += [
                    Route(method=method, path=spelling, handler=page, right=None)
                    for method in METHODS
                    if method != "OPTIONS"
                ]
        return pages

    async def answer(self, request: web.Request, name: str) -> web.StreamResponse:
        """Read the request, run the query through the chain, and stream the reply."""
        form = Form.OTHER
        try:
            _identify(request, self._callers)
            operation, syntax = await self._read(request, name)
            if syntax is None:
                return await self._describe(request, name)
            form = syntax.form
            query = self._query(request, name, operation, syntax)
            self._permit(request, query)
            if request.method == "HEAD":
                refuse_targets(query, self._settings.endpoints[name])
        except ProxyError as error:
            self._queries.refused(name, error, form)
            raise
        if request.method == "HEAD":
            return web.Response(headers=_described(query.formats[0]))
        return await send(request, await self._run(query))

    async def _read(self, request: web.Request, name: str) -> tuple[protocol.Operation, Syntax | None]:
        """Return what is asked, and its text as read; a request for the description has none."""
        if "#" in request.raw_path:
            raise BadRequest("The address holds a raw `#`, behind which everything is lost; write it as %23.")
        method, query_string = request.method, request.rel_url.raw_query_string
        content_type, body = "", b""
        if method not in ("GET", "HEAD"):
            content_type = request.headers.get("Content-Type", "")
            body = await read_body(request, self._settings.server)
        size = len(query_string) + len(body)
        if size <= _KEPT_BYTES:
            return self._remembered(name, method, query_string, content_type, body)
        if size <= _LARGE_BYTES:
            return self._understood(name, method, query_string, content_type, body)
        # A long text is read in a thread, so that other requests go on meanwhile.
        return await asyncio.to_thread(self._understood, name, method, query_string, content_type, body)

    def _understood(
        self, name: str, method: str, query_string: str, content_type: str, body: bytes
    ) -> tuple[protocol.Operation, Syntax | None]:
        operation = protocol.parse(method, query_string, content_type, body)
        if operation.kind == "description":
            return operation, None
        syntax = read(operation.text, prefixes=self._prefixes[name], limits=self._limits)
        if syntax.is_update != (operation.kind == "update"):
            sent, kind = ("`query`", "an update") if syntax.is_update else ("`update`", "a query")
            raise BadRequest(f"{sent} holds {kind}; send it as {'`update`' if syntax.is_update else '`query`'}.")
        if syntax.is_update and operation.dataset and syntax.datasets:
            raise BadRequest("The update says USING or WITH; leave out using-graph-uri and using-named-graph-uri.")
        return operation, syntax

    def _query(self, request: web.Request, name: str, operation: protocol.Operation, syntax: Syntax) -> Query:
        table = self._settings.endpoints[name]
        accept = _accept(request)
        return Query(
            id=request[REQUEST_ID],
            endpoint=name,
            syntax=syntax,
            formats=() if syntax.is_update else self._formats(accept, operation.format, syntax.form),
            caller=request[CALLER],
            dataset=operation.dataset,
            timeout_s=min(operation.timeout_s, table.total_s) if operation.timeout_s else None,
            version=protocol.version(accept),
            hints=_hints(request),
        )

    def _permit(self, request: web.Request, query: Query) -> None:
        """Let the query pass by the caller's rights."""
        table = self._settings.endpoints[query.endpoint]
        if query.form is not Form.UPDATE:
            self._callers.demand(query.caller, "query")
        elif not table.updates:
            raise Forbidden(f"The endpoint `{query.endpoint}` takes no updates (`updates = true` would allow them).")
        else:
            self._callers.demand_update(query.caller, local=from_this_machine(request, query.caller.address))

    async def _describe(self, request: web.Request, name: str) -> web.Response:
        target = self._formats(_accept(request), None, Form.CONSTRUCT)[0]
        base = self._settings.server.public_url.rstrip("/") or origin(request)
        body = await describe(self._settings.endpoints[name], base + request.path, target)
        return web.Response(body=body, headers=_described(target))

    def _formats(self, accept: str, wanted: str | None, form: Form) -> tuple[Format, ...]:
        return protocol.formats(accept, wanted, form, strict=self._settings.server.strict_accept)


def expectation(limit: int) -> Callable[[web.Request], Awaitable[web.StreamResponse | None]]:
    """Return the answer to `Expect: 100-continue`: a client that asks first is told first.

    Source: RFC 9110 section 10.1.1.
    """

    async def answer(request: web.Request) -> web.StreamResponse | None:
        # Whose body is too large hears so from the page itself, which reads none of it.
        fits = (request.content_length or 0) <= limit
        if fits and request.headers["Expect"].lower() == "100-continue" and request.version >= HttpVersion11:
            await request.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            # Not part of the response, whose size tells whether it has begun.
            request.writer.output_size = 0
        return None

    return answer


def _accept(request: web.Request) -> str:
    return ", ".join(request.headers.getall("Accept", ()))


def _hints(request: web.Request) -> Mapping[str, str]:
    """Return what plugins may read. A condition counts only where nothing is changed (RFC 9110 section 13.1.2)."""
    taken = _CONDITIONAL_HINTS if request.method in ("GET", "QUERY") else _HINTS
    get = request.headers.get
    return MappingProxyType({name: value for name in taken if (value := get(name)) is not None})


def _described(target: Format) -> dict[str, str]:
    """Return the headers of an answer that runs nothing."""
    return {
        "Content-Type": target.content_type,
        "Vary": "Accept, Accept-Encoding",
    }


def guarded(route: Route, callers: Callers) -> AiohttpHandler:
    """Return the route's handler, behind the check of its right where it needs one."""
    right = route.right
    if right is None:
        return route.handler

    async def handler(request: web.Request) -> web.StreamResponse:
        refuse_length(request, request.client_max_size)
        caller = _identify(request, callers)
        if not (route.local and caller.key is None and from_this_machine(request, caller.address)):
            callers.demand(caller, right)
        return await route.handler(request)

    return handler


def _identify(request: web.Request, callers: Callers) -> Caller:
    """Note who asks, and return it. Raises Unauthorized."""
    get = request.headers.get
    caller = callers.identify(request.remote or "", get("X-Forwarded-For"), get("Authorization"))
    request[CALLER] = caller
    return caller


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


@web.middleware
async def edge(request: web.Request, handler: AiohttpHandler) -> web.StreamResponse:
    """Stand around every page: request id, preflight, errors."""
    request[REQUEST_ID] = take_request_id(request.headers.get("X-Request-Id"))
    if request.method == "OPTIONS":
        return web.Response(status=204, headers={"Allow": ", ".join(METHODS)})
    try:
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
        logging.getLogger("saga").exception("request.failed", extra={"fields": {"path": request.path}})
        if request.get(STARTED):
            break_connection(request)
        return problem(ProxyError("An error of the proxy itself; it is in its log."), request[REQUEST_ID])


def _logged(error: ProxyError, request: web.Request) -> web.Response:
    if error.status >= 500:
        fields = {"detail": error.detail, "private": error.private}
        event("request.failed", logging.WARNING, code=error.code, status=error.status, **fields)
    else:
        # The detail may repeat words of the query, which are the client's.
        event("request.refused", logging.DEBUG, code=error.code, status=error.status)
    return problem(error, request[REQUEST_ID])
