"""Every row of the shared list of questions is a test: of the gate, or of the loop where only that can decide."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent


def _tested() -> set[str]:
    """Return the numbers in the names of tests."""
    return {
        number
        for file in TESTS.rglob("test_*.py")
        for number in re.findall(r"^(?:async )?def test_Q(\d\d)_", file.read_text(encoding="utf-8"), re.MULTILINE)
    }


def test_every_row_is_a_test(shared: Path) -> None:
    text = (shared / "cases" / "questions.md").read_text(encoding="utf-8")
    rows = {f"{int(number):02}" for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert len(rows) > 20
    assert rows == _tested()
