"""The head of an answer: read until it shows whether anything was found."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from plugins.schema.case import counts
from proxy.contract import Reply
from proxy.results.state import Completeness
from proxy.syntax import Syntax

# So far an answer is read for its first row.
# Units: bytes.
_HEAD_BYTES = 64 * 1024
# A count of nothing, in JSON, XML, CSV and TSV.
_ZERO = re.compile(rb'"value"\s*:\s*"0"|>0</literal>|\n"?0"?(?:\^\^<[^<>\s]*>)?\s*\Z')


async def begun(reply: Reply, syntax: Syntax) -> tuple[Reply, bool]:
    """Return a reply with its first row at hand, or as a whole, and whether it is whole and found nothing.

    The only row of a query that counts is read to its end, and 0 is nothing.
    """
    counting = counts(syntax)
    first: list[bytes] = []
    size = 0
    try:
        while size <= _HEAD_BYTES and (chunk := await anext(reply.chunks, None)) is not None:
            first.append(chunk)
            size += len(chunk)
            if (reply.state.rows and not counting) or reply.state.completeness is not Completeness.OPEN:
                break
    except BaseException:
        await reply.aclose()
        raise
    whole = reply.status == 200 and reply.state.completeness is Completeness.COMPLETE
    nothing = whole and (reply.state.empty or (counting and _ZERO.search(b"".join(first)) is not None))
    return (replace(reply, chunks=_joined(first, reply.chunks)) if first else reply), nothing


async def _joined(first: Sequence[bytes], rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for chunk in first:
        yield chunk
    async for chunk in rest:
        yield chunk
