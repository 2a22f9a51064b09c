"""Every row of the shared list of questions is a test of the gate, or says which issue brings it and why."""

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


def _later() -> dict[str, tuple[str, str]]:
    """Return what questions.txt says: the issue and the reason by number."""
    lines = (TESTS / "questions.txt").read_text(encoding="utf-8").splitlines()
    found = [line.split(maxsplit=3) for line in lines if line.strip() and not line.startswith("#")]
    return {words[0]: (" ".join(words[1:3]), words[3]) for words in found}


def test_every_row_is_a_test_or_has_its_issue(shared: Path) -> None:
    text = (shared / "cases" / "questions.md").read_text(encoding="utf-8")
    rows = {f"{int(number):02}" for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert len(rows) > 20
    assert rows - _tested() - set(_later()) == set()
    assert (_tested() | set(_later())) - rows == set()


def test_no_row_is_both() -> None:
    assert _tested() & set(_later()) == set()


def test_every_later_row_names_issue_and_reason() -> None:
    assert all(re.fullmatch(r"issue \d+", issue) and len(why) > 20 for issue, why in _later().values())
