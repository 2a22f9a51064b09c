"""What a query may reach besides its endpoint: SERVICE, FROM and LOAD targets."""

from __future__ import annotations

import ipaddress
import socket
import unicodedata
from urllib.parse import urlsplit

from proxy.contract import Query
from proxy.errors import Forbidden
from proxy.settings import EndpointTable
from proxy.syntax import Iri

# Extensions of engines that look like SERVICE and send no request.
_ENGINE_SERVICES = (
    "http://wikiba.se/ontology#",
    "http://www.bigdata.com/rdf#",
    "http://www.bigdata.com/rdf/",
    "https://www.mediawiki.org/ontology#",
    "http://www.bigdata.com/queryHints#",
    "https://qlever.cs.uni-freiburg.de/spatialSearch/",
)


def refuse_targets(query: Query, table: EndpointTable) -> None:
    """Let the query pass where every target that it names is allowed. SILENT changes nothing.

    Raises:
        Forbidden: with line and column of the target.
    """
    _refuse_services(query, table)
    _refuse_loads(query, table)
    if table.url and not table.private_graphs:
        _refuse_private_graphs(query)


def _refuse_services(query: Query, table: EndpointTable) -> None:
    allowed = table.service_targets
    if allowed == "upstream":
        return
    for service in query.syntax.services:
        if isinstance(service.target, Iri):
            iri = service.target.value
            if iri in allowed or (table.url and iri.startswith(_ENGINE_SERVICES)):
                continue
            detail = f"SERVICE <{iri}> is not allowed at this endpoint; {_listed(allowed)}."
        elif service.target is None:
            detail = "The target of this SERVICE cannot be read; write it as a full <IRI>."
        else:
            detail = "SERVICE needs an IRI here: a target that is known only at run time is refused."
        line, column = query.syntax.position(service.start)
        raise Forbidden(detail, members={"line": line, "column": column})


def _refuse_loads(query: Query, table: EndpointTable) -> None:
    allowed = () if table.service_targets == "upstream" else table.service_targets
    for load in query.syntax.loads:
        if load.keyword == "LOAD" and load.iri not in allowed:
            line, column = query.syntax.position(load.start)
            raise Forbidden(
                f"LOAD <{load.iri}> is not allowed at this endpoint; {_listed(allowed)}.",
                members={"line": line, "column": column},
            )


def _refuse_private_graphs(query: Query) -> None:
    """Refuse graphs that an endpoint which fetches them would read from its own network or disk."""
    named = [graph.iri for graph in query.syntax.datasets if graph.iri is not None]
    for iri in (*named, *query.dataset.default, *query.dataset.named):
        if is_private(iri):
            raise Forbidden(
                f"The graph <{iri}> is a file or a private address, and the endpoint might fetch it "
                "(`private_graphs = true` allows such names)."
            )


def is_private(iri: str) -> bool:
    """Return whether an IRI names a file, this machine or a network that is not public. Names are not resolved."""
    try:
        parts = urlsplit(iri)
        # As resolvers do: digits and dots of other scripts are digits and dots.
        host = unicodedata.normalize("NFKC", parts.hostname or "").replace("\u3002", ".").rstrip(".")
    except ValueError:
        return True
    if parts.scheme.lower() == "file":
        return True
    if host == "localhost" or host.endswith((".localhost", ".internal", ".local")):
        return True
    try:
        return not ipaddress.ip_address(_plain(host)).is_global
    except ValueError:
        return False


def _plain(host: str) -> str:
    """Write an IPv4 address as resolvers read it: `127.1`, `0x7f.0.0.1` and `2130706433` are this machine too."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return host


def _listed(allowed: tuple[str, ...]) -> str:
    return f"allowed are {', '.join(allowed)}" if allowed else "no target is"
