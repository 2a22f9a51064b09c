"""Tell what format a body is in by its first bytes, for endpoints that label it wrongly or not at all."""

from __future__ import annotations

import codecs
import re

from proxy.patterns import compiled
from proxy.results.formats import Format
from proxy.results.ntriples_reader import STATEMENT

_SPACE_OR_COMMENT = compiled(rb"(?:[ \t\r\n]++|#[^\r\n]*+(?:[\r\n]|\Z))*+")
_RESULTS = compiled(
    rb'\{\s*+(?:"(?:head|results|boolean)"\s*+:|"[^"]*+"\s*+:.*"(?:head|results)"\s*+:\s*+\{)', re.DOTALL
)
_NODES = compiled(rb'(?:\[\s*+)?\{\s*+(?:"@[a-z]+"\s*+:|"[^"]*+"\s*+:.*"@(?:context|graph|id|type)"\s*+:)', re.DOTALL)
_EMPTY_ARRAY = compiled(rb"\[\s*+(?:\{\s*+\}\s*+)?\]\s*+\Z")
_PROLOG = compiled(rb"(?:\s++|<\?.*?\?>|<!--.*?-->)*+", re.DOTALL)
_ROOT = compiled(rb"<(?:[A-Za-z_][\w.\-]*+:)?(sparql|RDF)[\s>/]")
_DIRECTIVE = compiled(rb"(?:@prefix|@base|@version|prefix|base|version)[ \t]", re.IGNORECASE)
_SUBJECT = compiled(
    rb"(?:<[^<>\s\":]*+:[^<>\s\"]*+>|_:[^\s<>\"]++|\[[^\[\]]*+\]|<<)[ \t\r\n]*+(?:<|a[ \t\r\n<]|[^\s<>\"]*+:)"
)
_TSV = compiled(rb"\?[^\s<>\"?$,]++(?:\t\?[^\s<>\"?$,]++)*+\r?\n")
# One column could be any word: only several, or the line end that the standard asks for and a row, show CSV.
_NAME = rb"\"?[A-Za-z_\x80-\xff][\w\x80-\xff]*+\"?"
_CSV = compiled(_NAME + rb"(?:(?:," + _NAME + rb")++\r?\n|\r\n[^\r\n]++\r\n)")


def sniff(head: bytes) -> Format | None:
    """Return the format that a body beginning like this is in, None for error pages and other text.

    A kilobyte is enough. Turtle that is N-Triples too is called N-Triples, the smaller language.
    """
    head = head.removeprefix(codecs.BOM_UTF8)
    text = head.lstrip(b" \t\r\n")
    first = text[:1]
    if first in (b"{", b"["):
        return _sniff_brackets(text)
    if first == b"<":
        return _sniff_xml(text) or _sniff_triples(text)
    if _TSV.match(head):
        return Format.TSV
    return _sniff_triples(text) or (Format.CSV if _CSV.match(text) else None)


def _sniff_brackets(text: bytes) -> Format | None:
    if _RESULTS.match(text):
        return Format.JSON
    if _NODES.match(text) or _EMPTY_ARRAY.match(text):
        return Format.JSONLD
    return _sniff_triples(text) if text[:1] == b"[" else None


def _sniff_xml(text: bytes) -> Format | None:
    prolog = _PROLOG.match(text)
    root = _ROOT.match(text, prolog.end() if prolog else 0)
    if root is None:
        return None
    return Format.XML if root[1] == b"sparql" else Format.RDFXML


def _sniff_triples(text: bytes) -> Format | None:
    comments = _SPACE_OR_COMMENT.match(text)
    text = text[comments.end() :] if comments else text
    if _DIRECTIVE.match(text):
        return Format.TURTLE
    if STATEMENT.match(text):
        return Format.NTRIPLES
    return Format.TURTLE if _SUBJECT.match(text) else None
