"""What a question is compared with: gold answers from the endpoint or the file, or why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Self

from plugins.evaluation.gold import is_nothing
from plugins.nl.contract import Table
from proxy.errors import ClientError, ProxyError, TooMany, UpstreamError

Reason = Literal["empty", "cut", "timeout", "refused", "failed", "no_query", "no_answers", "language", "unavailable"]
# Why a question is left out of all figures.
REASONS: Mapping[Reason, str] = {
    "empty": "the gold query finds nothing here",
    "cut": "the gold answer is not whole: too many rows, or cut by the endpoint",
    "timeout": "the gold query takes too long",
    "refused": "the gold query is not taken: syntax, or a form that is no SELECT or ASK",
    "failed": "the gold query fails on this endpoint",
    "no_query": "there is no gold query",
    "no_answers": "the file has no answers",
    "language": "the question is not there in this language",
    "unavailable": "the endpoint was gone; --resume asks again",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The gold answer. ``left_out`` says why there is none to compare with, ``why`` in the endpoint's words."""

    table: Table | None = None
    left_out: Reason | Literal[""] = ""
    why: str = ""

    @classmethod
    def failed(cls, error: ProxyError) -> Self:
        """Return what an error makes of a gold query: what may pass by itself is `unavailable`."""
        if error.status == 504:
            return cls(left_out="timeout", why=error.detail)
        if isinstance(error, UpstreamError | TooMany):
            return cls(left_out="unavailable", why=error.detail)
        return cls(left_out="refused" if isinstance(error, ClientError) else "failed", why=error.detail)


def judged(table: Table) -> Truth:
    """Return a gold answer as far as it can be compared with."""
    if not table.complete or table.total > len(table.rows):
        return Truth(left_out="cut")
    return Truth(left_out="empty") if is_nothing(table) else Truth(table=table)
