"""Check 12, judge: a model reads question, query and rows."""

from __future__ import annotations

from plugins.nl.gate.case import Case, Opinion

_NO_MODEL = Opinion(verdict="skipped", why="it takes a model, and this gate has none")


async def judge(case: Case) -> Opinion:
    """Say that nobody judged."""
    return _NO_MODEL
