"""A reply made of an entry, with the headers that say where it comes from."""

from __future__ import annotations

from collections.abc import AsyncIterator

from multidict import CIMultiDict

from plugins.cache.directives import matches
from plugins.cache.entry import Entry
from proxy.contract import Query, Reply
from proxy.results.state import Completeness, State

STATUS = "Cache-Status"


def status(words: str) -> dict[str, str]:
    """Return the header that says what the cache did. Source: RFC 9211."""
    return {STATUS: f"saga; {words}"}


def manners(query: Query) -> str:
    """Return what a client's own cache is told: keep it, and ask before each use; only an entry knows of updates."""
    return "private, no-cache" if query.caller.key else "no-cache"


def answered(
    entry: Entry, chunks: AsyncIterator[bytes], query: Query, now: float, how: str, waited_s: float = 0.0
) -> Reply:
    """Return the answer, or only its name where the client has it already.

    Shapes: ``how`` is what Cache-Status says before the time left, which is below 0 for a stale answer.
    Units: ``waited_s`` is how long this query waited for somebody else's, in seconds.
    """
    age_s = max(0.0, now - entry.born)
    headers = CIMultiDict(entry.headers)
    headers["ETag"] = entry.etag
    headers["Age"] = str(int(age_s))
    headers["Cache-Control"] = manners(query)
    headers[STATUS] = f"saga; {how}; ttl={int(entry.fresh_s - age_s)}"
    known = not entry.partial and matches(query.hints.get("if-none-match"), entry.etag)
    state = State(
        completeness=Completeness.PARTIAL if entry.partial else Completeness.COMPLETE,
        partial=entry.partial,
        rows=entry.rows,
        boolean=entry.boolean,
        size=0 if known else entry.size,
    )
    return Reply(
        status=304 if known else 200,
        format=entry.format,
        chunks=_none() if known else chunks,
        state=state,
        headers=headers,
        version=entry.version,
        upstream_s=waited_s,
    )


async def _none() -> AsyncIterator[bytes]:
    """Yield nothing."""
    empty: tuple[bytes, ...] = ()
    for each in empty:
        yield each
