"""Tokens of a query text, in one pass of one regular expression.

Every character belongs to a token or to the white space before one, whatever the text holds. Quantifiers are
possessive wherever what follows could fail, so no text makes the pass go back: its time grows with the length only.
Source: SPARQL 1.1 section 19.8 (productions 139 to 173), SPARQL 1.2 for ``<<``, ``{|``, ``~`` and ``@ar--rtl``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from proxy.errors import BadQuery, TooLarge
from proxy.patterns import compiled
from proxy.syntax.escapes import decode
from proxy.syntax.limits import Limits
from proxy.syntax.problems import position

_LETTER = (
    r"A-Za-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02FF\u0370-\u037D\u037F-\u1FFF\u200C-\u200D\u2070-\u218F\u2C00-\u2FEF"
    r"\u3001-\uD7FF\uF900-\uFDCF\uFDF0-\uFFFD\U00010000-\U000EFFFF"
)
_NAME = _LETTER + r"_0-9\u00B7\u0300-\u036F\u203F-\u2040-"
_VARIABLE = _NAME.removesuffix("-")
_ESCAPED = r"%[0-9A-Fa-f]{2}|\\[_~.\-!$&'()*+,;=/?#@%]"
_WORD = rf"[{_LETTER}](?:[{_NAME}]++|\.++(?=[{_NAME}]))*+"
_LOCAL = rf"(?:[{_LETTER}_:0-9]|{_ESCAPED})(?:[{_NAME}:]++|\.++(?=[{_NAME}:%\\])|{_ESCAPED})*+"

_IRI = r'<[^<>"{}|^`\\\x00-\x20]*+>'
_PREFIXED = rf"(?:{_WORD})?+:(?:{_LOCAL})?+"
_NUMBER = r"[+-]?(?:[0-9]++(?:\.[0-9]*+(?=[eE][+-]?[0-9])|\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
_LANGUAGE = r"@[A-Za-z]++(?:-[A-Za-z0-9]++)*+(?:--[A-Za-z]++)?+"
_SPACE = r"[ \t\r\n]"

# In the order of trial. Words and punctuation have no kind of their own: theirs is what they say.
_ALTERNATIVES = (
    ("variable", rf"[?$][{_LETTER}_0-9][{_VARIABLE}]*+"),
    ("name", _PREFIXED),
    ("word", _WORD),
    ("", r"[};,()]|\{(?!\|)|\.(?![0-9])"),
    ("iri", _IRI),
    ("string", r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*+"""' + "|" + r"'''(?:[^'\\]++|\\[\s\S]|'(?!''))*+'''"),
    ("unterminated", r"""(?:\"""|''')[\s\S]*+"""),
    ("string", r'"(?:[^"\\\r\n]++|\\.)*+"' + "|" + r"'(?:[^'\\\r\n]++|\\.)*+'"),
    ("unterminated", r"""["'][^\r\n]*+"""),
    ("number", _NUMBER),
    ("blank", rf"_:[{_LETTER}_0-9](?:[{_NAME}]++|\.++(?=[{_NAME}]))*+"),
    ("language", _LANGUAGE),
    ("", r"\^\^|\|\||&&|!=|<=|>=|<<|>>|\{\||\|\}|[\[\]^|/*+?!=<>.~-]"),
    ("solutions", r"%[A-Za-z_][A-Za-z0-9_-]*+"),
    ("end", r"\Z"),
    ("unknown", r"[\s\S]"),
)
# A constant as VALUES and INSERT DATA have it. Not among them: what an expression might have, as in (?a<?b)...>.
_PLAIN_IRI = r'<[A-Za-z][^<>"{}|^`\\()\x00-\x20]*+>'
_PLAIN_STRING = r""""(?!"")[^"\\\r\n]*+"|'(?!'')[^'\\\r\n]*+'"""
_PLAIN = rf"(?:{_PREFIXED}|{_PLAIN_IRI}|{_NUMBER}|{_PLAIN_STRING}|{_LANGUAGE}|\^\^|[.;,]|a(?={_SPACE})){_SPACE}*+"
_DATA = rf"(?:{_PLAIN}|\({_SPACE}*+(?:{_PLAIN}){{0,1000}}+\){_SPACE}*+){{4,1000}}+"


def _compile(alternatives: tuple[tuple[str, str], ...]) -> tuple[tuple[str, ...], re.Pattern[str]]:
    """Make the kinds by number of group, and the expression for one token and the space before it."""
    groups = "|".join(f"({pattern})" for _, pattern in alternatives)
    pattern = rf"(?:\A\ufeff)?+(?:{_SPACE}++|#[^\r\n]*+)*+(?:{groups})"
    return ("", *(kind for kind, _ in alternatives)), compiled(pattern)


_FINE = _compile(_ALTERNATIVES)
# For texts too long for the grammar: constants by the run, as in VALUES and INSERT DATA.
_COARSE = _compile((("data", _DATA), *_ALTERNATIVES))
# The names in such a run; what has no group is stepped over.
NAMES_IN_DATA = compiled(rf"{_PLAIN_IRI}|{_PLAIN_STRING}|{_LANGUAGE}|({_PREFIXED})|{_WORD}")
_LONGEST_SPLIT = 1000
_CLASSES = frozenset(kind for kind, _ in _ALTERNATIVES if kind not in ("", "word"))
_DOTTED = re.compile(r"[^.]+|\.")
_CLOSING = {"{": "}", "(": ")", "[": "]", "{|": "|}", "<<": ">>"}
_BRACKETS = frozenset((*_CLOSING, *_CLOSING.values()))


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text, side by side in lists of one length; the last one is the end of the text.

    Shapes: a token's kind is its class (``variable``, ``name``, ``iri``, ...), for a bare word the word in capitals
    (but ``a`` for the lone letter), for punctuation itself. ``texts`` have codepoint escapes undone. ``closing``
    maps the index of an opening bracket to that of its partner. ``faults`` are the indices of tokens that no SPARQL
    text can have, and of brackets without a partner. A ``coarse`` list has runs of constants as one token (``data``).

    Units: ``starts`` and ``ends`` are offsets into the original text.
    """

    kinds: list[str]
    texts: list[str]
    starts: list[int]
    ends: list[int]
    closing: dict[int, int]
    faults: list[int]
    coarse: bool


def tokenise(text: str, limits: Limits, operators: frozenset[int] = frozenset()) -> Tokens:
    """Split a text into tokens; at the (original) offsets in ``operators`` a ``<`` opens no IRI.

    Raises: TooLarge above ``max_tokens``, BadQuery above ``max_depth``.
    """
    decoded = decode(text)
    operators = frozenset(map(decoded.local, operators))
    lexed = _lex(decoded.text, _FINE, limits.max_checked_tokens, operators)
    coarse = lexed is None
    if lexed is None:
        lexed = _lex(decoded.text, _COARSE, limits.max_tokens, operators)
    if lexed is None or len(decoded.here) > limits.max_tokens:
        raise TooLarge(
            f"The query has more than {limits.max_tokens} tokens. "
            "Send it in parts, for example with fewer VALUES in each."
        )
    kinds, texts, starts = lexed
    ends = [start + len(text) for start, text in zip(starts, texts, strict=True)]
    if decoded.here:
        starts = [decoded.original(start) for start in starts]
        ends = [decoded.original(end) for end in ends]
    faults = []
    if "unknown" in kinds or "unterminated" in kinds:
        faults = [index for index, kind in enumerate(kinds) if kind in ("unknown", "unterminated")]
    closing, deep = _pair(kinds, limits, faults)
    if deep is not None:
        raise BadQuery(
            f"More than {limits.max_depth} brackets are open here. Nest fewer groups, expressions or lists.",
            **position(text, starts[deep])._asdict(),
        )
    return Tokens(kinds, texts, starts, ends, closing, faults, coarse)


_Lexed = tuple[list[str], list[str], list[int]]


def _lex(
    text: str, lexer: tuple[tuple[str, ...], re.Pattern[str]], most: int, operators: frozenset[int]
) -> _Lexed | None:
    """Cut a decoded text into kinds, texts and offsets; None where there are more than ``most``."""
    lexed: _Lexed = ([], [], [])
    offset = 0
    while offset >= 0:
        offset = _scan(text, offset, lexer, most, operators, lexed)
    return lexed if lexed[0][-1] == "end" else None


def _scan(
    text: str,
    offset: int,
    lexer: tuple[tuple[str, ...], re.Pattern[str]],
    most: int,
    operators: frozenset[int],
    lexed: _Lexed,
) -> int:
    """Append the tokens from an offset on; return the offset to go on from, -1 at the end or above ``most``."""
    known, pattern = lexer
    kinds, texts, starts = lexed
    for match in islice(pattern.finditer(text, offset), most + 1 - len(kinds)):
        group = match.lastindex or 0
        kind = known[group]
        word = match[group]
        if not kind:
            kind = word
        elif kind == "word":
            if "." in word and len(word) <= _LONGEST_SPLIT:
                _split(word, match.start(group), lexed)
                continue
            kind = word if word == "a" else capitals(word)
        elif kind == "iri" and operators and match.start(group) in operators:
            sign = "<=" if word[1] == "=" else "<"
            kinds.append(sign)
            texts.append(sign)
            starts.append(match.start(group))
            return match.start(group) + len(sign)
        kinds.append(kind)
        texts.append(word)
        starts.append(match.start(group))
        if kind == "end":
            return -1
    return -1


def spoken(text: str) -> tuple[str, ...]:
    """Return the words and signs of a part of a text that was read: bare words in capitals, all else as written."""
    tokens = tokenise(text, Limits())
    pairs = zip(tokens.kinds, tokens.texts, strict=True)
    return tuple(word if kind in _CLASSES else kind for kind, word in pairs if kind != "end")


def capitals(word: str) -> str:
    """Write a word in capitals as SPARQL compares keywords: ASCII letters only."""
    return word.upper() if word.isascii() else word


def _split(word: str, start: int, lexed: _Lexed) -> None:
    """Append the tokens of words that only dots keep apart, as in ``true.OPTIONAL``."""
    kinds, texts, starts = lexed
    for part in _DOTTED.finditer(word):
        text = part[0]
        digits = text.isascii() and text.isdigit()
        kinds.append("number" if digits else text if text == "a" else capitals(text))
        texts.append(text)
        starts.append(start + part.start())


def _pair(kinds: list[str], limits: Limits, faults: list[int]) -> tuple[dict[int, int], int | None]:
    """Match the brackets; append to ``faults`` those without a partner.

    An opening one without a partner is matched with the end of the text, so that reading can go on up to there.
    Returns: the pairs by opening index, and the index of the first bracket above ``max_depth``.
    """
    closing: dict[int, int] = {}
    stack: list[int] = []
    for index in [index for index, kind in enumerate(kinds) if kind in _BRACKETS]:
        kind = kinds[index]
        if kind in _CLOSING:
            stack.append(index)
            if len(stack) > limits.max_depth:
                return closing, index
        elif stack and _CLOSING[kinds[stack[-1]]] == kind:
            closing[stack.pop()] = index
        else:
            faults.append(index)
    faults += stack
    closing.update(dict.fromkeys(stack, len(kinds) - 2))
    return closing, None
