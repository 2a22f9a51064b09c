"""What stands on every response, answers and errors and streams alike: request id, server name, CORS."""

from __future__ import annotations

from collections.abc import Mapping

from multidict import CIMultiDict

from proxy.protocol import BODY_TYPES

SERVER = "saga"
# Comunica and others tell an endpoint by this.
ACCEPT_POST = ", ".join(BODY_TYPES)
_EXPOSED = (
    "X-Request-Id, Saga-Partial, SPARQL-Warning, Retry-After, Accept-Post, Age, ETag, Cache-Status, X-SPARQL-MaxRows"
)
_PREFLIGHT_S = "86400"


class CommonHeaders:
    """Lay the common headers on a response. Source: WHATWG Fetch, CORS protocol."""

    def __init__(self, origins: tuple[str, ...]) -> None:
        self._everyone = "*" in origins
        self._origins = origins
        self._fixed = CIMultiDict({"Server": SERVER})
        if self._everyone:
            self._fixed["Access-Control-Allow-Origin"] = "*"

    def lay(self, headers: CIMultiDict[str], request: Mapping[str, str], method: str, request_id: str) -> None:
        """Add to ``headers`` what a request with the headers ``request`` gets on any response."""
        headers.update(self._fixed)
        headers["X-Request-Id"] = request_id
        if not self._everyone:
            headers["Vary"] = f"{headers['Vary']}, Origin" if "Vary" in headers else "Origin"
            origin = request.get("Origin", "")
            if origin not in self._origins:
                return
            headers["Access-Control-Allow-Origin"] = origin
        if method == "OPTIONS":
            headers["Access-Control-Allow-Methods"] = headers.get("Allow", "GET, POST")
            headers["Access-Control-Allow-Headers"] = request.get("Access-Control-Request-Headers", "*")
            headers["Access-Control-Max-Age"] = _PREFLIGHT_S
        else:
            headers["Access-Control-Expose-Headers"] = _EXPOSED
