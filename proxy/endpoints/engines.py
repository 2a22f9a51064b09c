"""What differs between engines: formats, time limits, dialect, cancelling, partial answers, error bodies and codes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

from proxy.contract import Query
from proxy.endpoints.engine import MESSAGE_CHARACTERS, Engine, Failure, malformed
from proxy.errors import Forbidden, ProxyError, UpstreamFailed
from proxy.results.formats import Format
from proxy.settings import Engine as EngineName
from proxy.syntax import Form, add_prefixes, expand_dotted

_BOOLEAN_BYTES = 64 * 1024


class Oxigraph(Engine):
    """Oxigraph's server: its SPARQL parser takes no dots in local names."""

    timeout_words = ("timed out", "timeout", "has been cancelled")

    def text(self, query: Query, prefixes: Mapping[str, str]) -> str:
        """Write dotted names as full IRIs, and declare the prefixes that it does not know."""
        text = expand_dotted(query.text, prefixes)
        return add_prefixes(text, prefixes) if query.syntax.borrowed_prefixes else text


class Blazegraph(Engine):
    """Blazegraph, as behind the Wikidata Query Service. It knows its prefixes; time limits are in milliseconds.

    Source: Blazegraph REST API, `maxQueryTimeMillis`, `queryId`, `cancelQuery`.
    """

    grace_s = 2.0
    tickets = True
    timeout_words = ("querytimeoutexception", "java.util.concurrent.timeoutexception", "deadline is exceeded")

    def text(self, query: Query, prefixes: Mapping[str, str]) -> str:
        """Send the text as it is."""
        return query.text

    def fields(self, query: Query, ticket: str) -> Mapping[str, str]:
        """Name the query, so that it can be ended, and pass a shorter time limit."""
        fields = {"queryId": ticket}
        if query.timeout_s is not None:
            fields["maxQueryTimeMillis"] = str(int(query.timeout_s * 1000))
        return fields

    def cancel(self, url: str, ticket: str) -> str | None:
        """End the query by its id."""
        return f"{url}?cancelQuery&queryId={ticket}"

    def failure(self, failure: Failure, query: Query) -> ProxyError:
        """Blazegraph answers a malformed query with 400 or 500 and the parser's exception."""
        message = self.message(failure)
        if failure.status == 500 and "MalformedQueryException" in message:
            return malformed(query, message, f"HTTP 500: {message[:MESSAGE_CHARACTERS]}")
        return super().failure(failure, query)


class Qlever(Engine):
    """QLever: errors are JSON with `exception` beside the repeated query; 429 is its time limit, not a rate limit."""

    bindings = (Format.JSON, Format.XML, Format.TSV)
    graphs = (Format.TURTLE, Format.NTRIPLES)
    grace_s = 2.0
    tickets = True

    def fields(self, query: Query, ticket: str) -> Mapping[str, str]:
        """Pass a shorter time limit, in seconds with their unit."""
        return {"timeout": f"{max(1, int(query.timeout_s))}s"} if query.timeout_s is not None else {}

    def headers(self, ticket: str) -> Mapping[str, str]:
        """Name the query, so that the engine's own monitor can end it."""
        return {"Query-Id": ticket}

    def timed_out(self, failure: Failure, message: str) -> bool:
        """Read the exception, never the query: QLever repeats it whole."""
        said = message.lower()
        return failure.status in (408, 504) or "timed out" in said or "timeout" in said or "cancelled" in said


class Virtuoso(Engine):
    """Virtuoso: milliseconds, anytime answers and row caps in headers, SQL states in error texts.

    Source: Virtuoso documentation, "SPARQL endpoint": `timeout`, X-SQL-State, X-SPARQL-MaxRows.
    """

    graphs = (Format.NTRIPLES, Format.TURTLE, Format.RDFXML)
    grace_s = 2.0
    timeout_words = ("s1tat", "s1t00", "estimated execution time", "timeout")

    def accept(self, query: Query) -> str:
        """Ask for the one format in which we mend the answer of an ASK."""
        return Format.JSON.media_type if query.form is Form.ASK else super().accept(query)

    def mended(self, query: Query, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Virtuoso answers an ASK that was sent by POST with a table: one row with `__ASK_RETVAL`, or none."""
        return _boolean(chunks) if query.form is Form.ASK else chunks

    def failure(self, failure: Failure, query: Query) -> ProxyError:
        """Virtuoso answers what its user may not do with 500 and an SQL state of its own."""
        if failure.status == 500 and "SR186" in failure.text:
            return Forbidden("The endpoint's user may not do this; an update needs a user that may.")
        return super().failure(failure, query)

    def fields(self, query: Query, ticket: str) -> Mapping[str, str]:
        """Pass a shorter time limit in milliseconds; Virtuoso then answers with what it has, and says so."""
        return {"timeout": str(max(1000, int(query.timeout_s * 1000)))} if query.timeout_s is not None else {}


class Fuseki(Engine):
    """Apache Jena Fuseki: seconds; 503 is its time limit where the text says so."""

    grace_s = 2.0

    def fields(self, query: Query, ticket: str) -> Mapping[str, str]:
        """Pass a shorter time limit, in seconds."""
        return {"timeout": f"{query.timeout_s:g}"} if query.timeout_s is not None else {}


async def _boolean(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Turn Virtuoso's table for an ASK into a Boolean; whatever else comes passes, to be judged as it is."""
    body = bytearray()
    async for chunk in chunks:
        body += chunk
        if len(body) > _BOOLEAN_BYTES:
            raise UpstreamFailed("The endpoint answered an ASK with something long.")
    try:
        document = json.loads(body)
        if document["head"]["vars"] == ["__ASK_RETVAL"]:
            rows = document["results"]["bindings"]
            true = any(row["__ASK_RETVAL"]["value"] == "1" for row in rows)
            body = bytearray(b'{"head":{},"boolean":%s}' % (b"true" if true else b"false"))
    except (ValueError, LookupError, TypeError, RecursionError):
        pass
    yield bytes(body)


ENGINES: Mapping[EngineName, Engine] = {
    "generic": Engine(),
    "oxigraph": Oxigraph(),
    "blazegraph": Blazegraph(),
    "qlever": Qlever(),
    "virtuoso": Virtuoso(),
    "fuseki": Fuseki(),
}
