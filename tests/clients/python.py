"""Clients of Python and the shell, as people use them: each takes an address and a query, and returns plain values."""

from __future__ import annotations

import json
import subprocess
import urllib.request
from collections.abc import Callable
from typing import IO, Any
from urllib.parse import urlencode

import pandas as pd
import pyoxigraph as ox
from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import JSON, POST, TURTLE, SPARQLWrapper

Rows = list[dict[str, str]]
Triples = set[tuple[str, str, str]]


class Curl:
    """curl, with its exit code."""

    def _send(self, url: str, name: str, text: str, accept: str) -> bytes:
        words = ["curl", "-sS", "--fail-with-body", "--max-time", "20", "-H", f"Accept: {accept}", "-H", "Expect:"]
        done = subprocess.run(
            [*words, "--data-urlencode", f"{name}@-", url], input=text.encode(), capture_output=True, check=False
        )
        if done.returncode:
            raise OSError(f"curl ended with {done.returncode}: {done.stdout[-500:]!r} {done.stderr!r}")
        return done.stdout

    def select(self, url: str, query: str) -> Rows:
        """Return the rows of a SELECT."""
        document = json.loads(self._send(url, "query", query, "application/sparql-results+json"))
        return _plain(document["results"]["bindings"])

    def ask(self, url: str, query: str) -> bool:
        """Return the answer of an ASK."""
        return bool(json.loads(self._send(url, "query", query, "application/sparql-results+json"))["boolean"])

    def construct(self, url: str, query: str) -> Triples:
        """Return the triples of a CONSTRUCT."""
        return _triples(self._send(url, "query", query, "text/turtle"), ox.RdfFormat.TURTLE)

    def update(self, url: str, text: str) -> None:
        """Send an update."""
        self._send(url, "update", text, "*/*")


class Wrapper:
    """SPARQLWrapper, by POST."""

    def _at(self, url: str, text: str, format: str) -> Any:
        wrapper = SPARQLWrapper(url, returnFormat=format)
        wrapper.setMethod(POST)
        wrapper.setQuery(text)
        return wrapper

    def select(self, url: str, query: str) -> Rows:
        """Return the rows of a SELECT."""
        return _plain(self._at(url, query, JSON).queryAndConvert()["results"]["bindings"])

    def ask(self, url: str, query: str) -> bool:
        """Return the answer of an ASK."""
        return bool(self._at(url, query, JSON).queryAndConvert()["boolean"])

    def construct(self, url: str, query: str) -> Triples:
        """Return the triples of a CONSTRUCT."""
        return _triples(self._at(url, query, TURTLE).queryAndConvert(), ox.RdfFormat.TURTLE)

    def update(self, url: str, text: str) -> None:
        """Send an update."""
        self._at(url, text, JSON).query().response.read()


class Rdflib:
    """rdflib's SPARQLStore and SPARQLUpdateStore."""

    def _query(self, url: str, query: str) -> Any:
        result = Graph(SPARQLStore(url, method="POST")).query(query)
        if isinstance(result, tuple):
            # For an HTTP error rdflib returns its code and text where a result should be.
            raise OSError(f"rdflib got {result[:2]}")
        return result

    def select(self, url: str, query: str) -> Rows:
        """Return the rows of a SELECT."""
        return [{str(name): str(term) for name, term in row.asdict().items()} for row in self._query(url, query)]

    def ask(self, url: str, query: str) -> bool:
        """Return the answer of an ASK."""
        return bool(self._query(url, query).askAnswer)

    def construct(self, url: str, query: str) -> Triples:
        """Return the triples of a CONSTRUCT."""
        return {(str(s), str(p), str(o)) for s, p, o in self._query(url, query).graph}

    def update(self, url: str, text: str) -> None:
        """Send an update."""
        SPARQLUpdateStore(url, url, method="POST").update(text)


class Pyoxigraph:
    """pyoxigraph's readers on the open response, in the format of the class."""

    def __init__(self, results: ox.QueryResultsFormat, graph: ox.RdfFormat) -> None:
        self._results = results
        self._graph = graph

    def select(self, url: str, query: str) -> Rows:
        """Return the rows of a SELECT."""
        with _opened(url, {"query": query}, self._results.media_type) as response:
            read = ox.parse_query_results(response, format=self._results)
            assert isinstance(read, ox.QuerySolutions)
            names = [name.value for name in read.variables]
            return [
                {name: str(getattr(row[name], "value", "")) for name in names if row[name] is not None} for row in read
            ]

    def ask(self, url: str, query: str) -> bool:
        """Return the answer of an ASK."""
        with _opened(url, {"query": query}, self._results.media_type) as response:
            return bool(ox.parse_query_results(response, format=self._results))

    def construct(self, url: str, query: str) -> Triples:
        """Return the triples of a CONSTRUCT."""
        with _opened(url, {"query": query}, self._graph.media_type) as response:
            return _triples(response, self._graph)


class Pandas:
    """pandas.read_csv on the address of a query."""

    def select(self, url: str, query: str) -> Rows:
        """Return the rows of a SELECT."""
        address = f"{url}?{urlencode({'query': query})}"
        frame = pd.read_csv(address, storage_options={"Accept": "text/csv"}, dtype=str, keep_default_na=False)
        return [{str(name): str(value) for name, value in row.items()} for row in frame.to_dict("records")]


def _opened(url: str, fields: dict[str, str], accept: str) -> Any:
    """Open a response with Python's own client."""
    request = urllib.request.Request(url, urlencode(fields).encode(), {"Accept": accept})
    return urllib.request.urlopen(request, timeout=20)


def _plain(bindings: list[dict[str, dict[str, str]]]) -> Rows:
    return [{name: term["value"] for name, term in row.items()} for row in bindings]


def _triples(body: bytes | IO[bytes], fmt: ox.RdfFormat) -> Triples:
    return {
        (str(getattr(q.subject, "value", "")), q.predicate.value, str(getattr(q.object, "value", "")))
        for q in ox.parse(body, format=fmt)
    }


CLIENTS: dict[str, Callable[[], Any]] = {
    "curl": Curl,
    "SPARQLWrapper": Wrapper,
    "rdflib": Rdflib,
    "pyoxigraph-json": lambda: Pyoxigraph(ox.QueryResultsFormat.JSON, ox.RdfFormat.N_TRIPLES),
    "pyoxigraph-xml": lambda: Pyoxigraph(ox.QueryResultsFormat.XML, ox.RdfFormat.RDF_XML),
    "pyoxigraph-tsv": lambda: Pyoxigraph(ox.QueryResultsFormat.TSV, ox.RdfFormat.JSON_LD),
    "pandas": Pandas,
}
