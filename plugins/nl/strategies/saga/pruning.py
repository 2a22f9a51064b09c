"""LLMPrune: where nothing is known of a thing's type, the model says which of its properties may be of use.

Source: SAGA, appendix F.3.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from plugins.nl.model.contract import TooLong, Unreadable
from plugins.nl.prompts import prompt
from plugins.nl.strategies.saga.attempt import Attempt
from plugins.nl.strategies.saga.compact import keeping, raw_lines
from plugins.nl.tools import Neighbourhood
from plugins.nl.tools.wording import clipped
from plugins.schema.order import Ordered

_WORD = re.compile(r"[^\s,;()\[\]\"']+")
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"keep": {"type": "string"}},
    "required": ["keep"],
    "additionalProperties": False,
}


async def llm_prune(attempt: Attempt, neighbors: Neighbourhood) -> Neighbourhood:
    """Line 14 of Algorithm 1. What is not kept is folded; by the published rule it is removed.

    A reply that names none of the properties keeps them all. Raises OutOfBudget, ModelUnavailable.
    """
    lines = clipped(raw_lines(neighbors, attempt.tools)).splitlines()
    if not lines:
        return neighbors
    asked = prompt(
        "prune",
        "prune",
        entity=attempt.tools.labels.named(neighbors.iri),
        edges=lines,
        question=attempt.work.question.text,
        turns=attempt.turns[-1:],
    )
    try:
        said = await attempt.model.fill(asked, _SCHEMA)
    except (Unreadable, TooLong):
        return neighbors
    chosen = set(_WORD.findall(str(said.get("keep") or "")))
    if chosen.isdisjoint(neighbors.out):
        return neighbors
    if attempt.published:
        return keeping(neighbors, lambda line: line.property.id in chosen)
    return _folded(neighbors, chosen)


def _folded(neighbors: Neighbourhood, chosen: set[str]) -> Neighbourhood:
    ordered = neighbors.ordered
    edges = (*ordered.shown, *ordered.folded)
    shown = tuple(edge for edge in edges if edge.property.id in chosen)
    rest = tuple(edge for edge in edges if edge.property.id not in chosen)
    return replace(neighbors, ordered=Ordered(shown=shown, folded=rest, ids=ordered.ids))
