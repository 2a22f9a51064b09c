"""Every error of the proxy that a client can see, in one tree; plugins hang theirs into it.

ProxyError
├── ClientError            the client must change the request
│   ├── BadRequest         400  not the SPARQL 1.1 Protocol
│   ├── BadQuery           400  not SPARQL, with line and column
│   ├── Unauthorized       401  no key, or an unknown one
│   ├── Forbidden          403  a key without the right, or a target that is not allowed
│   ├── NotFound           404  no such endpoint or page
│   ├── MethodNotAllowed   405  carries Allow
│   ├── NotAcceptable      406  no format that the client takes
│   ├── SlowRequest        408  a body that does not come
│   ├── TooLarge           413  body or query above its limit
│   ├── LineTooLong        414  request line above its limit
│   ├── UnsupportedMedia   415  a body of a type that the protocol does not know
│   ├── Blocked            422  the guard's word: this query cannot match
│   └── TooMany            429  a limit of this caller
└── UpstreamError          the endpoint, or our child process, failed
    ├── UpstreamFailed     502  unreachable, or an answer that cannot be read
    ├── UpstreamBusy       503  overloaded: try again later
    │   ├── Overloaded     503  the endpoint itself says so
    │   └── Stopping       503  this proxy is being stopped
    ├── ResourceLimit      503  a reader ran out of memory or died
    ├── UpstreamTimeout    504  a deadline passed
    └── Truncated          502  a body that ended before its end

ConfigError and UsageError stand apart: they end the start or a command, with exit code 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar


class ProxyError(Exception):
    """Say what happened and what to do, in words that may be shown to anyone.

    Shapes: ``detail`` is public; ``private`` goes to the log only; ``members`` are extra JSON members of the
    problem document (``line``, ``column``, ``findings``); ``headers`` go out with the response.
    """

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    title: ClassVar[str] = "Internal error"

    def __init__(
        self,
        detail: str,
        *,
        private: str = "",
        members: Mapping[str, object] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.private = private
        self.members = dict(members or {})
        self.headers = headers or {}


class ClientError(ProxyError):
    """The client must change the request."""

    status = 400
    code = "bad_request"
    title = "Bad request"


class BadRequest(ClientError):
    """The request is not the SPARQL 1.1 Protocol."""


class BadQuery(ClientError):
    """The text is not SPARQL that we or the endpoint can read. Lines and columns start at 1."""

    code = "bad_query"
    title = "Bad query"

    def __init__(self, detail: str, *, line: int | None = None, column: int | None = None, private: str = "") -> None:
        members: dict[str, object] = {}
        if line is not None:
            members["line"] = line
        if column is not None:
            members["column"] = column
        super().__init__(detail, private=private, members=members)
        self.line = line
        self.column = column


class Unauthorized(ClientError):
    """No key, or one that the configuration does not know."""

    status = 401
    code = "unauthorized"
    title = "Unauthorized"


class Forbidden(ClientError):
    """The caller lacks a right, or the query names a target that is not allowed."""

    status = 403
    code = "forbidden"
    title = "Forbidden"


class NotFound(ClientError):
    """No such endpoint or page."""

    status = 404
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(ClientError):
    """The page exists, the method does not."""

    status = 405
    code = "method_not_allowed"
    title = "Method not allowed"


class NotAcceptable(ClientError):
    """No format that the client takes can be made."""

    status = 406
    code = "not_acceptable"
    title = "Not acceptable"


class SlowRequest(ClientError):
    """The client announced a body and does not send it."""

    status = 408
    code = "slow_request"
    title = "Request timeout"


class TooLarge(ClientError):
    """A body or a query is above its limit."""

    status = 413
    code = "too_large"
    title = "Too large"


class LineTooLong(ClientError):
    """The request line is above its limit."""

    status = 414
    code = "line_too_long"
    title = "Request line too long"


class UnsupportedMedia(ClientError):
    """A body of a type that the protocol does not know."""

    status = 415
    code = "unsupported_media"
    title = "Unsupported media type"


class Blocked(ClientError):
    """The guard proved that the query cannot match."""

    status = 422
    code = "blocked"
    title = "Blocked by the guard"


class TooMany(ClientError):
    """A limit of this caller is reached."""

    status = 429
    code = "too_many"
    title = "Too many requests"


class UpstreamError(ProxyError):
    """The endpoint failed, or the child process that stands for it."""

    status = 502
    code = "upstream_failed"
    title = "Endpoint failed"


class UpstreamFailed(UpstreamError):
    """The endpoint is unreachable, or its answer cannot be read."""


class UpstreamBusy(UpstreamError):
    """The endpoint is overloaded; the same query may succeed later."""

    status = 503
    code = "upstream_busy"
    title = "Endpoint busy"


class Overloaded(UpstreamBusy):
    """The endpoint itself says that it is overloaded.

    Units: ``wait_s`` is the pause that it asks for, in seconds; None where it did not say.
    """

    def __init__(self, detail: str, *, private: str = "", wait_s: int | None = None) -> None:
        super().__init__(detail, private=private, headers={"Retry-After": str(5 if wait_s is None else wait_s)})
        self.wait_s = wait_s


class Stopping(UpstreamBusy):
    """This proxy is being stopped, and the request was not answered yet."""

    code = "stopping"
    title = "Stopping"


class ResourceLimit(UpstreamError):
    """A reader of the embedded store ran out of memory or died."""

    status = 503
    code = "resource_limit"
    title = "Resource limit reached"


class UpstreamTimeout(UpstreamError):
    """A deadline passed before the answer was complete."""

    status = 504
    code = "timeout"
    title = "Timed out"


class Truncated(UpstreamError):
    """A body that ended before its end, or has foreign text in it."""

    code = "truncated"
    title = "Answer cut short"


class ConfigError(Exception):
    """The configuration cannot be used. ``mistakes`` holds one sentence each; all are shown at once."""

    def __init__(self, *mistakes: str) -> None:
        super().__init__("\n".join(mistakes))
        self.mistakes = mistakes


class UsageError(Exception):
    """A command was called in a way that cannot work; the text says what to do instead."""
