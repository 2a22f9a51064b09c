"""Stores, queries and questions for the tests of the embedded endpoint."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyoxigraph

from proxy.contract import Caller, Endpoint, Query
from proxy.results.formats import Format, formats_for
from proxy.syntax import read

CROSS = "SELECT (COUNT(*) AS ?c) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }"


def store(folder: Path, triples: int = 1000) -> Path:
    """Make a plain Oxigraph store of numbered triples, as the oxigraph program would."""
    made = pyoxigraph.Store(folder)
    lines = (f'<urn:s:{n}> <urn:p:{n % 10}> "value {n}" .\n' for n in range(triples))
    made.bulk_load(input="".join(lines), format=pyoxigraph.RdfFormat.N_TRIPLES)
    made.flush()
    return folder


def query(text: str, *formats: Format, **more: Any) -> Query:
    """Make a query as the edge of the proxy would."""
    syntax = read(text)
    return Query(
        id="test",
        endpoint="test",
        syntax=syntax,
        formats=formats or formats_for(syntax.form),
        caller=Caller(address="127.0.0.1"),
        **more,
    )


async def ask(endpoint: Endpoint, text: str, *formats: Format, **more: Any) -> bytes:
    """Return the whole answer."""
    async with await endpoint.run(query(text, *formats, **more)) as reply:
        return b"".join([chunk async for chunk in reply.chunks])


async def number(endpoint: Endpoint, text: str) -> int:
    """Return the one number that a query counts."""
    return int((await ask(endpoint, text, Format.CSV)).split()[1])


def alive(pid: int) -> bool:
    """Whether a process is there; one that has ended and was not waited for counts."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def until(true: Callable[[], bool], seconds: float) -> bool:
    """Wait, without an event loop, until something holds; return whether it does."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


async def eventually(true: Callable[[], bool], seconds: float = 10) -> None:
    """Wait until something holds. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not true():  # noqa: ASYNC110 - processes end without telling the event loop
            await asyncio.sleep(0.01)


def open_files() -> int:
    """Count the open file descriptors of this process."""
    return len(os.listdir("/proc/self/fd"))
