"""The check of winners: order, cut, columns, and what is equal."""

from __future__ import annotations

from typing import Any

import pytest

from plugins.nl.contract import AnswerForm, Shape
from tests.gated import Bench

RIVERS = "?r wdt:P31 wd:Q4022 ; wdt:P2043 ?l"


@pytest.mark.parametrize(
    ("query", "shape", "found"),
    [
        (f"SELECT ?r ?l {{ {RIVERS} }}", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r {{ {RIVERS} }}", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r {{ {RIVERS} }}", {"superlative": "min"}, ["Q106588"]),
        (f"SELECT ?r ?l {{ {RIVERS} }} LIMIT 3", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY ?l LIMIT 1", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r ?l {{ {RIVERS} }} ORDER BY DESC(?l)", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r ?l {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 1", {"superlative": "max"}, ["Q3392"]),
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 1", {"superlative": "max", "place": 2}, ["Q1653"]),
        (f"SELECT ?r ?l {{ {RIVERS} }}", {"superlative": "max", "place": 3}, ["Q584"]),
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 10", {"superlative": "max", "top": 2}, ["Q1653", "Q3392"]),
        ("SELECT ?t (COUNT(?s) AS ?n) { ?s wdt:P1346 ?t } GROUP BY ?t", {"superlative": "max"}, ["Q128109"]),
    ],
)
async def test_the_longest(gate: Bench, query: str, shape: dict[str, Any], found: list[str]) -> None:
    form: AnswerForm = "list" if "top" in shape else "winner"
    gated = await gate.gated("Which is the longest?", Shape(form=form, measure="length", **shape), query)
    assert "winner" in gated.fixes, gated.judgements
    assert gated.values == found


@pytest.mark.parametrize(
    ("query", "shape"),
    [
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 1", {}),
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 1 OFFSET 1", {"place": 2}),
        (f"SELECT ?r {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 2", {"top": 2, "form": "list"}),
        (f"SELECT ?r {{ {RIVERS} {{ SELECT (MAX(?x) AS ?l) {{ ?y wdt:P31 wd:Q4022 ; wdt:P2043 ?x }} }} }}", {}),
        (f"SELECT ?r {{ {RIVERS} FILTER NOT EXISTS {{ ?o wdt:P31 wd:Q4022 ; wdt:P2043 ?m FILTER(?m > ?l) }} }}", {}),
        (f"SELECT (MAX(?l) AS ?longest) {{ {RIVERS} }}", {"form": "number"}),
        (f"SELECT ?l {{ {RIVERS} }} ORDER BY DESC(?l) LIMIT 1", {"form": "number"}),
        ("SELECT ?t { ?s wdt:P1346 ?t } GROUP BY ?t ORDER BY DESC(COUNT(?s)) LIMIT 1", {}),
    ],
)
async def test_a_right_winner_stays(gate: Bench, query: str, shape: dict[str, Any]) -> None:
    given = {"form": "winner", "superlative": "max", "measure": "length", **shape}
    await gate.kept("Which river is the longest?", Shape(**given), query)


@pytest.mark.parametrize("end", ["", " ORDER BY DESC(?h) LIMIT 1"])
async def test_equal_winners_all_win(gate: Bench, end: str) -> None:
    shape = Shape(form="winner", superlative="max", measure="height")
    query = f"SELECT ?m {{ ?m wdt:P31 wd:Q54050 ; wdt:P2044 ?h }}{end}"
    gated = await gate.gated("Which hill is the highest?", shape, query)
    assert gated.fixes == ["winner"]
    assert gated.values == ["Q81", "Q82"]
    least = Shape(form="winner", superlative="min", measure="height")
    lowest = await gate.gated("Which hill is the lowest?", least, query)
    assert lowest.values == ["Q83"]


async def test_what_is_measured_by_nothing_is_asked_about(gate: Bench) -> None:
    query = "SELECT ?r { ?r wdt:P31 wd:Q4022 }"
    gated = await gate.gated("Which river is the longest?", Shape(form="winner", superlative="max"), query)
    assert (gated.asks, gated.sparql) == (["winner"], query)
