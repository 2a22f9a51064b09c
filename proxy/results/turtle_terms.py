"""Terms in the syntax that N-Triples, Turtle and TSV share."""

from __future__ import annotations

import re

from proxy.results.bounds import MAX_DEPTH
from proxy.results.reader import MalformedError
from proxy.results.terms import XSD, Term, blank, iri, literal, triple

# Patterns over bytes, for lines that are swallowed whole. What stands within < > is not judged: real graphs hold IRIs
# with spaces and braces, and no reader is helped by an answer that breaks off there.
# Source: RDF 1.2 N-Triples section 7, RDF 1.2 Turtle section 6.5, SPARQL 1.2 CSV and TSV section 4.
_HEX = rb"[0-9A-Fa-f]"
# Four digits that name no half of a surrogate pair.
_FOUR = rb"(?:[0-9A-CE-Fa-ce-f]" + _HEX + rb"{3}|[Dd][0-7]" + _HEX + rb"{2})"
UCHAR = rb"\\(?:u" + _FOUR + rb"|U(?:0000" + _FOUR + rb"|00(?:0[1-9A-Fa-f]|10)" + _HEX + rb"{4}))"
IRIREF = rb"<[^<>\"\\\x00-\x1f]*+(?:" + UCHAR + rb"[^<>\"\\\x00-\x1f]*+)*+>"
_WORD = rb"[A-Za-z0-9_\-\x80-\xff]"
BLANK = rb"_:[A-Za-z0-9_\x80-\xff]" + _WORD + rb"*+(?:\.++" + _WORD + rb"++)*+"
_ESCAPE = rb"(?:\\[tbnrf\"'\\]|" + UCHAR + rb")"
_QUOTED = rb'"[^"\\\r\n]*+(?:' + _ESCAPE + rb'[^"\\\r\n]*+)*+"'
# A raw tab would end a cell of TSV.
_CELL_QUOTED = rb'"[^"\\\r\n\t]*+(?:' + _ESCAPE + rb'[^"\\\r\n\t]*+)*+"'
LANGUAGE = rb"@[A-Za-z]++(?:-[A-Za-z0-9]++)*+(?:--(?:ltr|rtl))?+"
_TAIL = rb"(?:\^\^" + IRIREF + rb"|" + LANGUAGE + rb")?+"
NUMBER = rb"[+-]?(?:[0-9]++(?:\.[0-9]*+)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
LITERAL = _QUOTED + _TAIL
CELL = rb"(?:" + IRIREF + rb"|" + _CELL_QUOTED + _TAIL + rb"|" + BLANK + rb"|" + NUMBER + rb"|true|false)"

# The same over text, one term with its parts.
_TERM = re.compile(
    r"<(?P<iri>[^<>\"\\\x00-\x1f]*(?:\\[uU][0-9A-Fa-f]+[^<>\"\\\x00-\x1f]*)*)>"
    r"|_:(?P<blank>[A-Za-z0-9_\x80-\U0010ffff][A-Za-z0-9_\-\x80-\U0010ffff]*(?:\.+[A-Za-z0-9_\-\x80-\U0010ffff]+)*)"
    r"|(?:\"(?P<quoted>[^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*)\"|'(?P<single>[^'\\\r\n]*(?:\\.[^'\\\r\n]*)*)')"
    r"(?:\^\^<(?P<datatype>[^<>\"\\\x00-\x1f]*(?:\\[uU][0-9A-Fa-f]+[^<>\"\\\x00-\x1f]*)*)>|@(?P<language>[A-Za-z]+(?:-[A-Za-z0-9]+)*)(?:--(?P<direction>ltr|rtl))?)?"
    r"|(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?)"
    r"|(?P<boolean>true|false)(?![A-Za-z0-9_:.-])"
    r"|(?P<open><<\(?)"
)
_SPACE = re.compile(r"[ \t]*")
_ESCAPED = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_LETTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def unescaped(text: str) -> str:
    """Return the text with its escapes undone. Raises MalformedError for an unknown one."""
    return _ESCAPED.sub(_unescaped_one, text) if "\\" in text else text


def _unescaped_one(found: re.Match[str]) -> str:
    if letter := found[3]:
        if letter not in _LETTERS:
            raise MalformedError("a literal or IRI holds an unknown escape")
        return _LETTERS[letter]
    code = int(found[1] or found[2], 16)
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise MalformedError("an escape names no character")
    return chr(code)


def skip_space(text: str, position: int) -> int:
    """Return the position after spaces and tabs."""
    found = _SPACE.match(text, position)
    return position if found is None else found.end()


def term_of(text: str) -> Term:
    """Return the term of a text that `CELL`, or the pattern of N-Triples, matched: nothing is left to check."""
    first = text[0]
    if first == "<":
        return iri(unescaped(text[1:-1]))
    if first == "_":
        return blank(text[2:])
    if first != '"':
        return read_term(text, 0)[0]
    end = text.rindex('"')
    value, tail = unescaped(text[1:end]), text[end + 1 :]
    if not tail:
        return literal(value)
    if tail[0] == "^":
        return literal(value, unescaped(tail[3:-1]))
    language, _, direction = tail[1:].partition("--")
    return literal(value, "", language, direction)


def read_term(text: str, position: int, depth: int = 0) -> tuple[Term, int]:
    """Return the term that starts at a position and the position after it. Raises MalformedError."""
    found = _TERM.match(text, position)
    if found is None:
        raise MalformedError("expected a term")
    kind = found.lastgroup
    if kind == "iri":
        return iri(unescaped(found["iri"])), found.end()
    if kind == "blank":
        return blank(found["blank"]), found.end()
    if kind == "open":
        return _read_triple(text, found.end(), found["open"], depth)
    return _literal(found), found.end()


def _literal(found: re.Match[str]) -> Term:
    if number := found["number"]:
        name = "double" if found["exponent"] else "decimal" if "." in number else "integer"
        return literal(number, XSD + name)
    if found["boolean"]:
        return literal(found["boolean"], XSD + "boolean")
    quoted = found["quoted"]
    text = unescaped(found["single"] if quoted is None else quoted)
    return literal(text, unescaped(found["datatype"] or ""), found["language"] or "", found["direction"] or "")


def _read_triple(text: str, position: int, opening: str, depth: int) -> tuple[Term, int]:
    """Read a triple term; without round brackets it is the older RDF-star form."""
    if depth > MAX_DEPTH:
        raise MalformedError(f"triple terms are nested more than {MAX_DEPTH} deep")
    parts = []
    for _ in range(3):
        part, position = read_term(text, skip_space(text, position), depth + 1)
        parts.append(part)
    position = skip_space(text, position)
    closing = ")>>" if opening == "<<(" else ">>"
    if not text.startswith(closing, position):
        raise MalformedError("a triple term is not closed")
    subject, predicate, object_ = parts
    return triple(subject, predicate, object_), position + len(closing)
