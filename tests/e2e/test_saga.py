"""SAGA over real HTTP with a scripted model: the paper's four cases, a wrong thing noticed by what does not fit.

Source: SAGA, appendix E.1 to E.4. Each case is run by our rule and by the published one; and with the filter switched
off the same script fails, for nothing then tells the wrong thing from the right one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tests.llm import Turn
from tests.saga import Place, asked, does, expecting, judges, mistakes, prepared

PAPER = {"mode": "paper"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return asyncio.run(prepared(tmp_path_factory.mktemp("saga")))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A wrong thing, what about it does not fit, and the way to the right one.

    Shapes: ``sign`` is what our rule shows of the wrong thing, ``published`` what the paper's does; ``wanted`` is the
    property that is marked or gone there and fits the right one; ``answer`` is the first column, or a boolean.
    """

    question: str
    form: str
    label: str
    wrong: str
    sign: str
    published: str
    wanted: str
    searches: tuple[str, ...]
    right: tuple[str, ...]
    query: str
    answer: list[str] | bool

    def script(self, switches: Mapping[str, Any]) -> Sequence[Turn]:
        """Return the model's turns: it takes the first hit, sees that it does not fit, and goes on to the right one."""
        paper = switches.get("mode") == "paper"
        sign = [self.published] if paper else [self.sign, f"{self.wanted} [does not fit]"]
        hidden = [self.wanted] if paper else []
        looks = [does("lookup", right) for right in self.right[1:]]
        return [
            expecting(self.form, self.label),
            does("search", self.searches[0]),
            does("lookup", self.wrong),
            # The action behind the wrong thing answers what does not fit.
            does("search", self.searches[-1], expects=sign, refuses=hidden),
            does("lookup", self.right[0], expects=[self.right[0].removeprefix("wd:")]),
            *looks,
            # By the published rule only what goes out of a person is shown, and films lead to one.
            does("execute", self.query, expects=[] if paper and self.form == "list" else [self.wanted]),
            does("stop"),
            judges(),
        ]


CASES = {
    "E1": Case(
        question="Was U.S. president Jackson involved in a war?",
        form="ask",
        label="boolean",
        wrong="wd:Q212",
        sign="types: sovereign state (wd:Q3624078)",
        published="3 of 6 properties are removed.",
        wanted="conflict (P607)",
        searches=("Jackson", "Andrew Jackson"),
        right=("wd:Q11817",),
        query="ASK { wd:Q11817 wdt:P607 ?war }",
        answer=True,
    ),
    "E2": Case(
        question="Who is the author of WikiLeaks?",
        form="entity",
        label="human",
        wrong="wd:Q23393",
        sign="[wrong entity?] 2 of its 4 properties do not fit its type. Others of that name: WikiLeaks (Q359)",
        published="2 of 4 properties are removed.",
        wanted="founded by (P112)",
        searches=("WikiLeaks", "WikiLeaks organization"),
        right=("wd:Q359",),
        query="SELECT ?f { wd:Q359 wdt:P112 ?f }",
        answer=["Q360"],
    ),
    "E3": Case(
        question="What is the highest place of Karakoram?",
        form="entity",
        label="mountain",
        wrong="wd:Q12416",
        sign="[wrong entity?] 1 of its 2 properties do not fit its type. Others of that name: Karakoram (Q5469)",
        published="1 of 2 properties are removed.",
        wanted="highest point (P610)",
        searches=("Karakoram", "Karakoram mountain range"),
        right=("wd:Q5469",),
        query="SELECT ?p { wd:Q5469 wdt:P610 ?p }",
        answer=["Q43512"],
    ),
    "E4": Case(
        question="In which films directed by Garry Marshall was Julia Roberts starring?",
        form="list",
        label="film",
        wrong="wd:Q115076",
        sign="types: television station (wd:Q1616075)",
        published="3 of 6 properties are removed.",
        wanted="director (P57)",
        searches=("Garry Marshall", "Julia Roberts"),
        right=("wd:Q315087", "wd:Q40523"),
        query="SELECT ?f { ?f wdt:P57 wd:Q315087 ; wdt:P161 wd:Q40523 }",
        answer=["Q207916", "Q853715"],
    ),
}


@pytest.mark.parametrize("switches", [{}, PAPER], ids=["ours", "paper"])
@pytest.mark.parametrize("name", CASES)
async def test_a_wrong_thing_is_noticed_by_what_does_not_fit(
    place: Place, name: str, switches: Mapping[str, Any]
) -> None:
    case = CASES[name]
    got = await asked(place, case.script(switches), case.question, switches)
    assert got.answer["status"] == "answered"
    assert (got.boolean if isinstance(case.answer, bool) else got.values) == case.answer
    assert got.actions[:4] == ["search", "lookup", "search", "lookup"]
    assert got.answer["types"][f"http://www.wikidata.org/entity/{case.right[0].removeprefix('wd:')}"]


@pytest.mark.parametrize("name", CASES)
async def test_the_same_script_fails_without_the_filter(place: Place, name: str) -> None:
    case = CASES[name]
    for switches in ({}, PAPER):
        wrong = await mistakes(place, case.script(switches), case.question, {**switches, "filter": "off"})
        assert any(each.startswith("turn 4:") for each in wrong), wrong
