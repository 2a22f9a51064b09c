"""Every case of the shared list is a test, or says which issue brings it."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent.parent


def _tested() -> set[str]:
    """Return the ids in the names of tests."""
    return {
        name
        for file in TESTS.rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def test_(P\d\d)_", file.read_text(encoding="utf-8"), re.MULTILINE)
    }


def _later() -> dict[str, str]:
    """Return what cases.txt says: the issue by id."""
    lines = [line.split(maxsplit=3) for line in (TESTS / "cases.txt").read_text(encoding="utf-8").splitlines()]
    return {words[0]: " ".join(words[1:3]) for words in lines if words and not words[0].startswith("#")}


def test_every_shared_case_is_a_test_or_has_its_issue(shared: Path) -> None:
    text = (shared / "cases" / "protocol.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^- \*\*(P\d\d) ", text, re.MULTILINE))
    assert len(listed) > 40
    assert listed - _tested() - set(_later()) == set()
    assert (_tested() | set(_later())) - listed == set()


def test_every_later_case_names_its_issue() -> None:
    assert all(re.fullmatch(r"issue \d+", issue) for issue in _later().values())
