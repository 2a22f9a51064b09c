"""rdflib's reading of a query. Slow (8 to 60 ms) and correct where it reads at all."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rdflib import BNode, Literal, URIRef, Variable
from rdflib.paths import AlternativePath, InvPath, MulPath, NegatedPath, SequencePath
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery

from tests.oracles.canonical import Canon, Triple, alternative, literal, sequence, without_blanks

_REPEATS = {"*": "0,None", "+": "1,None", "?": "0,1"}


logging.getLogger("rdflib").setLevel(logging.CRITICAL)  # it logs each literal that is no proper date


def triples(text: str, prefixes: Mapping[str, str]) -> list[Triple]:
    """List the triple patterns of rdflib's algebra, templates included, in the common form.

    Raises: whatever rdflib raises on text that it cannot read.
    """
    query = translateQuery(parseQuery(text), initNs=dict(prefixes))
    found = list(_walk(query.algebra, set()))
    return without_blanks((_canon(s), _canon(p), _canon(o)) for s, p, o in found)


def without_dialect(text: str) -> str:
    """Write what only rdflib cannot read in a way that it can: ``OR``, space before ``*``, ``+`` and around ``^^``."""
    text = re.sub(r"(?<=[)\s])OR(?=[\s(!])", "||", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=[\w)])\s+([*+])(?=\s+[?\w<(])(?![^()]*AS)", r"\1", text)
    return re.sub(r"\s*\^\^\s*", "^^", text)


def _walk(node: Any, seen: set[int]) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the triples below a node of the algebra, and of what the algebra keeps as it was parsed (SERVICE)."""
    if id(node) in seen or isinstance(node, str):
        return
    seen.add(id(node))
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("triples", "template") and value:
                yield from _threes(value)
            elif key not in ("_vars", "PV"):
                yield from _walk(value, seen)
    elif isinstance(node, list | tuple):
        for value in node:
            yield from _walk(value, seen)


def _threes(value: Any) -> Iterator[tuple[Any, Any, Any]]:
    for item in value:
        flat = list(item)
        for at in range(0, len(flat), 3):
            yield flat[at], flat[at + 1], flat[at + 2]


def _canon(node: Any) -> Canon:
    match node:
        case URIRef():
            return f"<{node}>"
        case Variable():
            return f"?{node}"
        case BNode():
            return f"_:{node}"
        case Literal():
            return literal(str(node), str(node.datatype or ""), node.language or "")
        case InvPath():
            return ("^", _canon(node.arg))
        case SequencePath():
            return sequence(map(_canon, node.args))
        case AlternativePath():
            return alternative(map(_canon, node.args))
        case MulPath():
            return (_REPEATS[str(node.mod)], _canon(node.path))
        case NegatedPath():
            return ("!", *sorted(str(_canon(arg)) for arg in node.args))
    raise TypeError(f"not a term of rdflib: {node!r}")
