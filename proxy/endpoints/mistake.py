"""A mistake in the client's text, said in our own words where our own reader stumbled over it too."""

from __future__ import annotations

from proxy.contract import Query
from proxy.errors import BadQuery


def in_our_words(query: Query, private: str) -> BadQuery | None:
    """Return the error with line, column and what was expected, or None where we read the text well."""
    problem = query.syntax.problem
    if problem is None:
        return None
    return BadQuery(str(problem), line=problem.line, column=problem.column, private=private)
