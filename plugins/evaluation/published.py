"""Figures that papers published, to stand beside ours: facts, each with its paper and table.

They were measured on other graphs, other questions of the same data sets and with other rules of comparison: they are
marks to look at, not results to beat. AutoSchema publishes no figure on a data set that is read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

SAGA, GRISP, MARS = "SAGA", "GRISP", "MARS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """One published figure.

    Shapes: ``paper`` is one of SAGA, GRISP and MARS, ``table`` the number of a table there or the section whose text
    says it; ``system`` is as the paper calls it; ``metric`` is a name of `Scores` where there is one for it.
    Units: percent; ``actions`` and ``lookups`` per question, ``raw_edges`` as a count.
    """

    paper: str
    table: str
    system: str
    dataset: str
    metric: str
    value: float
    language: str = "en"


# What the metrics are that `Scores` has no name for.
METRICS: Mapping[str, str] = {
    "empty_rate": "queries that return nothing",
    "boolean_f1": "F1 of the Boolean questions",
    "boolean_exact": "EM of the Boolean questions",
    "factoid_f1": "F1 of the factoid questions",
    "factoid_exact": "EM of the factoid questions",
    "actions": "actions per question",
    "lookups": "entity look-ups per question",
    "raw_edges": "edges before the filter",
    "edge_reduction": "edges that the filter takes away",
    "gold_property_recall": "properties of gold queries that the filter leaves",
    "one_hop": "questions of one hop",
    "two_hops": "questions of two hops",
    "more_hops": "questions of three hops and more",
}

# How many questions stand behind the figures of a paper on a data set.
QUESTIONS: Mapping[str, Mapping[str, int]] = {
    SAGA: {
        "qald7": 45, "qald9plus": 127, "qald10": 383, "wikiwebquestions": 1409, "spinach": 156, "lcquad2": 826,
        "webqsp": 1628, "cwq": 3273, "grailqa": 1000,
    },
    MARS: {"lcquad2": 4624, "qald9plus": 127, "qald10": 382},
}  # fmt: skip

_KNOWN = (
    ("qald7", "qald7"), ("qald9plus", "qald9plus"), ("qald10", "qald10"), ("wikiwebquestions", "wikiwebquestions"),
    ("wwq", "wikiwebquestions"), ("spinach", "spinach"), ("lcquad2", "lcquad2"), ("webqsp", "webqsp"),
    ("wqsp", "webqsp"), ("complexwebquestions", "cwq"), ("cwq", "cwq"), ("grailqa", "grailqa"),
)  # fmt: skip
_NO_WORD = re.compile(r"[\W_]+")


def known(dataset: str) -> str:
    """Return the name that a data set has here, empty for one that nothing is published of.

    Example:
        >>> known("qald_9_plus_test_wikidata"), known("WebQSP.test"), known("mine")
        ('qald9plus', 'webqsp', '')
    """
    bare = _NO_WORD.sub("", dataset.lower())
    return next((name for start, name in _KNOWN if bare.startswith(start)), "")


def _grid(paper: str, table: str, columns: Sequence[tuple[str, str]], rows: str) -> Iterator[Published]:
    """Yield the figures of a table: a row is a system and, after a bar, a value for each data set and metric."""
    for row in rows.strip().splitlines():
        system, _, values = row.partition("|")
        for (dataset, metric), value in zip(columns, values.split(), strict=True):
            if value != "-":
                yield Published(
                    paper=paper, table=table, system=system.strip(), dataset=dataset, metric=metric, value=float(value)
                )


def _columns(datasets: str, *metrics: str) -> list[tuple[str, str]]:
    return [(dataset, metric) for dataset in datasets.split() for metric in metrics]


def _languages(dataset: str, systems: Sequence[str], rows: str) -> Iterator[Published]:
    for row in rows.strip().splitlines():
        language, *values = row.split()
        for system, value in zip(systems, values, strict=True):
            if value != "-":
                yield Published(
                    paper=MARS, table="2", system=system, dataset=dataset, metric="f1", value=float(value),
                    language=language,
                )  # fmt: skip


_ABLATED = "qald7 qald9plus qald10 wikiwebquestions spinach"
_MARS_SYSTEMS = ("DeepPavlov", "MST5", "UniQ-Gen", "GRASP", "MARS")

PUBLISHED: tuple[Published, ...] = (
    *_grid(SAGA, "1", _columns("qald7 qald9plus qald10 wikiwebquestions spinach lcquad2", "f1", "exact"), """
Zero-shot SPARQL      | 18.58 18.00 15.11 12.50 16.54 15.74 18.06 13.28  3.71  1.21  3.86  3.39
Entity Linking        | 25.08 24.44 21.72 17.97 25.89 24.28 18.34 13.48  3.90  1.30  5.74  4.84
Data Shapes Prompting | 42.19 35.56 39.40 31.25 31.76 30.03 18.27 13.41  4.19  1.95  9.83  8.22
OBQC Repair           | 31.49 26.67 28.79 24.22 33.88 31.85 17.27 11.51  4.66  2.05  9.34  7.50
mKGQAgent             | 33.88 28.89 31.94 26.56 39.18 35.51 31.18 22.92  3.03  1.30 15.15 13.42
GRASP                 | 41.24 33.78 42.21 35.75 43.95 41.70 33.69 24.90 18.02 10.30 20.48 17.95
Interactive-KBQA      | 18.96 13.33 24.38 17.97 37.10 32.64 29.89 21.45  5.22  1.29 19.93 15.72
SPINACH               | 44.56 37.78 43.54 36.65 41.64 39.69 34.36 32.21 17.00  8.33 25.83 23.58
SAGA (LLaMA 3.1-70B)  | 49.40 44.44 40.02 33.59 42.41 40.21 38.28 31.94 14.85  3.23 26.99 24.48
SAGA (gpt-oss-120B)   | 64.89 53.33 55.66 48.44 53.04 48.04 51.49 45.56 20.60  6.45 28.25 25.39
"""),
    *_grid(SAGA, "2", _columns("webqsp cwq grailqa", "f1", "exact"), """
Zero-shot SPARQL      | 11.40  8.06  6.05  3.00 11.46  7.07
Entity Linking        | 13.14  9.00  7.52  4.10 14.47  8.10
Data Shapes Prompting | 15.04  9.05  8.26  4.00 16.45  9.10
OBQC Repair           | 19.49 13.20 10.55  9.00 15.38  7.85
mKGQAgent             | 31.78 26.19 11.94  9.76 40.28 34.51
GRASP                 | 30.24 24.78 12.21  8.75 43.05 40.60
Interactive-KBQA      | 22.50 15.85  7.90  4.98 17.55 15.10
SPINACH               | 31.83 29.10 15.27 11.38 46.95 44.20
SAGA (LLaMA 3.1-70B)  | 28.84 24.02 13.42 10.88 36.55 33.70
SAGA (gpt-oss-120B)   | 40.10 35.69 15.47 13.81 58.13 55.60
"""),
    *_grid(SAGA, "3", _columns("lcquad2", "boolean_f1", "boolean_exact", "factoid_f1", "factoid_exact"), """
SPINACH             | 25.6 25.6 25.9 23.3
SAGA (gpt-oss-120B) | 55.6 55.6 24.9 21.7
"""),
    *_grid(SAGA, "4", _columns(_ABLATED, "empty_rate"), """
SPINACH             | 22.2 38.6 32.4 75.5 52.4
SAGA (gpt-oss-120B) | 15.6 25.8 21.9 27.0 49.3
"""),
    *_grid(SAGA, "5", _columns(_ABLATED, "f1"), """
SAGA without type-constrained filtering | 58.05 49.97 51.19 48.97 12.64
SAGA without persistent type state      | 53.37 48.58 50.73 50.12 15.71
SAGA without answer-type prior          | 63.14 53.87 50.43 50.60 16.08
"""),
    *_grid(SAGA, "6", _columns("qald7 qald9plus qald10 spinach", "f1"), """
SAGA, schema coverage 0 %  | 55.97 53.31 57.20 17.85
SAGA, schema coverage 25 % | 64.78 47.81 57.78 17.35
SAGA, schema coverage 50 % | 59.49 49.78 49.71 18.00
SAGA, schema coverage 75 % | 53.99 52.81 54.72 13.82
SAGA, schema coverage 100 % | 64.89 55.66 53.04 20.60
"""),
    *_grid(SAGA, "8", _columns("qald7 qald9plus qald10 spinach", "actions", "lookups"), """
SPINACH             | 5.47 0.67 6.60 0.94 5.98 0.91 7.71 0.60
SAGA (gpt-oss-120B) | 5.47 0.89 5.88 0.86 6.25 1.14 5.49 0.39
"""),
    *_grid(SAGA, "9", _columns("qald9plus qald10 spinach lcquad2", "raw_edges", "edge_reduction",
                               "gold_property_recall"), """
SAGA (gpt-oss-120B) | 2718 26.6 61.4 12352 28.6 59.7 3647 22.4 64.8 21034 25.5 62.6
"""),
    *_grid(SAGA, "10", _columns("qald7 qald9plus qald10", "boolean_f1"), """
SPINACH             | 25.0  33.3 27.9
SAGA (gpt-oss-120B) | 62.5 100.0 52.5
"""),
    *_grid(GRISP, "3 (in section 4)", _columns("cwq webqsp wikiwebquestions qald7 qald10 spinach", "rowwise_f1"), """
GRASP (GPT-4.1)    | 44.5 52.3 75.3 79.8 72.7 40.8
GRISP (Qwen2.5 7B) | 77.0 73.3 78.8 46.7 44.5 29.3
"""),
    *_grid(GRISP, "section 4", _columns("qald10", "rowwise_f1"), """
GRISP with the gold skeleton | 94.6
"""),
    *_grid(MARS, "1", _columns("qald9plus qald10 lcquad2", "one_hop", "two_hops", "more_hops"), """
the questions | 76.38 22.83 0.79 70.16 25.39 4.45 66.03 33.97 0
"""),
    *_languages("qald9plus", _MARS_SYSTEMS, """
ba 15.29  7.20 26.44 26.18 36.32
be 21.42 15.93 44.57 52.14 49.56
de 21.74 24.41 43.78 57.43 56.51
en 22.14 25.20 50.06 65.47 58.21
es 24.60 22.84 48.14 59.65 57.82
fr  3.41  5.25  8.66 12.38 71.93
hy  2.62     -  5.51 10.14 65.96
ru 20.40 22.84 41.73 55.44 51.77
uk 22.93 21.79 44.57 59.15 57.68
"""),
    *_languages("qald10", _MARS_SYSTEMS, """
de 14.55 23.11 26.44 59.34 62.02
en 16.52 29.57 26.18 62.29 66.29
ru 13.68 27.30 23.78 52.40 58.49
zh 13.30 24.20 21.00 51.11 55.04
"""),
    *_languages("lcquad2", _MARS_SYSTEMS, """
en - - 34.56 38.36 40.83
"""),
)  # fmt: skip
