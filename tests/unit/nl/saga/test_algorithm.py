"""The strategy's file stays one that can be read beside the paper."""

from __future__ import annotations

import re
from pathlib import Path

import plugins.nl.strategies.saga as saga

# Lines 13, 15, 21, 23, 25 are `else` and `end`; they are named all the same.
LINES = range(1, 28)
NAMES = {
    *("infer_answer_type", "controller", "get_types", "get_neighborhood", "type_filter", "compact_format", "llm_prune"),
    *("execute", "update_type_state", "execute_action", "final_query"),
}


def text() -> str:
    return Path(saga.__file__).read_text(encoding="utf-8")


def test_every_line_of_algorithm_1_is_named_beside_the_code() -> None:
    found: set[int] = set()
    for comment in re.findall(r"  # (\d.*)$|\"\"\"Lines? (\d.*?):", text(), re.MULTILINE):
        said = "".join(comment)
        for first, last in re.findall(r"\b(\d+) to (\d+)", said):
            found.update(range(int(first), int(last) + 1))
        found.update(int(number) for number in re.findall(r"(?:^|[,;] )(\d+)\b", said))
    assert found >= set(LINES)


def test_every_function_of_algorithm_1_stands_in_the_file() -> None:
    words = set(re.findall(r"\w+", text()))
    assert words >= NAMES


def test_the_file_is_short() -> None:
    assert len(text().splitlines()) < 300
