"""The program of a child process that answers queries, one at a time, from a snapshot of the store.

It runs as ``python -m proxy.endpoints.reader`` and imports little, because it is started anew after every kill. Frames
come in on standard input and go out on what was standard output. Whatever goes wrong in a query, even a panic inside
Oxigraph, becomes an ERROR frame; what cannot (a signal, no memory) ends the process, which the proxy notices.
"""

from __future__ import annotations

import os
import resource
import select
from pathlib import Path
from typing import IO, Any, cast

import pyoxigraph

from proxy.endpoints.confine import confine, limit_cpu, limit_memory
from proxy.endpoints.folder import Folder, Snapshot
from proxy.endpoints.frames import FATAL, Kind
from proxy.endpoints.pipe import Pipe, complaint
from proxy.heap import give_back

RESULTS = {
    "json": pyoxigraph.QueryResultsFormat.JSON,
    "xml": pyoxigraph.QueryResultsFormat.XML,
    "csv": pyoxigraph.QueryResultsFormat.CSV,
    "tsv": pyoxigraph.QueryResultsFormat.TSV,
}
GRAPHS = {
    "turtle": pyoxigraph.RdfFormat.TURTLE,
    "ntriples": pyoxigraph.RdfFormat.N_TRIPLES,
    "rdfxml": pyoxigraph.RdfFormat.RDF_XML,
    "jsonld": pyoxigraph.RdfFormat.JSON_LD,
}

# An idle reader looks for a newer snapshot this often, so that it does not keep old files on the disk.
_IDLE_S = 5.0
_OPEN_WAIT_S = 10.0

# Blocks below this wait for the end, so that a small answer is one write and one wake-up of the proxy.
_SMALL_BYTES = 4096

# After a query that took this much more than any before, memory goes back to the system.
_TRIM_KIB = 64 * 1024


class Output:
    """Take what Oxigraph serialises, and send it on in DATA frames."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._held = b""
        self.sent = 0

    def write(self, data: bytes) -> int:
        """Send a block, or hold a small one back."""
        self.sent += len(data)
        if self._held:
            data, self._held = self._held + data, b""
        if len(data) < _SMALL_BYTES:
            self._held = data
        else:
            self._pipe.send(Kind.DATA, data)
        return len(data)

    def flush(self) -> None:
        """Do nothing: the end of an answer sends what is held."""

    def end(self) -> None:
        """Send the rest and the END frame, in one write."""
        self._pipe.send_last(self._held, Kind.END, {"bytes": self.sent})


class Reader:
    """One snapshot, and the settings that hold for every query."""

    def __init__(self, pipe: Pipe, hello: dict[str, Any]) -> None:
        self._pipe = pipe
        self._folder = Folder(Path(hello["store"]))
        self._prefixes: dict[str, str] = hello["prefixes"]
        self._memory_bytes: int = hello["memory_bytes"]
        self._cpu_s: float = hello["cpu_s"]
        self._union: bool = hello["union"]
        self._peak_kib = 0
        self._snapshot = self._open()

    def serve(self) -> None:
        """Answer until standard input ends."""
        while True:
            if not self._pipe.waiting:
                ready, _, _ = select.select([self._pipe.source], [], [], _IDLE_S)
                if not ready:
                    self._refresh()
                    continue
            request = self._pipe.receive()
            if request is None:
                return
            if not self._try(request):
                return

    def _try(self, request: dict[str, Any]) -> bool:
        """Answer one request; return whether the process may go on."""
        try:
            self._refresh()
            if "text" in request:
                self._answer(request)
            else:
                self._pipe.send_last(b"", Kind.END, {})
        except BaseException as error:  # noqa: BLE001 - a panic of Oxigraph is not an Exception; the proxy must hear of it
            members = complaint(error)
            self._pipe.send_last(b"", Kind.ERROR, members)
            return members["kind"] not in FATAL
        return True

    def _answer(self, request: dict[str, Any]) -> None:
        limit_cpu(self._cpu_s)
        output = Output(self._pipe)
        sink = cast(IO[bytes], output)  # of all that a file can do, Oxigraph asks for `write` and `flush`
        results = self._snapshot.store.query(
            request["text"], prefixes=self._prefixes, use_default_graph_as_union=self._union, **_dataset(request)
        )
        if isinstance(results, pyoxigraph.QueryTriples):
            results.serialize(output=sink, format=GRAPHS[request["format"]])
        else:
            results.serialize(output=sink, format=RESULTS[request["format"]])
        del results
        output.end()
        self._trim()

    def _refresh(self) -> None:
        """Move on to the newest snapshot."""
        if self._folder.current() == self._snapshot.name:
            return
        old, self._snapshot = self._snapshot, self._open()
        old.close()
        if old.name:
            self._folder.drop(old.name)
        # Two snapshots were open for a moment; without this, a store that is written to all the time takes 3 MiB more.
        give_back()

    def _open(self) -> Snapshot:
        snapshot = self._folder.open(_OPEN_WAIT_S)
        limit_memory(self._memory_bytes)
        return snapshot

    def _trim(self) -> None:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if peak > self._peak_kib + _TRIM_KIB:
            self._peak_kib = peak
            give_back()


def _dataset(request: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that name graphs. Only named ones given: the default graph is empty, as in the protocol."""
    if not request.get("default") and not request.get("named"):
        return {}
    return {
        "default_graph": [pyoxigraph.NamedNode(iri) for iri in request["default"]],
        "named_graphs": [pyoxigraph.NamedNode(iri) for iri in request["named"]],
    }


def main() -> None:
    """Say hello, then answer."""
    pipe = Pipe.take_over()
    hello = pipe.receive()
    if hello is None:
        return
    confine(hello["parent"])
    try:
        reader = Reader(pipe, hello)
    except BaseException as error:  # noqa: BLE001 - as above
        pipe.send_last(b"", Kind.ERROR, complaint(error))
        return
    pipe.send_last(b"", Kind.READY, {"pid": os.getpid()})
    reader.serve()


if __name__ == "__main__":
    main()
