"""The prompts as files: what they are given, their marks of data, and their version."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

import plugins.nl.prompts as prompts
from plugins.nl.prompts import CLOSE, OPEN, data, digest, prompt

FOLDER = Path(prompts.__file__).parent
# Those that show what users and graphs say; the others say in which form to answer.
NAMES = ["answer_type", "controller", "judge", "prune"]
JUDGE = {"question": "Who?", "sparql": "ASK {}", "names": [], "answer": "true"}


@given(st.text())
def test_what_stands_between_the_marks_cannot_close_them(text: str) -> None:
    marked = data(text)
    assert (marked[0], marked[-1]) == (OPEN, CLOSE)
    assert not {*OPEN, *CLOSE, *"〚〛⟬⟭"} & set(marked[1:-1])
    assert len(marked) == len(text) + 2


@pytest.mark.parametrize("name", NAMES)
def test_every_prompt_says_what_the_marks_mean_and_takes_nothing_unmarked(name: str) -> None:
    text = (FOLDER / f"{name}.j2").read_text(encoding="utf-8")
    system, _, user = text.partition("{% block user %}")
    assert '{% include "marks.j2" +%}' in system
    # What is shown without marks is ours: numbers, kinds of outcome, names of actions, a checked language tag.
    ours = {"kind", "language", "step.number", "step.action", "step.kind"}
    shown = {each.strip() for each in re.findall(r"{{(.*?)}}", user)}
    assert all(each.endswith("|data") or each in ours for each in shown), shown


def test_a_value_that_nobody_gives_is_an_error() -> None:
    assert prompt("judge", "judge", **JUDGE).purpose == "judge"
    with pytest.raises(UndefinedError):
        prompt("judge", "judge", **{name: value for name, value in JUDGE.items() if name != "sparql"})


def test_text_is_text_and_no_html() -> None:
    made = prompt("judge", "judge", **{**JUDGE, "sparql": 'ASK { ?x ?p "a & <b>" }', "names": ["{{ 7 * 7 }}"]})
    assert '⟦ASK { ?x ?p "a & <b>" }⟧' in made.user
    assert "⟦{{ 7 * 7 }}⟧" in made.user


def test_the_version_is_that_of_the_files() -> None:
    assert re.fullmatch(r"p\d+-[0-9a-f]{12}", digest())
    assert digest() == digest()
