"""What a client's Cache-Control asks for."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """Say how old an answer may be, and whether it may be kept.

    Units: ``max_age_s`` in seconds; below 0 not even a new one of the cache will do. Source: RFC 9111 section 5.2.1.
    """

    max_age_s: float = inf
    store: bool = True

    @property
    def stale(self) -> bool:
        """Whether an answer that is no longer fresh will do."""
        return self.max_age_s == inf


ANYTHING = Wish()


def wish(cache_control: str | None) -> Wish:
    """Read a Cache-Control header. What it does not know it ignores, as it should; a bad number counts as 0."""
    if not cache_control:
        return ANYTHING
    max_age_s, store = inf, True
    for part in cache_control.lower().split(","):
        name, _, value = part.strip().partition("=")
        if name == "no-store":
            store = False
        elif name == "no-cache":
            max_age_s = -1.0
        elif name == "max-age":
            number = value.strip().strip('"')
            max_age_s = min(max_age_s, float(number) if number.isascii() and number.isdigit() else 0.0)
    return Wish(max_age_s=max_age_s, store=store)


def matches(if_none_match: str | None, etag: str) -> bool:
    """Return whether a client has this answer already.

    Source: RFC 9110 section 13.1.2, by the weak comparison of section 8.8.3.2.
    """
    if not if_none_match:
        return False
    offered = [part.strip() for part in if_none_match.split(",")]
    return "*" in offered or etag.removeprefix("W/") in (part.removeprefix("W/") for part in offered)
