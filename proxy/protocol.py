"""The SPARQL 1.1 Protocol without I/O: the parts of a request -> an operation; Accept -> formats."""

from __future__ import annotations

import binascii
import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import unquote_to_bytes

from proxy.contract import Dataset
from proxy.errors import BadRequest, NotAcceptable, UnsupportedMedia
from proxy.results.formats import Format, format_of, formats_for
from proxy.syntax import Form

FORM = "application/x-www-form-urlencoded"
QUERY = "application/sparql-query"
UPDATE = "application/sparql-update"
BODY_TYPES = (QUERY, FORM, UPDATE)

Kind = Literal["query", "update", "description"]
Pairs = list[tuple[str, str]]

_SINGLE = ("query", "update", "timeout", "format", "output")
_MAX_PARAMETERS = 10_000
_VERSION = re.compile(r';\s*version\s*=\s*"?([0-9A-Za-z.-]{1,20})"?', re.IGNORECASE)
_STRAY = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_NUMBER = re.compile(r"\d{1,9}(\.\d{0,9})?|\.\d{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Hold what a request asks for.

    Shapes: ``format`` is the value of `format=` or `output=`, which counts only where Accept says nothing.
    Units: ``timeout_s`` in seconds.
    """

    kind: Kind
    text: str = ""
    dataset: Dataset = Dataset()
    format: str | None = None
    timeout_s: float | None = None


def parse(method: str, query_string: str, content_type: str, body: bytes) -> Operation:
    """Read a request of any method. Raises BadRequest, UnsupportedMedia."""
    if method in ("GET", "HEAD"):
        return parse_get(query_string)
    operation = parse_post(query_string, content_type, body)
    if method == "QUERY" and operation.kind == "update":
        raise BadRequest("QUERY only reads; send an update with POST.")
    return operation


def parse_get(query_string: str) -> Operation:
    """Read a GET or HEAD. Raises BadRequest.

    Source: SPARQL 1.1 Protocol section 2.1.1; section 2.2 knows no update by GET.
    """
    if not query_string:
        return Operation(kind="description")
    pairs = _decode(query_string)
    if _has(pairs, "update"):
        raise BadRequest("An update must be sent with POST, never with GET.")
    return _operation(pairs)


def parse_post(query_string: str, content_type: str, body: bytes) -> Operation:
    """Read a POST or QUERY, either with a form or with the text itself as body.

    Raises:
        BadRequest: two texts, none, or both kinds; a body that is not UTF-8.
        UnsupportedMedia: a body of another type.

    Source: SPARQL 1.1 Protocol sections 2.1.2, 2.1.3, 2.2.1, 2.2.2.
    """
    media_type, charset = _media_type(content_type)
    pairs = _decode(query_string)
    if media_type == FORM:
        form = _decode(_text(body, charset))
        for name in _SINGLE:
            if _has(pairs, name) and _has(form, name):
                raise BadRequest(f"`{name}` is in the address and in the form; send it once.")
        return _operation(pairs + form)
    if media_type in (QUERY, UPDATE):
        name = "query" if media_type == QUERY else "update"
        if _has(pairs, "query") or _has(pairs, "update"):
            raise BadRequest(f"The body is the {name}; leave `query` and `update` out of the address.")
        return _operation([*pairs, (name, _text(body, charset))])
    raise UnsupportedMedia(
        f"Send the query as {FORM}, or as it is with Content-Type {QUERY}, or {UPDATE} for an update; "
        f"not {media_type or 'a body without Content-Type'}.",
        headers={"Accept-Post": ", ".join(BODY_TYPES)},
    )


@functools.lru_cache(maxsize=1024)
def formats(accept: str | None, wanted: str | None, form: Form, *, strict: bool = False) -> tuple[Format, ...]:
    """Return the formats that the client takes for this form, best first.

    An Accept header of only `*/*` is no wish; then `format=` counts. With ``strict`` off, a CONSTRUCT that is asked for
    in formats of results is answered in our favourite one, as rdflib's clients need.

    Raises:
        NotAcceptable: nothing that the client takes can hold the answer.

    Source: RFC 9110 section 12.5.1; SPARQL 1.1 Protocol section 2.1.6.
    """
    offered = formats_for(form)
    ranges = _ranges(accept or "")
    if not ranges or all(name == "*/*" and quality > 0 for name, quality in ranges):
        named = format_of(wanted, form) if wanted else None
        return (named, *(f for f in offered if f is not named)) if named else offered
    chosen = _choose(ranges, offered, form)
    if chosen:
        return chosen
    if (
        not strict
        and form in (Form.CONSTRUCT, Form.DESCRIBE)
        and _choose(ranges, formats_for(Form.SELECT), Form.SELECT)
    ):
        return offered
    raise NotAcceptable(
        f"{form.upper()} can be answered as {', '.join(f.media_type for f in offered)}; not as {accept}.",
        members={"available": [f.media_type for f in offered]},
    )


@functools.lru_cache(maxsize=1024)
def version(text: str) -> str | None:
    """Return the `version` parameter of an Accept or Content-Type header. Source: SPARQL 1.2 Protocol."""
    found = _VERSION.search(text)
    return found.group(1) if found else None


def _choose(ranges: Sequence[tuple[str, float]], offered: Sequence[Format], form: Form) -> tuple[Format, ...]:
    """Rank the offered formats by the quality of the most specific range that names each."""
    quality: dict[Format, tuple[int, float, int]] = {}
    for order, (name, q) in enumerate(ranges):
        for fmt in offered:
            rank = _specificity(name, fmt, form)
            if rank and (fmt not in quality or rank > quality[fmt][0]):
                quality[fmt] = (rank, q, -order)
    taken = [fmt for fmt in offered if fmt in quality and quality[fmt][1] > 0]
    # Equal qualities: a type that is named goes before one that a wildcard allows, then as the client lists them.
    return tuple(sorted(taken, key=lambda f: (-quality[f][1], -quality[f][0], -quality[f][2])))


def _specificity(name: str, fmt: Format, form: Form) -> int:
    """Return 0 where a media range does not name the format, more the closer it does."""
    if name == "*/*":
        return 1
    if name.endswith("/*"):
        return 2 if fmt.media_type.startswith(name[:-1]) else 0
    if name == fmt.media_type:
        return 4
    return 3 if format_of(name, form) is fmt else 0


def _ranges(accept: str) -> list[tuple[str, float]]:
    """Split an Accept header; parameters other than q are left to the formats, which pass them on."""
    ranges = []
    for part in accept.split(","):
        name, *parameters = (piece.strip().lower() for piece in part.split(";"))
        if "/" not in name:
            continue
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                quality = float(parameter[2:]) if _NUMBER.fullmatch(parameter[2:]) else 0.0
        ranges.append((name, min(quality, 1.0)))
    return ranges


def _operation(pairs: Pairs) -> Operation:
    given: dict[str, list[str]] = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    for name in _SINGLE:
        if len(given.get(name, ())) > 1:
            raise BadRequest(f"`{name}` is given more than once; send it once.")
    queries, updates = given.get("query"), given.get("update")
    if queries and updates:
        raise BadRequest("Send either `query` or `update`, not both.")
    texts = queries or updates
    if not texts:
        raise BadRequest("No `query` in the request. For the service description send a GET without parameters.")
    kind: Kind = "query" if queries else "update"
    if not texts[0].strip():
        raise BadRequest(f"`{kind}` is empty.")
    graphs = ("default-graph-uri", "named-graph-uri") if queries else ("using-graph-uri", "using-named-graph-uri")
    return Operation(
        kind=kind,
        text=texts[0],
        dataset=Dataset(default=_filled(given, graphs[0]), named=_filled(given, graphs[1])),
        format=next((v for name in ("format", "output") for v in _filled(given, name)), None),
        timeout_s=_timeout(_filled(given, "timeout")),
    )


def _timeout(values: Sequence[str]) -> float | None:
    if not values:
        return None
    if not _NUMBER.fullmatch(values[0]):
        raise BadRequest(f"`timeout` must be a number of seconds, not {values[0]!r}.")
    # Virtuoso's own form sends 0 for "no limit"; ours holds then.
    return float(values[0]) or None


def _has(pairs: Pairs, name: str) -> bool:
    return any(key == name for key, _ in pairs)


def _filled(given: Mapping[str, Sequence[str]], name: str) -> tuple[str, ...]:
    """Return the values of a parameter, without the empty ones that forms of endpoints send."""
    return tuple(filter(None, given.get(name, ())))


def _decode(encoded: str) -> Pairs:
    """Undo percent-encoding once, `+` being a blank. Raises BadRequest where the result is not UTF-8.

    Source: WHATWG URL, application/x-www-form-urlencoded parsing.
    """
    parts = [part for part in encoded.split("&") if part]
    if len(parts) > _MAX_PARAMETERS:
        raise BadRequest(f"More than {_MAX_PARAMETERS:,} parameters in one request.")
    pairs = []
    for part in parts:
        name, _, value = part.partition("=")
        pairs.append((_unquote(name), _unquote(value)))
    return pairs


def _unquote(text: str) -> str:
    try:
        # surrogateescape: bytes that the HTTP parser could not read as UTF-8 come back as what they were.
        raw = text.replace("+", " ").encode("utf-8", "surrogateescape")
        return _percent_decoded(raw).decode("utf-8")
    except UnicodeError:
        raise BadRequest("A parameter is not UTF-8 after percent-decoding.") from None


def _percent_decoded(raw: bytes) -> bytes:
    """Undo percent-encoding. Source: RFC 3986 section 2.1; a stray `%` stands for itself, as browsers have it."""
    if b"%" not in raw:
        return raw
    if _STRAY.search(raw):
        return unquote_to_bytes(raw)
    # Quoted-printable is percent-encoding with another sign, and its decoder is in C: 5 and not 97 us for 600 bytes.
    return binascii.a2b_qp(raw.replace(b"=", b"=3D").replace(b"%", b"="))


def _text(body: bytes, charset: str) -> str:
    if charset not in ("", "utf-8", "utf8", "us-ascii"):
        raise UnsupportedMedia(f"Send the body as UTF-8, not as {charset}.")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(f"The body is not UTF-8: byte {error.start} cannot be read.") from None


def _media_type(content_type: str) -> tuple[str, str]:
    name, *parameters = (piece.strip() for piece in content_type.split(";"))
    for parameter in parameters:
        key, _, value = parameter.partition("=")
        if key.strip().lower() == "charset":
            return name.lower(), value.strip().strip('"').lower()
    return name.lower(), ""
