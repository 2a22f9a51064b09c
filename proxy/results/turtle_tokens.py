"""Turtle as tokens, read from bytes that may stop anywhere, and patterns that swallow whole triples.

A token is only matched when what follows shows that it has ended; at the end of a body the reader adds a line end.
"""

from __future__ import annotations

from proxy.patterns import compiled
from proxy.results.turtle_terms import BLANK, IRIREF, LANGUAGE, LITERAL, UCHAR

# Source: RDF 1.2 Turtle section 6.5.
SKIP = rb"(?:[ \t\r\n]++|#[^\r\n]*+[\r\n])*+"
_WORD = rb"[A-Za-z0-9_\-\x80-\xff]"
_ESCAPED = rb"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_PREFIX = rb"(?:[A-Za-z\x80-\xff]" + _WORD + rb"*+(?:\.++" + _WORD + rb"++)*+)?+"
_LOCAL_WORD = rb"(?:[A-Za-z0-9_:\-\x80-\xff]|" + _ESCAPED + rb")"
_LOCAL = rb"(?:(?!-)" + _LOCAL_WORD + rb"++(?:\.++" + _LOCAL_WORD + rb"++)*+)?+"
PNAME = _PREFIX + rb":" + _LOCAL
_ENDED = rb"(?=\.*+[^.A-Za-z0-9_:%\\\-\x80-\xff])"
_ESCAPE = rb"(?:\\[tbnrf\"'\\]|" + UCHAR + rb")"


def _short(quote: bytes) -> bytes:
    plain = rb"[^" + quote + rb"\\\r\n]*+"
    full = quote + rb"(?!" + quote + rb")" + plain + rb"(?:" + _ESCAPE + plain + rb")*+" + quote
    return full + rb"|" + quote * 2 + rb"(?!" + quote + rb")(?=[\x00-\xff])"


def _long(quote: bytes) -> bytes:
    plain = rb"[^" + quote + rb"\\]*+"
    inner = rb"(?:(?:" + quote + rb"{1,2}(?!" + quote + rb")|" + _ESCAPE + rb")" + plain + rb")*+"
    return quote * 3 + plain + inner


_STRING = rb"(?:" + rb"|".join((_long(b'"') + b'"""', _long(b"'") + b"'''", _short(b'"'), _short(b"'"))) + rb")"
_DATATYPE = rb"\^\^[ \t]*+(?:" + IRIREF + rb"|" + PNAME + _ENDED + rb")"
_LITERAL = (
    _STRING + rb"[ \t]*+(?:" + _DATATYPE + rb"|" + LANGUAGE + rb"(?=[^A-Za-z0-9\-])|(?<=[\"' \t])(?=[^ \t@^]))"
)  # fmt: skip
_NUMBER = rb"[+-]?(?:[0-9]++(?:\.[0-9]*+(?=[eE])|\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?=\.*+[^0-9eE.+\-])"
_KEYWORD = rb"(?:@prefix|@base|@version|a|true|false|(?i:prefix|base|version))" + _ENDED
_MARKS = rb"<<\(|<<(?=[^(])|\)>>|\)(?=[^>])|>>|\{\||\|\}|[\[\](;,~]|\.(?=[^0-9])"
TOKEN = compiled(
    SKIP + rb"(" + rb"|".join((IRIREF, PNAME + _ENDED, _LITERAL, BLANK + _ENDED, _KEYWORD, _NUMBER, _MARKS)) + rb")"
)
# A long string that goes on; everything else that is unfinished holds no line end.
UNFINISHED = compiled(
    SKIP + rb"(?:(?:" + _long(b'"') + rb"|" + _long(b"'") + rb")(?:\\(?:[uU][0-9A-Fa-f]{0,7})?)?|[^\r\n]*+)\Z"
)

# Patterns for one triple and what ends it. The groups but the last are the prefixes used.
_SPACE = rb"[ \t\r\n]*+"
_NAME = rb"(" + _PREFIX + rb"):" + _LOCAL + _ENDED
_SUBJECT = rb"(?:" + IRIREF + rb"|" + _NAME + rb"|" + BLANK + _ENDED + rb")"
_VERB = rb"(?:" + IRIREF + rb"|" + _NAME + rb"|a(?=[ \t\r\n<]))"
_OBJECT = (
    rb"(?:" + IRIREF + rb"|" + _NAME + rb"|" + LITERAL + rb"(?=[ \t\r\n.;,])"
    + rb"|\"[^\"\\\r\n]*+\"\^\^" + _NAME + rb"|" + BLANK + _ENDED + rb"|" + _NUMBER
    + rb"|(?:true|false)" + _ENDED + rb")"
)  # fmt: skip
_END = _SPACE + rb"(?:\.(?=[^0-9])|([;,]))"
TRIPLE = compiled(SKIP + _SPACE.join((_SUBJECT, _VERB, _OBJECT)) + _END)
AFTER_SEMICOLON = compiled(_SPACE + _SPACE.join((_VERB, _OBJECT)) + _END)
AFTER_COMMA = compiled(_SPACE + _OBJECT + _END)
