"""Terms and solutions as the JSON of results writes them, in every dialect that endpoints speak."""

from __future__ import annotations

import re
from collections.abc import Iterable

from proxy.results.bounds import MAX_DEPTH
from proxy.results.json_tokens import Json
from proxy.results.reader import MalformedError
from proxy.results.terms import LANGUAGE_TAG, Solution, Term, blank, iri, literal, triple

# RDF4J and older Jena shortened the parts of a triple term.
_PARTS = (("subject", "s"), ("predicate", "p"), ("object", "o"))
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
_TERM_KEYS = frozenset({"type", "value", "datatype", "xml:lang", "its:dir"})


def refuse_near(keys: Iterable[str], known: frozenset[str]) -> None:
    """Raise MalformedError for a key that is no name, or differs from a known one in a single letter.

    Unknown keys are allowed: engines add their own. One that is nearly a known key is that key, damaged.
    """
    for key in keys:
        if key in known:
            continue
        if not _NAME.fullmatch(key) or any(_near(key, other) for other in known):
            raise MalformedError(f"the key {key!r} looks like a damaged one")


def _near(one: str, other: str) -> bool:
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1


def solution(row: Json) -> Solution:
    """Return the solution that an element of `bindings` says.

    Source: qlever#2694: until 2026-02 QLever wrote `null` for a row without any value.
    """
    if row is None:
        return {}
    if not isinstance(row, dict):
        raise MalformedError("a row is not an object")
    return {name: term(bound) for name, bound in row.items()}


def plain_solution(row: dict[str, dict[str, str]]) -> Solution:
    """Return the solution of a row that a pattern of `json_rows` matched: nothing is left to check."""
    return {name: _plain_term(bound) for name, bound in row.items()}


def _plain_term(bound: dict[str, str]) -> Term:
    kind, value = bound["type"], bound["value"]
    if kind == "uri":
        return iri(value)
    if kind == "bnode":
        return blank(value.removeprefix("_:"))
    if len(bound) == 2:
        return literal(value)
    get = bound.get
    return literal(value, get("datatype", ""), get("xml:lang", ""), get("its:dir", ""))


def term(bound: Json, depth: int = 0) -> Term:
    """Return a term. Virtuoso's `typed-literal` is a literal, `iri` of an old QLever an IRI.

    Source: SPARQL 1.2 Query Results JSON Format section 3.2.2; qlever#677; for Stardog's `statement`, which has its
    parts beside the type, rdf4j#2502.
    """
    if not isinstance(bound, dict):
        raise MalformedError("a bound value is not an object")
    if not _TERM_KEYS.issuperset(bound):
        refuse_near(bound, _TERM_KEYS)
    kind = bound.get("type")
    value = bound.get("value")
    if kind in ("triple", "statement"):
        return _triple(bound if value is None else value, depth)
    if not isinstance(value, str):
        raise MalformedError("a bound value has no text")
    if kind in ("uri", "iri"):
        return iri(value)
    if kind == "bnode":
        return blank(value.removeprefix("_:"))
    if kind in ("literal", "typed-literal"):
        return _literal(bound, value)
    raise MalformedError(f"a bound value is of the unknown type {kind!r}")


def _literal(bound: dict[str, Json], value: str) -> Term:
    datatype, language, direction = (bound.get(key, "") for key in ("datatype", "xml:lang", "its:dir"))
    if not (isinstance(datatype, str) and isinstance(language, str) and direction in ("", "ltr", "rtl")):
        raise MalformedError("a literal has an unreadable datatype, language or direction")
    if language and not LANGUAGE_TAG.fullmatch(language):
        raise MalformedError("a literal has an unreadable datatype, language or direction")
    return literal(value, datatype, language, str(direction))


def _triple(value: Json, depth: int) -> Term:
    if depth > MAX_DEPTH or not isinstance(value, dict):
        raise MalformedError("a triple term is nested too deeply or has no parts")
    parts = [value.get(name, value.get(short)) for name, short in _PARTS]
    subject, predicate, object_ = (term(part, depth + 1) for part in parts)
    return triple(subject, predicate, object_)
