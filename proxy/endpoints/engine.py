"""Any SPARQL 1.1 endpoint: what we ask of it, and what its answers and failures mean."""

from __future__ import annotations

import functools
import json
import re
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from proxy.contract import Query
from proxy.endpoints.mistake import in_our_words
from proxy.errors import (
    BadQuery,
    Forbidden,
    NotAcceptable,
    Overloaded,
    ProxyError,
    TooLarge,
    UpstreamFailed,
    UpstreamTimeout,
)
from proxy.results.formats import Format
from proxy.syntax import Form, add_prefixes

MESSAGE_CHARACTERS = 500
_RETRY_S = 5
_LONGEST_RETRY_S = 3600
_LINE_COLUMN = re.compile(r"\bline:? (\d+)(?:[^\d\n]{1,20}(\d+))?|\bat (\d+):(\d+)", re.IGNORECASE)
_CLASSES = re.compile(r"([\w$]+\.)+[\w$]*(Exception|Error)\b:?\s*")
_THROWN = re.compile(r"^([\w$]+\.)+[\w$]*(Exception|Error)\b.*", re.MULTILINE | re.DOTALL)
_FRAME = re.compile(r"\s*at .*\(.*\)\s*$")
_TAG = re.compile(r"<[^>]{0,200}>")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Hold an answer that is none. Shapes: ``text`` is the start of the body; header names are lower-case."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    text: str


class Engine:
    """Be any SPARQL 1.1 endpoint. Subclasses say only what theirs does otherwise.

    Shapes: a ``ticket`` is a UUID, new for each query that is sent.
    """

    bindings: tuple[Format, ...] = (Format.JSON, Format.XML)
    graphs: tuple[Format, ...] = (Format.NTRIPLES, Format.TURTLE, Format.RDFXML)
    timeout_words: tuple[str, ...] = ("timed out", "timeout exceeded", "query timeout", "time limit")
    # How much longer than a limit that we passed on an engine may take to tell us that it has kept it.
    grace_s: float = 0.0
    # Whether it wants to know queries by a name of ours.
    tickets: bool = False

    def accept(self, query: Query) -> str:
        """Ask for what the client takes where the end of that format shows, else for what we can turn into it."""
        if query.form is Form.UPDATE:
            return "*/*"
        native = self.graphs if query.form in (Form.CONSTRUCT, Form.DESCRIBE) else self.bindings
        return _accept(native, query.formats, query.version)

    def text(self, query: Query, prefixes: Mapping[str, str]) -> str:
        """Return the text to send: the client's own, with PREFIX lines for names that the endpoint may not know."""
        return add_prefixes(query.text, prefixes) if query.syntax.borrowed_prefixes else query.text

    def fields(self, query: Query, ticket: str) -> Mapping[str, str]:
        """Return further form fields, such as the engine's own time limit."""
        return {}

    def headers(self, ticket: str) -> Mapping[str, str]:
        """Return further request headers."""
        return {}

    def partial(self, status: int, headers: Mapping[str, str]) -> str | None:
        """Return why a well-formed answer is not whole, where the engine says so in its headers."""
        if headers.get("x-sql-state", "").upper() == "S1TAT" or "x-sparql-anytime" in headers or status == 206:
            return "anytime"
        return "row_cap" if "x-sparql-maxrows" in headers else None

    def mended(self, query: Query, chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Return the body as the standard has it, where the engine sends something else."""
        return chunks

    def failure(self, failure: Failure, query: Query) -> ProxyError:
        """Return our error for the engine's. Its text is shown only where it is about syntax."""
        message = self.message(failure).replace(query.text, "")
        private = f"HTTP {failure.status}: {message[:MESSAGE_CHARACTERS]}"
        if self.timed_out(failure, message):
            return UpstreamTimeout(
                "The endpoint stopped the query at its own time limit. Make it smaller; to repeat it will not help.",
                private=private,
            )
        if failure.status == 400:
            return malformed(query, message, private)
        if failure.status in (429, 503):
            return _busy(failure, private)
        if 300 <= failure.status < 400:
            return UpstreamFailed("The endpoint redirects elsewhere: configure its final address.", private=private)
        if failure.status in (401, 403):
            return Forbidden("The endpoint refuses this query, or the proxy's own access to it.", private=private)
        if failure.status == 406:
            return NotAcceptable("The endpoint cannot give any format that the client takes.", private=private)
        if failure.status in (413, 414):
            return TooLarge("The query is too long for the endpoint.", private=private)
        return UpstreamFailed(f"The endpoint answered with HTTP {failure.status}.", private=private)

    def timed_out(self, failure: Failure, message: str) -> bool:
        """Return whether the engine ended the query at a time limit of its own."""
        if failure.status in (408, 504):
            return True
        return failure.status >= 500 and any(word in message.lower() for word in self.timeout_words)

    def message(self, failure: Failure) -> str:
        """Return what the engine says, without the query that it repeats and without markup."""
        if "json" in failure.content_type:
            said = _json_message(failure.text)
            return _TAG.sub(" ", said) if said.lstrip().startswith("<") else said
        text = failure.text
        if text.lstrip().startswith("<"):
            # A page of some server in between, whatever type it calls itself: for a log, not for a person.
            text = _TAG.sub(" ", text)
        # Several engines repeat the query, after their message or before it; words in it say nothing about the failure.
        said, repeated, rest = text.partition("SPARQL-QUERY:")
        if repeated and not said.strip():
            thrown = _THROWN.search(rest)
            return thrown.group() if thrown else ""
        return said.partition("SPARQL query:")[0]

    def cancel(self, url: str, ticket: str) -> str | None:
        """Return the address to POST to so that the engine ends the query, where closing the connection may not do."""
        return None


@functools.lru_cache(maxsize=1024)
def _accept(native: tuple[Format, ...], formats: tuple[Format, ...], version: str | None) -> str:
    wanted = [fmt for fmt in formats if fmt in native]
    wanted += [fmt for fmt in native if fmt not in wanted]
    suffix = f";version={version}" if version else ""
    first, *others = (fmt.media_type + suffix for fmt in wanted)
    return ", ".join((first, *(f"{name};q={0.9 - n / 10:.1f}" for n, name in enumerate(others))))


def malformed(query: Query, message: str, private: str) -> BadQuery:
    """Say what is wrong in our words, with line and column, where our own reader stumbled too."""
    ours = in_our_words(query, private)
    if ours is not None:
        return ours
    # One line says it: that with the place, or the first. Around it stand names of classes and frames of a stack.
    line, column = _position(message)
    lines = [each for each in message.splitlines() if each.strip() and not _FRAME.match(each)]
    said = next((each for each in lines if _LINE_COLUMN.search(each)), lines[0] if lines else "")
    message = _CLASSES.sub("", said)[:MESSAGE_CHARACTERS].strip()
    detail = f"The endpoint calls the query malformed: {message}" if message else "The endpoint calls it malformed."
    return BadQuery(detail, line=line, column=column, private=private)


def _position(message: str) -> tuple[int | None, int | None]:
    found = _LINE_COLUMN.search(message)
    if found is None:
        return None, None
    line, column = found.group(1) or found.group(3), found.group(2) or found.group(4)
    return int(line), int(column) if column else None


def _busy(failure: Failure, private: str) -> Overloaded:
    # A 429 is about us and means a pause also where it names none; a bare 503 may be about the one query.
    otherwise = _RETRY_S if failure.status == 429 else None
    wait_s = _wait_s(failure.headers.get("retry-after", ""), otherwise)
    if wait_s is not None:
        wait_s = min(wait_s, _LONGEST_RETRY_S)
    return Overloaded("The endpoint is overloaded; try again later.", private=private, wait_s=wait_s)


def _wait_s(text: str, otherwise: int | None) -> int | None:
    """Read a Retry-After: seconds or a date. Source: RFC 9110 section 10.2.3."""
    if text.isascii() and text.isdigit() and len(text) < 7:
        return int(text)
    try:
        return max(1, int(parsedate_to_datetime(text).timestamp() - time.time()))
    except (TypeError, ValueError, OverflowError):
        return otherwise


def _json_message(text: str) -> str:
    """Return the message of a JSON error, whatever the engine calls it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(document, dict):
        return ""
    said = next((document[k] for k in ("exception", "message", "detail", "error") if k in document), "")
    if isinstance(said, dict):
        said = said.get("message", "")
    return said if isinstance(said, str) else ""
