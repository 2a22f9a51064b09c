"""JSON as tokens, read from bytes that may stop anywhere, and a grammar for any value.

The grammars are generators: they are sent one token (its bytes) at a time and so keep their place between chunks.
The standard parser needs the whole text at once; this one is only used where no faster way fits.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator

from proxy.patterns import compiled
from proxy.results.bounds import MAX_DEPTH, MAX_ROW_BYTES
from proxy.results.reader import MalformedError

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Grammar = Generator[None, bytes, None]
Reading = Generator[None, bytes, Json]

SPACE = rb"[ \t\r\n]*+"
# Source: RFC 8259 section 7. The bytes above 0x7f are checked as UTF-8 elsewhere.
STRING = rb'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"'
_NUMBER = rb"-?(?:0|[1-9][0-9]{0,400})(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,5})?"
# A number or word may go on in the next chunk: only what follows shows that it has ended.
TOKEN = compiled(
    SPACE + rb"(" + STRING + rb"|[{}\[\],:]|(?:" + _NUMBER + rb"|true|false|null)(?=[ \t\r\n,\]}]))",
)
UNFINISHED = compiled(
    SPACE
    + rb'(?:"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+(?:\\(?:u[0-9a-fA-F]{0,3})?)?'
    rb"|-?[0-9][0-9.eE+-]{0,1000}|-|t(?:r(?:ue?)?)?|f(?:a(?:l(?:se?)?)?)?|n(?:u(?:ll?)?)?)?\Z",
)


def _nested(levels: int) -> bytes:
    """Return a pattern for an object whose values are nested no deeper than this."""
    value = rb"(?:" + STRING + rb"|(?:" + _NUMBER + rb"|true|false|null)(?=[ \t\r\n,\]}]))"
    for _ in range(levels):
        pair = STRING + SPACE + rb":" + SPACE + value + SPACE
        found = rb"\{" + SPACE + rb"(?:" + pair + rb"(?:," + SPACE + rb'(?=")|(?=\})))*+\}'
        array = rb"\[" + SPACE + rb"(?:" + value + SPACE + rb"(?:," + SPACE + rb"(?!\])|(?=\])))*+\]"
        value = (
            rb"(?:"
            + STRING
            + rb"|"
            + found
            + rb"|"
            + array
            + rb"|(?:"
            + _NUMBER
            + rb"|true|false|null)(?=[ \t\r\n,\]}]))"
        )
    return found


# A whole object in an array, with the comma behind it. What is nested deeper is read token by token.
NODE = compiled(SPACE + rb"(" + _nested(5) + rb")" + SPACE + rb"," + SPACE)


class Budget:
    """Bound how much text one value may be made of: it must be held until it is whole."""

    def __init__(self) -> None:
        self._left = MAX_ROW_BYTES

    def spend(self, token: bytes) -> None:
        """Count a token. Raises MalformedError when the value is too long."""
        self._left -= len(token)
        if self._left < 0:
            raise MalformedError(f"a single value is longer than {MAX_ROW_BYTES} bytes")


def expect(token: bytes, wanted: bytes) -> None:
    """Raise MalformedError unless the token is the one that must stand here."""
    if token != wanted:
        raise MalformedError(f"expected {wanted.decode()!r}")


def text_of(token: bytes) -> str:
    """Return what a string token says. Raises MalformedError for any other token."""
    if token[:1] != b'"':
        raise MalformedError("expected a string")
    return str(json.loads(token))


def value(token: bytes, budget: Budget, depth: int = 0) -> Reading:
    """Read any value whose first token is given, and return it. An object with two equal keys is refused."""
    budget.spend(token)
    if depth > MAX_DEPTH:
        raise MalformedError(f"values are nested more than {MAX_DEPTH} deep")
    if token == b"{":
        return (yield from _object(budget, depth))
    if token == b"[":
        return (yield from _array(budget, depth))
    if token in (b"}", b"]", b",", b":"):
        raise MalformedError("expected a value")
    found: Json = json.loads(token)
    return found


def _object(budget: Budget, depth: int) -> Reading:
    found: dict[str, Json] = {}

    def member(key: str) -> Grammar:
        found[key] = yield from value((yield), budget, depth + 1)

    yield from members(member, budget)
    return found


def _array(budget: Budget, depth: int) -> Reading:
    found: list[Json] = []
    token = yield
    if token == b"]":
        return found
    while True:
        found.append((yield from value(token, budget, depth + 1)))
        token = yield
        if token == b"]":
            return found
        expect(token, b",")
        token = yield


def members(member: Callable[[str], Grammar], budget: Budget) -> Grammar:
    """Read an object after its opening bracket; ``member`` reads what follows each colon."""
    token = yield
    if token != b"}":
        yield from _members_from(token, member, budget, set())


def more_members(member: Callable[[str], Grammar], budget: Budget, seen: set[str]) -> Grammar:
    """Read the rest of an object after the value of its member; the keys of ``seen`` may not come again."""
    token = yield
    if token != b"}":
        expect(token, b",")
        yield from _members_from((yield), member, budget, seen)


def _members_from(token: bytes, member: Callable[[str], Grammar], budget: Budget, seen: set[str]) -> Grammar:
    while True:
        key = text_of(token)
        budget.spend(token)
        if key in seen:
            raise MalformedError("an object has the same key twice")
        seen.add(key)
        expect((yield), b":")
        yield from member(key)
        token = yield
        if token == b"}":
            return
        expect(token, b",")
        token = yield
