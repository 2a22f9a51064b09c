"""What makes two queries the same question, and which questions have no answer that could be kept."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from plugins.cache.options import Share
from proxy.contract import Query
from proxy.results import Format
from proxy.syntax import Form, Iri, Syntax

if TYPE_CHECKING:
    from hashlib import blake2b

_DIGEST_BYTES = 20
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


class Keys:
    """Name questions. Two of them share a name only where every answer to one is an answer to the other."""

    def __init__(self, share: Share) -> None:
        self._by_key = share == "key"
        self._prefixes: dict[str, str] = {}

    def question(self, query: Query, epoch: int) -> blake2b:
        """Return the hash of all that decides an answer but its format.

        `repr` of strings, numbers and tuples never reads alike for two different values, whatever is in a text.
        """
        caller = query.caller
        seen_by = (caller.key,) if self._by_key else tuple(sorted(caller.rights))
        parts = (
            query.endpoint,
            epoch,
            query.syntax.normal,
            query.dataset.default,
            query.dataset.named,
            query.timeout_s,
            query.version,
            seen_by,
            self._implied(query),
        )
        return hashlib.blake2b(repr(parts).encode(), digest_size=_DIGEST_BYTES)

    def _implied(self, query: Query) -> str:
        """Return what stands for the prefixes of an endpoint: with others, the same text has another meaning."""
        found = self._prefixes.get(query.endpoint)
        if found is None:
            text = repr(sorted(query.syntax.implied.items())).encode()
            found = self._prefixes[query.endpoint] = hashlib.blake2b(text, digest_size=_DIGEST_BYTES).hexdigest()
        return found


def named(question: blake2b, formats: Sequence[Format]) -> bytes:
    """Return the name of a question that is answered in the first of these formats that can be made.

    An answer in the client's first format is kept under that one alone, since what else a client would take has not
    decided it; any other answer is kept under the whole list.
    """
    name = question.copy()
    name.update(repr([fmt.name for fmt in formats]).encode())
    return name.digest()
