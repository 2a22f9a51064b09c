"""The prefixes that an endpoint implies, as a key: hashed once, not at every query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


class Prefixes(Mapping[str, str]):
    """Map prefixes to namespaces; never changes, and equal ones are the same key."""

    __slots__ = ("_hash", "_items", "plain")

    def __init__(self, namespaces: Mapping[str, str]) -> None:
        # For readers only, which copy it; a plain dictionary is copied ten times as fast.
        self.plain = dict(namespaces)
        self._items = tuple(self.plain.items())
        self._hash = hash(self._items)

    @classmethod
    def of(cls, namespaces: Mapping[str, str]) -> Prefixes:
        """Return the mapping itself where it is one already."""
        return namespaces if isinstance(namespaces, cls) else cls(namespaces)

    def __getitem__(self, prefix: str) -> str:
        """Return the namespace of a prefix."""
        return self.plain[prefix]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the prefixes."""
        return iter(self.plain)

    def __len__(self) -> int:
        """Count the prefixes."""
        return len(self.plain)

    def __hash__(self) -> int:
        """Return the hash that was made once."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Compare; one and the same object is the common case."""
        return self is other or (isinstance(other, Prefixes) and self._items == other._items)
