"""The class hierarchy: mapped arrays of parents, and closures that are kept within a bound of bytes."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from cachetools import LRUCache

from plugins.schema.container import Container
from plugins.schema.names import Lists, Names, pack_lists, pack_names

# A class with more superclasses than this is not known: the walk ends here, so that no graph can stall a worker.
# The closure of a class of Wikidata has some 50, at most about 1,000.
MOST_SUPERCLASSES = 20_000
CLOSURE_BYTES = 64 * 1024 * 1024
_NAMES_KEPT = 65_536
_KNOWN = 1
# One number of a closure beside its place in the set.
_NUMBER_BYTES = 28


class _Closure(NamedTuple):
    numbers: frozenset[int]
    whole: bool


_NOTHING = _Closure(frozenset(), False)


class Hierarchy:
    """Classes by IRI and by number, and what is above them. Cycles do no harm."""

    def __init__(self, container: Container, closure_bytes: int = CLOSURE_BYTES) -> None:
        self._names = Names(container, "classes")
        self._parents = Lists(container, "parents")
        self._flags = container.numbers("class_flags", "B")
        if not len(self._names) == len(self._parents) == len(self._flags):
            raise container.damaged("its classes and their superclasses differ in number")
        self._closures: LRUCache[int, _Closure] = LRUCache(closure_bytes, getsizeof=_weight)
        self._most = closure_bytes // 4
        self._number = lru_cache(_NAMES_KEPT)(self._names.number)

    def __len__(self) -> int:
        return len(self._names)

    def number(self, iri: str) -> int | None:
        """Return the number of a class, or None."""
        return self._number(iri)

    def iri(self, number: int) -> str:
        """Return the IRI of a class."""
        return self._names[number]

    def up(self, iri: str) -> frozenset[int]:
        """Return the class and all its superclasses; nothing for a class that the index does not have."""
        return self._closure(iri).numbers

    def known(self, iri: str) -> bool:
        """Whether a path from the class reaches a root."""
        number = self.number(iri)
        return number is not None and bool(self._flags[number] & _KNOWN) and self._closure(iri).whole

    def is_under(self, iri: str, above: str) -> bool:
        """Whether a class is another one or below it; a class that the index does not have is under itself only."""
        if iri == above:
            return True
        number = self.number(above)
        return number is not None and number in self.up(iri)

    def parents(self, iri: str) -> tuple[str, ...]:
        """Return the direct superclasses."""
        number = self.number(iri)
        return () if number is None else tuple(self.iri(each) for each in self._parents[number])

    def _closure(self, iri: str) -> _Closure:
        number = self.number(iri)
        if number is None:
            return _NOTHING
        kept = self._closures.get(number)
        if kept is None:
            kept = self._walk(number)
            if _weight(kept) <= self._most:
                self._closures[number] = kept
        return kept

    def _walk(self, number: int) -> _Closure:
        seen = {number}
        open_ = [number]
        while open_:
            for parent in self._parents[open_.pop()]:
                if parent not in seen:
                    seen.add(parent)
                    open_.append(parent)
            if len(seen) > MOST_SUPERCLASSES:
                return _Closure(frozenset(seen), False)
        return _Closure(frozenset(seen), True)


def _weight(closure: _Closure) -> int:
    return sys.getsizeof(closure.numbers) + _NUMBER_BYTES * len(closure.numbers) + 200


def reaching(roots: Sequence[int], parents: Sequence[Sequence[int]]) -> bytearray:
    """Return one byte per class: 1 where a path of superclasses reaches one of the roots."""
    children: list[list[int]] = [[] for _ in parents]
    for number, above in enumerate(parents):
        for parent in above:
            children[parent].append(number)
    flags = bytearray(len(parents))
    open_ = list(roots)
    for root in open_:
        flags[root] = _KNOWN
    while open_:
        for child in children[open_.pop()]:
            if not flags[child]:
                flags[child] = _KNOWN
                open_.append(child)
    return flags


def pack_hierarchy(
    iris: Sequence[str], parents: Sequence[Sequence[int]], flags: bytes | bytearray
) -> dict[str, list[bytes]]:
    """Return the sections of `Hierarchy`."""
    return {**pack_names("classes", iris), **pack_lists("parents", parents), "class_flags": [bytes(flags)]}
