"""The published figures: that they are whole, and a few of them read off the papers by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields

import pytest

from plugins.evaluation.metrics import Scores
from plugins.evaluation.published import METRICS, PUBLISHED, QUESTIONS, Published, known

KNOWN = {
    "qald7": "qald7",
    "qald-7-test-en-wikidata": "qald7",
    "qald_9_plus_train_wikidata": "qald9plus",
    "QALD-10": "qald10",
    "qald_10": "qald10",
    "wikiwebquestions": "wikiwebquestions",
    "lcquad2_test": "lcquad2",
    "LC-QuAD2.0": "lcquad2",
    "spinach-dev": "spinach",
    "WebQSP.test": "webqsp",
    "ComplexWebQuestions_test": "cwq",
    "grailqa_v1.0_dev": "grailqa",
    "qald9": "",
    "simplequestions-wikidata": "",
    "mine": "",
}


def one(system: str, dataset: str, metric: str, table: str, language: str = "en") -> float:
    wanted = system, known(dataset), metric, table, language
    found = [
        each.value
        for each in PUBLISHED
        if (each.system, each.dataset, each.metric, each.table, each.language) == wanted
    ]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(("name", "expected"), KNOWN.items(), ids=KNOWN.keys())
def test_names_of_data_sets(name: str, expected: str) -> None:
    assert known(name) == expected


def test_figures_are_those_of_the_papers() -> None:
    assert one("SAGA (gpt-oss-120B)", "qald7", "f1", "1") == 64.89
    assert one("SAGA (gpt-oss-120B)", "lcquad2", "exact", "1") == 25.39
    assert one("SPINACH", "grailqa", "exact", "2") == 44.20
    assert one("SAGA (gpt-oss-120B)", "lcquad2", "factoid_exact", "3") == 21.7
    assert one("SPINACH", "wikiwebquestions", "empty_rate", "4") == 75.5
    assert one("SAGA without answer-type prior", "spinach", "f1", "5") == 16.08
    assert one("SAGA, schema coverage 25 %", "qald10", "f1", "6") == 57.78
    assert one("SAGA (gpt-oss-120B)", "spinach", "lookups", "8") == 0.39
    assert one("SAGA (gpt-oss-120B)", "lcquad2", "gold_property_recall", "9") == 62.6
    assert one("MARS", "qald10", "f1", "2") == 66.29
    assert one("GRASP", "qald9plus", "f1", "2", "hy") == 10.14
    assert one("GRISP (Qwen2.5 7B)", "webqsp", "rowwise_f1", "3 (in section 4)") == 73.3


def test_tables_are_whole() -> None:
    counts = Counter((each.paper, each.table) for each in PUBLISHED)
    assert counts["SAGA", "1"] == 10 * 6 * 2
    assert counts["SAGA", "2"] == 10 * 3 * 2
    assert counts["SAGA", "9"] == 4 * 3
    # One system has no figure for one language, two have none for LC-QuAD 2.0.
    assert counts["MARS", "2"] == 14 * 5 - 3


def test_no_figure_stands_twice_and_all_have_known_metrics() -> None:
    keys = [(each.paper, each.table, each.system, each.dataset, each.metric, each.language) for each in PUBLISHED]
    assert len(set(keys)) == len(keys)
    names = {each.name for each in fields(Scores)} | METRICS.keys()
    assert {each.metric for each in PUBLISHED} <= names
    assert {each.dataset for each in PUBLISHED} == {known(each.dataset) for each in PUBLISHED}
    assert all(0 <= each.value <= 100 or each.metric == "raw_edges" for each in PUBLISHED)
    assert set(QUESTIONS) <= {each.paper for each in PUBLISHED}


def test_full_coverage_is_the_system_itself() -> None:
    whole = {(each.dataset, each.value) for each in _of("6", "SAGA, schema coverage 100 %")}
    assert whole < {(each.dataset, each.value) for each in _of("1", "SAGA (gpt-oss-120B)") if each.metric == "f1"}


def _of(table: str, system: str) -> list[Published]:
    return [each for each in PUBLISHED if (each.table, each.system) == (table, system)]
