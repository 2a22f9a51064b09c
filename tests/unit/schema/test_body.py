"""The text of a look-up: names of its own, the same for equal questions, and no part twice."""

from __future__ import annotations

import pytest

from plugins.schema.body import Body, Unaskable, askable
from plugins.schema.edges import edges
from proxy.syntax import Iri, Variable
from tests.unit.schema.demo_schema import DIRECT, item, syntax


def body(where: str) -> Body:
    made = Body()
    for each in edges(syntax(f"SELECT * {{ {where} }}")):
        made.edge(each)
    return made


def test_equal_questions_have_equal_texts_whatever_their_variables_are_called() -> None:
    assert body("?a wdt:P57 ?b . ?b wdt:P569 ?c").text == body("?x wdt:P57 ?y . ?y wdt:P569 ?z").text
    assert body("?a wdt:P57 ?b").text == f"?v0 <{DIRECT}P57> ?v1 ."


def test_a_part_stands_once() -> None:
    once = body("?a wdt:P57 ?b . wd:Q142 wdt:P36 ?c").text
    assert body("?a wdt:P57 ?b . ?a wdt:P57 ?b . wd:Q142 wdt:P36 ?c . ?a wdt:P57 ?b").text == once
    # Another graph or another variable makes another part.
    assert body("?a wdt:P57 ?b . ?a wdt:P57 ?c").text.count("P57") == 2
    assert body("?a wdt:P57 ?b . GRAPH ?g { ?a wdt:P57 ?b } GRAPH ?g { ?a wdt:P57 ?b }").text.count("P57") == 2


def test_values_stand_first_and_once() -> None:
    made = body("?a wdt:P57 ?b")
    for _ in range(2):
        made.values(Variable("a"), [Iri(item("Q1")), Iri(item("Q1")), Iri(item("Q2"))])
    assert made.text == f"VALUES ?v0 {{ <{item('Q1')}> <{item('Q2')}> }} ?v0 <{DIRECT}P57> ?v1 ."


@pytest.mark.parametrize("where", ["<Q142> wdt:P57 ?b", "?a <P57> ?b", "?a wdt:P57/wdt:P31* ?b"])
def test_what_means_nothing_elsewhere_is_not_asked(where: str) -> None:
    with pytest.raises(Unaskable):
        body(where)
    assert not askable("Q142")
    assert askable(item("Q142"))
