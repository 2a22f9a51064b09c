"""The JSON of a finding, its message, and the header that carries it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.schema.findings import Finding, Named, Report, Suggestion, line, listed, ordered
from plugins.schema.warning import HEADER, MOST_BYTES, MOST_ELEMENTS, warnings

KEYS = [
    "code", "severity", "line", "column", "pattern", "property", "subject", "types", "expected", "source", "verified",
    "message", "suggestions",
]  # fmt: skip
HOSTILE = [
    "a\r\nSet-Cookie: x=1",
    "quote \" and \\ and '",
    "\x00\x07\x1b[31mred",
    "🦔" * 50,
    "x" * 10_000,
    "a, b; c=d",
    "\u2028\u2029\x85\x0b",
    "\ud800",
    "ünïcødé 漢字",
]


def finding(**changes: Any) -> Finding:
    made = Finding(
        code="domain",
        severity="warn",
        line=3,
        column=5,
        start=20,
        end=40,
        pattern="wd:Q142 wdt:P569 ?d",
        prop=Named(id="P569", label="date of birth"),
        reason="date of birth (P569) is for human; France (Q142) is a country",
        subject="wd:Q142",
        types=(Named(id="Q6256", label="country"),),
        expected=(Named(id="Q5", label="human"),),
        verified=True,
        advice="Try inception (P571).",
        suggestions=(Suggestion(name=Named(id="P571", label="inception"), why="also a date"),),
    )
    return replace(made, **changes)


def test_the_json_is_that_of_the_design() -> None:
    document = finding(severity="block").document()
    assert list(document) == KEYS
    assert document["property"] == {"id": "P569", "label": "date of birth"}
    assert document["expected"] == [{"id": "Q5", "label": "human"}]
    assert document["suggestions"] == [{"id": "P571", "label": "inception", "why": "also a date"}]
    assert document["message"] == (
        "[BLOCKED] date of birth (P569) is for human; France (Q142) is a country. Try inception (P571)."
    )


def test_only_a_block_says_blocked() -> None:
    assert finding().message.startswith("date of birth")
    assert finding(advice="").message.endswith("is a country.")


def test_ok_is_nothing_to_block_or_warn_of() -> None:
    assert Report(checked=True).ok
    assert Report(checked=True, findings=(finding(severity="note"),)).ok
    assert not Report(checked=True, findings=(finding(),)).ok
    assert not Report(checked=True, findings=(finding(severity="block"),)).ok
    assert Report(checked=True, findings=(finding(), finding(severity="block"))).blocks == (finding(severity="block"),)
    assert Report(checked=False, reason="why").document() == {
        "ok": True,
        "checked": False,
        "reason": "why",
        "findings": [],
    }


def test_findings_are_in_the_order_of_the_text_each_once_and_not_too_many() -> None:
    late, early = finding(start=50), finding(start=1)
    assert ordered([late, early, late]) == (early, late)
    assert len(ordered(finding(start=number) for number in range(500))) == 100


def test_a_list_of_classes_is_short() -> None:
    names = [Named(id=f"Q{number}", label=f"class {number}") for number in range(7)]
    assert listed(names[:2], 2) == "class 0, class 1"
    assert listed(names, 7).endswith("class 4 and 2 more")
    assert listed(names[:5], 5_000).endswith("class 4 and 4,995 more")
    assert str(Named(id="Q5")) == "Q5"


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_the_graph_is_one_short_line(text: str) -> None:
    shown = line(text)
    assert len(shown) <= 80
    assert shown.isprintable()


def test_a_header_is_in_the_stated_format() -> None:
    assert warnings([finding()]) == [
        "domain; severity=warn; line=3; column=5; property=P569; message*=UTF-8''date%20of%20birth%20%28P569%29%20is"
        "%20for%20human%3B%20France%20%28Q142%29%20is%20a%20country.%20Try%20inception%20%28P571%29."
    ]
    assert warnings([]) == []


def size(values: list[str]) -> int:
    """Return the bytes of the headers as they are sent."""
    return sum(len(f"{HEADER}: {value}\r\n") for value in values)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_label_breaks_a_header(text: str) -> None:
    hostile = finding(reason=text, prop=Named(id=text, label=text), advice=text)
    values = warnings([hostile] * 9)
    assert all(value.isascii() and value.isprintable() for value in values)
    assert size(values) <= MOST_BYTES
    assert 2 <= len(values) <= MOST_ELEMENTS + 1
    assert values[-1] == f"more; count={9 - (len(values) - 1)}"
    assert all(value.startswith("domain; severity=warn; line=3; column=5; ") for value in values[:-1])
    # Nothing in it can be taken for the border of an element or of a parameter.
    assert all(value.count(";") == 5 and "," not in value and '"' not in value for value in values[:-1])


def test_five_usual_findings_fit() -> None:
    values = warnings([finding(start=number) for number in range(7)])
    assert [value.partition(";")[0] for value in values] == ["domain"] * 5 + ["more"]
    assert values[-1] == "more; count=2"
    assert len(warnings([finding(start=number) for number in range(5)])) == 5


def test_five_long_findings_fit_as_well() -> None:
    values = warnings([finding(reason="ü" * 3_000, line=99_999, column=99_999, start=n) for n in range(5)])
    assert [value.partition(";")[0] for value in values] == ["domain"] * 5
    assert size(values) <= MOST_BYTES


@given(st.lists(st.text(max_size=400), max_size=8))
def test_any_text_is_carried_and_read_back(texts: list[str]) -> None:
    values = warnings([finding(reason=text, advice="") for text in texts])
    assert all(value.isascii() for value in values)
    assert size(values) <= MOST_BYTES
    for text, value in zip(texts, values, strict=False):
        if value.startswith("domain"):
            said = unquote(value.partition("message*=UTF-8''")[2])
            expected = f"{text}.".encode("utf-8", "replace").decode()
            assert said == expected or (said.endswith("...") and expected.startswith(said[:-3]))
