"""Queries for tests of the cache, made as the proxy makes them."""

from __future__ import annotations

from typing import Any

from proxy.contract import Caller, Query
from proxy.results import Format
from proxy.syntax import read


def query(text: str = "SELECT * { ?s ?p ?o }", **more: Any) -> Query:
    """Return a query by a caller without a key, in JSON."""
    prefixes = more.pop("prefixes", {})
    fields: dict[str, Any] = {
        "id": "1",
        "endpoint": "up",
        "formats": (Format.JSON,),
        "caller": Caller(address="127.0.0.1"),
        **more,
    }
    return Query(syntax=read(text, prefixes=prefixes), **fields)
