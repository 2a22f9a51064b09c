"""The shared gold queries with their questions, each text once. They stay where they are."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.bench.stores import shared

DATA_SETS = {
    "wikidata": (
        "qald7", "qald9plus", "qald10", "wikiwebquestions", "spinach", "lcquad2", "qawiki", "simplequestions-wikidata"
    ),
    "freebase": ("webqsp", "cwq", "grailqa", "simplequestions-freebase"),
}  # fmt: skip
SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """One gold query. ``count`` is how many questions have this very text."""

    dataset: str
    id: str
    text: str
    question: str
    count: int = 1


def gold(graph: str) -> list[Gold]:
    """Return all gold queries of a graph, each record of its own."""
    found = []
    for dataset in DATA_SETS[graph]:
        path = shared() / "data" / "benchmarks" / f"{dataset}.jsonl.gz"
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            found += [_gold(dataset, record) for record in map(json.loads, lines) if record.get("sparql")]
    return found


def unique(queries: Sequence[Gold]) -> list[Gold]:
    """Return each text once, with the number of its questions."""
    counts: dict[str, int] = {}
    first: dict[str, Gold] = {}
    for query in queries:
        counts[query.text] = counts.get(query.text, 0) + 1
        first.setdefault(query.text, query)
    return [
        Gold(dataset=each.dataset, id=each.id, text=each.text, question=each.question, count=counts[each.text])
        for each in first.values()
    ]


def sampled(queries: Sequence[Gold], most: int | None) -> list[Gold]:
    """Return so many queries, drawn with a fixed seed, in a fixed order."""
    shuffled = random.Random(SEED).sample(list(queries), len(queries))
    return shuffled if most is None else shuffled[:most]


def without_simple(queries: Sequence[Gold]) -> list[Gold]:
    """Leave out SimpleQuestions, whose queries are one pattern each and whose facts are the graph's own source."""
    return [query for query in queries if not query.dataset.startswith("simplequestions")]


def _gold(dataset: str, record: dict[str, Any]) -> Gold:
    questions = record.get("question") or {}
    question = questions.get("en") or next(iter(questions.values()), "")
    return Gold(dataset=dataset, id=str(record["id"]), text=record["sparql"], question=str(question))
