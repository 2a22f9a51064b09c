"""Oxigraph itself, asked without the proxy: pyoxigraph in a child process that can be killed."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import Self

import pyoxigraph as ox

RESULTS = {
    "application/sparql-results+json": ox.QueryResultsFormat.JSON,
    "application/sparql-results+xml": ox.QueryResultsFormat.XML,
    "text/csv": ox.QueryResultsFormat.CSV,
    "text/tab-separated-values": ox.QueryResultsFormat.TSV,
}
GRAPHS = {
    "text/turtle": ox.RdfFormat.TURTLE,
    "application/n-triples": ox.RdfFormat.N_TRIPLES,
    "application/rdf+xml": ox.RdfFormat.RDF_XML,
    "application/ld+json": ox.RdfFormat.JSON_LD,
}
_START_S = 30.0


class Failed(Exception):
    """Oxigraph refused the query, or did not answer in time."""


class Direct:
    """Ask a store. Use it as a context manager."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._context = multiprocessing.get_context("spawn")
        self._child: BaseProcess | None = None
        self._pipe: Connection

    def __enter__(self) -> Self:
        """Start nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the child."""
        self._end()

    def ask(self, text: str, media_type: str, seconds: float) -> bytes:
        """Return the answer in one format. Raises Failed."""
        if self._child is None:
            self._start()
        self._pipe.send((text, media_type))
        if not self._pipe.poll(seconds):
            self._end()
            raise Failed(f"no answer within {seconds:g} s")
        try:
            answer = self._pipe.recv()
        except EOFError:
            self._end()
            raise Failed("Oxigraph's process ended") from None
        if isinstance(answer, str):
            raise Failed(answer)
        assert isinstance(answer, bytes)
        return answer

    def _start(self) -> None:
        self._pipe, theirs = self._context.Pipe()
        self._child = self._context.Process(target=_serve, args=(str(self._store), theirs), daemon=True)
        self._child.start()
        theirs.close()
        if not self._pipe.poll(_START_S) or self._pipe.recv() != "ready":
            raise Failed(f"{self._store} cannot be opened")

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.join()
            self._pipe.close()


def _serve(folder: str, pipe: Connection) -> None:
    """Answer until killed; runs in the child, which a panic of Oxigraph ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    store = ox.Store.read_only(folder)
    pipe.send("ready")
    while True:
        text, media_type = pipe.recv()
        try:
            pipe.send(_answer(store, text, media_type))
        except (SyntaxError, ValueError, RuntimeError, OSError) as error:
            pipe.send(f"{type(error).__name__}: {error}")


def _answer(store: ox.Store, text: str, media_type: str) -> bytes:
    results = store.query(text)
    if isinstance(results, ox.QueryTriples):
        body = results.serialize(format=GRAPHS[media_type])
    else:
        body = results.serialize(format=RESULTS[media_type])
    assert body is not None
    return body
