"""Tables laid out as in the papers, worked out by hand; plots that are XML; runs side by side."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from plugins.evaluation import manifest
from plugins.evaluation.comparing import comparison
from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.reporting import (
    ablation,
    breakdown,
    effort,
    headline,
    plots,
    published,
    reduction,
    significance,
)
from plugins.evaluation.reporting.report import left_out, written
from plugins.evaluation.results import Results, journal, read
from plugins.evaluation.tables import Grid
from proxy.errors import UsageError
from tests.unit.evaluation.outcome import outcome, results

# Four questions of one data set: two right, one half right, one empty; a fifth is left out.
PART = [
    outcome("1", place=0, form="boolean", hops=1, f1=1.0, exact=True, actions=2, seconds=1.0, queries=3,
            qald_precision=1.0, qald_recall=1.0),
    outcome("2", place=1, form="factoid", hops=1, f1=1.0, exact=True, actions=4, seconds=2.0, queries=5, cost=0.5,
            qald_precision=1.0, qald_recall=1.0),
    outcome("3", place=2, form="factoid", hops=3, f1=0.5, actions=6, seconds=3.0, queries=0, prompt_tokens=8,
            qald_precision=1.0, qald_recall=0.5),
    outcome("4", place=3, form="count", hops=2, given=0, status="out_of_budget", seconds=4.0, qald_precision=1.0),
    outcome("5", place=4, left_out="empty"),
]  # fmt: skip


def cells(grid: Grid) -> list[list[str]]:
    assert all(len(row) == len(grid.head) for row in grid.rows)
    assert len("\n".join(grid.markdown()).splitlines()) >= len(grid.rows)
    return [list(row) for row in grid.rows]


def row(grid: Grid, *words: str) -> dict[str, str]:
    (found,) = (each for each in cells(grid) if each[: len(words)] == list(words))
    return dict(zip(grid.head, found, strict=True))


def named(dataset: str, outcomes: Iterable[Outcome]) -> list[Outcome]:
    return [outcome(each.id, dataset=dataset, place=each.place, f1=each.f1, exact=each.exact, form=each.form)
            for each in outcomes]  # fmt: skip


def test_measures_and_endings_are_over_the_questions_that_count() -> None:
    found = row(headline.measures(results({"s": PART})), "d", "s")
    assert found["n"] == "4"
    assert found["F1"].startswith("62.50 [")
    assert found["EM"].startswith("50.00 [")
    # Mean precision 1, mean recall 0.625.
    assert found["Macro F1 QALD"] == "76.92"
    ends = row(headline.endings(results({"s": PART})), "d", "s")
    assert (ends["answered"], ends["empty"], ends["limit"], ends["unavailable"]) == ("75.0", "25.0", "25.0", "0.0")


def test_forms_hops_and_empty_answers() -> None:
    found = row(breakdown.by_form(results({"s": PART})), "d", "s")
    assert found["boolean"] == "100.00 / 100.00 (n=1)"
    assert found["factoid"] == "75.00 / 50.00 (n=2)"
    assert found["superlative"] == "-"
    assert found["overall"] == "62.50 / 50.00 (n=4)"
    hops = row(breakdown.by_hops(results({"s": PART})), "d", "s")
    assert (hops["1"], hops["3 or more"]) == ("100.00 / 100.00 (n=2)", "50.00 / 0.00 (n=1)")
    assert row(breakdown.empties(results({"s": PART})), "s")["d (n=4)"] == "25.0"
    assert row(breakdown.booleans(results({"s": PART})), "d")["s"] == "100.00"


def test_effort_and_time() -> None:
    found = row(effort.effort(results({"s": PART})), "d", "s")
    assert (found["Avg. actions"], found["Avg. queries"], found["prompt tokens"]) == ("3.00", "2.00", "2.00")
    assert found["cost"] == "0.12500"
    time = row(effort.time(results({"s": PART})), "d", "s")
    assert (time["median"], time["p90"], time["p95"], time["mean"]) == ("2.000", "4.000", "4.000", "2.500")


def test_published_figures_are_marked_and_stand_in_their_table() -> None:
    found = results({"s": [*named("qald10", PART), *named("webqsp", PART), *named("mine", PART)]})
    wikidata, freebase, own, *others = published.beside(found)
    assert wikidata.title.startswith("Table 1: F1 / EM (%) on Wikidata")
    assert row(wikidata, "SAGA (gpt-oss-120B) (published)") == {
        "Method": "SAGA (gpt-oss-120B) (published)", "qald10 (n=5) F1": "53.04", "qald10 (n=5) EM": "48.04",
    }  # fmt: skip
    assert row(wikidata, "s")["qald10 (n=5) EM"] == "40.00"
    assert "qald10 383" in wikidata.note
    assert freebase.title.startswith("Table 2")
    assert row(freebase, "SPINACH (published)")["webqsp (n=5) F1"] == "31.83"
    assert own.head == ["Method", "mine (n=5) F1", "mine (n=5) EM"]
    assert [each[0] for each in cells(own)] == ["s"]
    assert row(others[0], "MARS (published)")["qald10 (n=5) F1"] == "66.29"
    german = Results(outcomes=found.outcomes, manifest={**found.manifest, "language": "de"})
    assert row(list(published.beside(german))[-1], "MARS (published)")["qald10 (n=5) F1"] == "62.02"
    assert cells(next(iter(published.beside(german))))[0][0] == "s", "SAGA's figures are of English questions"


def test_ablations_stand_below_the_whole() -> None:
    outcomes = {name: named("qald7", PART) for name in ("s", "s -filter", "s coverage=0.5", "s coverage=0")}
    found = results(
        outcomes,
        **{"s_-filter": {"filter": "off"}, "s_coverage=0.5": {"coverage": 0.5}, "s_coverage=0": {"coverage": 0.0}},
    )
    (components,) = ablation.components(found)
    ours = [each for each in cells(components) if "published" not in each[0]]
    assert ours == [["Full s", "50.00", "50.00"], ["− Type-constrained filtering", "50.00", "50.00"]]
    assert any("without persistent type state (published)" in each[0] for each in cells(components))
    (coverage,) = ablation.coverage(found)
    assert [each[:2] for each in cells(coverage) if each[0]] == [
        ["0%", "s coverage=0"], ["50%", "s coverage=0.5"], ["100%", "s"],
    ]  # fmt: skip
    assert not list(ablation.components(results({"s": PART})))
    assert not list(ablation.coverage(results({"s": PART})))


def test_pairs_are_of_the_questions_that_both_were_asked() -> None:
    worse = [outcome(str(n), f1=0.0) for n in range(40)]
    best = [outcome(str(n), f1=float(n < 20), exact=n < 20) for n in range(60)]
    (f1, exact) = significance.compared("worse", worse, "best", best)
    assert f1[:5] == ["best", "worse", "F1", "40", "+50.00"]
    assert float(f1[5]) < 0.01
    assert exact[2] == "EM"
    assert not list(significance.compared("a", worse, "b", worse)), "the same is no difference"
    assert not list(significance.compared("a", worse, "b", []))


def test_strategies_are_compared_with_each_other_and_with_their_own_variants() -> None:
    outcomes = {
        name: [outcome("1", f1=place / 10, exact=place == 3)]
        for place, name in enumerate(("a", "a -gate", "b", "b -gate"))
    }
    found = significance.pairs(results(outcomes))
    assert {frozenset(each[1:3]) for each in cells(found)} == {
        frozenset(pair) for pair in (("a", "a -gate"), ("a", "b"), ("b", "b -gate"))
    }


def test_what_is_left_out_is_counted_by_reason() -> None:
    found = left_out(results({"s": PART, "t": PART[:2]}))
    assert cells(found) == [["d", "compared", "4"], ["d", "the gold query finds nothing here", "1"]]


def test_names_from_outside_do_not_act_in_a_report() -> None:
    grid = Grid(title="<b>", head=["a"], rows=[["| x | <script>\n# y `z` *w*"]])
    text = "\n".join(grid.markdown())
    assert "<script>" not in text.replace("\\<", "")
    assert len(text.splitlines()) == 5
    assert all("\x1b" not in line for line in Grid(title="", head=["a"], rows=[["\x1b[31m"]]).plain())


def test_plots_are_xml_with_a_bar_for_each_form_and_a_point_for_each_variant() -> None:
    drawn = plots.drawn(results({"s & <t>": PART, "other": PART[:1]}, **{"s_&_<t>": {}}))
    assert set(drawn) == {"f1_by_form.svg", "cost_and_f1.svg"}
    bars, points = (ElementTree.fromstring(drawn[name]) for name in ("f1_by_form.svg", "cost_and_f1.svg"))
    space = "{http://www.w3.org/2000/svg}"
    titles = [each.text for each in bars.iterfind(f"{space}rect/{space}title")]
    assert titles == ["s & <t>, boolean: 100.0 %, n=1", "other, boolean: 100.0 %, n=1", "s & <t>, count: 0.0 %, n=1",
                      "s & <t>, factoid: 75.0 %, n=2"]  # fmt: skip
    assert len(points.findall(f"{space}circle")) == 2
    assert "cost per question" in drawn["cost_and_f1.svg"]
    assert plots.drawn(results({"s": PART[4:]})) == {}


def test_a_report_of_nothing_is_a_report(tmp_path: Path) -> None:
    run(tmp_path, [PART[4]])
    text = "\n".join(written(tmp_path))
    assert "questions left out: 1" in text
    assert " nan " not in (tmp_path / "report.md").read_text()


def test_a_damaged_table_9_is_left_out(tmp_path: Path) -> None:
    (tmp_path / reduction.FILE).write_text('{"d": {"off": 1}}')
    assert not list(reduction.kept(tmp_path))


def run(folder: Path, outcomes: Iterable[Outcome], *names: str, **more: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    described = {
        **results({name: [] for name in names or ("s",)}).manifest,
        "files": {"q": "1"},
        "endpoint": {"name": "e"},
        **more,
    }
    (folder / manifest.FILE).write_text(json.dumps(described))
    for name in names or ("s",):
        kept = Journal(journal(folder, name))
        for each in outcomes:
            kept.add(each)
    return folder


def test_two_runs_are_compared_question_by_question(tmp_path: Path) -> None:
    one = run(tmp_path / "one", PART, seconds=1)
    other = [outcome("1", f1=1.0, exact=True), outcome("2", f1=0.25, place=1, status="partial"), outcome("6", place=5)]
    two = run(tmp_path / "two", other, seconds=2)
    found = comparison(str(one), str(two))
    assert [(a.id, a.f1, b.f1) for a, b in found.changed] == [("2", 1.0, 0.25)]
    assert found.differences == ["seconds: there 1, here 2"]
    figures, _, changed = found.grids()
    assert row(figures, "d")["n"] == "2"
    assert (row(figures, "d")["F1"], row(figures, "d")["F1 then"]) == ("100.00", "62.50")
    assert (row(changed, "d")["status"], row(changed, "d")["then"]) == ("answered", "partial")


def test_which_variants_are_compared_is_said_or_asked_for(tmp_path: Path) -> None:
    several = run(tmp_path / "several", PART, "a", "b")
    single = run(tmp_path / "single", PART, "c")
    assert [one.name for one, _ in comparison(str(several), str(several)).pairs] == [f"{several}:a", f"{several}:b"]
    assert len(comparison(f"{several}:a", str(single)).pairs) == 1
    with pytest.raises(UsageError, match="say which one"):
        comparison(str(several), str(single))
    with pytest.raises(UsageError, match="there are a, b"):
        comparison(f"{several}:c", str(single))
    with pytest.raises(UsageError, match="no such folder"):
        comparison(str(tmp_path / "none"), str(single))
    with pytest.raises(UsageError, match="no run"):
        comparison(str(tmp_path), str(single))
    (single / manifest.FILE).write_text("{}")
    with pytest.raises(UsageError, match="not a manifest"):
        read(single)
