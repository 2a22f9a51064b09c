"""The service description of an endpoint, made by us and served from memory.

Source: SPARQL 1.1 Service Description; formats as unique URIs for file formats (W3C).
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator

from aiohttp import web

from proxy.results import Format, transcoded
from proxy.settings import EndpointTable
from proxy.syntax import Form

_HOST = re.compile(r"([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?")
_SD = "http://www.w3.org/ns/sparql-service-description#"
_FORMATS = "http://www.w3.org/ns/formats/"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_RESULTS = (
    "SPARQL_Results_JSON",
    "SPARQL_Results_XML",
    "SPARQL_Results_CSV",
    "SPARQL_Results_TSV",
    "Turtle",
    "N-Triples",
    "RDF_XML",
    "JSON-LD",
)


def origin(request: web.Request) -> str:
    """Return the address that the client used, or our own where it names none that can stand in an IRI."""
    host = request.headers.get("Host", "")
    if _HOST.fullmatch(host):
        return f"{request.scheme}://{host}"
    socket_name = request.transport.get_extra_info("sockname") if request.transport else None
    name, port = (socket_name or ("localhost", 80))[:2]
    return f"{request.scheme}://[{name}]:{port}" if ":" in name else f"{request.scheme}://{name}:{port}"


async def describe(table: EndpointTable, address: str, target: Format) -> bytes:
    """Return the description of an endpoint, in one of the graph formats.

    Shapes: ``address`` is the IRI under which the client reaches the endpoint.
    """
    source = "".join(_triples(table, address)).encode()

    async def chunks() -> AsyncIterator[bytes]:
        yield source

    if target is Format.NTRIPLES:
        return source
    return b"".join([chunk async for chunk in transcoded(chunks(), Format.NTRIPLES, target, Form.CONSTRUCT)])


def _triples(table: EndpointTable, address: str) -> Iterator[str]:
    yield _line("_:service", _TYPE, f"<{_SD}Service>")
    yield _line("_:service", _sd("endpoint"), f"<{address}>")
    yield _line("_:service", _sd("supportedLanguage"), _sd("SPARQL11Query"))
    if table.updates:
        yield _line("_:service", _sd("supportedLanguage"), _sd("SPARQL11Update"))
    for name in _RESULTS:
        yield _line("_:service", _sd("resultFormat"), f"<{_FORMATS}{name}>")
    if table.service_targets:
        yield _line("_:service", _sd("feature"), _sd("BasicFederatedQuery"))
    yield _line("_:service", _sd("defaultDataset"), "_:dataset")
    yield _line("_:dataset", _TYPE, _sd("Dataset"))
    yield _line("_:dataset", _sd("defaultGraph"), "_:graph")
    yield _line("_:graph", _TYPE, _sd("Graph"))


def _line(subject: str, predicate: str, object_: str) -> str:
    return f"{subject} {predicate} {object_} .\n"


def _sd(name: str) -> str:
    return f"<{_SD}{name}>"
