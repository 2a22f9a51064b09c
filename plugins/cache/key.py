"""What makes two queries the same question, and which questions have no answer that could be kept."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

from plugins.cache.options import Share
from proxy.contract import Query
from proxy.results import Format
from proxy.syntax import Form, Iri, Syntax

if TYPE_CHECKING:
    from hashlib import blake2b

Parts = tuple[object, ...]

_DIGEST_BYTES = 20
# So many names are remembered, of questions with texts of up to so many characters and without graphs of their own.
_KEPT_NAMES = 2048
_KEPT_LENGTH = 4000
# Virtuoso's DEFINE of these fetches pages from the web while the query runs.
_FETCHING_PRAGMAS = ("get:", "input:grab")


def uncacheable(syntax: Syntax, services: Collection[str]) -> str | None:
    """Return why no answer to a text may be kept, as one word, or None.

    A text that the grammar could not read is as good as any: its normal form is the text itself, and fickle functions
    and SERVICE are found without the grammar.
    """
    if syntax.volatile:
        return "volatile"
    if syntax.services and not all(_is_own(service.target, services) for service in syntax.services):
        return "service"
    if syntax.form in (Form.UPDATE, Form.OTHER):
        return "form"
    if syntax.pragmas and any(name.lower().startswith(_FETCHING_PRAGMAS) for name in syntax.pragmas):
        return "pragma"
    return None


def _is_own(target: object, services: Collection[str]) -> bool:
    return isinstance(target, Iri) and target.value in services


class Names(NamedTuple):
    """The names under which answers to a question may be kept.

    An answer in the client's first format is kept under ``narrow``, by that one alone, since what else a client would
    take has not decided it; any other answer is kept under ``whole``, by the list of all.
    """

    narrow: bytes
    whole: bytes

    @property
    def likely(self) -> tuple[bytes, ...]:
        """Each name once, the likely one first."""
        return (self.narrow,) if self.narrow == self.whole else (self.narrow, self.whole)


class Keys:
    """Name questions. Two of them share a name only where every answer to one is an answer to the other."""

    def __init__(self, share: Share) -> None:
        self._by_key = share == "key"
        self._prefixes: dict[str, str] = {}
        # The same question comes again and again where there is something to gain.
        self._remembered = functools.lru_cache(_KEPT_NAMES)(_names)

    def names(self, query: Query, epoch: int) -> Names:
        """Return the names of a question."""
        short = len(query.text) <= _KEPT_LENGTH and not query.dataset
        names = self._remembered if short else _names
        return names(self._parts(query, epoch), query.formats)

    def _parts(self, query: Query, epoch: int) -> Parts:
        """Return all that decides an answer but its format."""
        caller = query.caller
        return (
            query.endpoint,
            epoch,
            query.syntax.normal,
            query.dataset.default,
            query.dataset.named,
            query.timeout_s,
            query.version,
            caller.key if self._by_key else caller.rights,
            self._implied(query),
        )

    def _implied(self, query: Query) -> str:
        """Return what stands for the prefixes of an endpoint: with others, the same text has another meaning."""
        found = self._prefixes.get(query.endpoint)
        if found is None:
            text = repr(sorted(query.syntax.implied.items())).encode()
            found = self._prefixes[query.endpoint] = hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
        return found


def _names(parts: Parts, formats: Sequence[Format]) -> Names:
    # `repr` of strings, numbers and tuples never reads alike for two different values, whatever is in a text.
    question = hashlib.blake2b(repr(tuple(map(_ordered, parts))).encode(), digest_size=_DIGEST_BYTES)
    narrow = _named(question, formats[:1])
    return Names(narrow, narrow if len(formats) == 1 else _named(question, formats))


def _ordered(part: object) -> object:
    """Return what reads alike in all workers: the order of a set is each one's own."""
    return tuple(sorted(part)) if isinstance(part, frozenset) else part


def _named(question: blake2b, formats: Sequence[Format]) -> bytes:
    name = question.copy()
    name.update(repr([fmt.name for fmt in formats]).encode())
    return name.digest()
