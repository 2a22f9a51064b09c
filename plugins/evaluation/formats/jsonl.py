"""Our own format, and that of anyone who writes lines: `question` and `sparql`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError, need, query


def _fits(item: Item) -> bool:
    return "question" in item


def _entry(item: Item) -> Entry:
    """Read one. The id counts anew in each split of some data sets, so the split is a part of it.

    A list of answers that the file says is cut is no gold answer.
    """
    need(item, "sparql", "query", "answers")
    questions = _questions(item.get("question"))
    name = "-".join(str(item[key]) for key in ("split", "id") if item.get(key) not in (None, ""))
    return Entry(
        id=name if item.get("id") not in (None, "") else "",
        questions=questions,
        sparql=query(item, "sparql", "query"),
        answers=None if item.get("answers_truncated") else gold.answers(item.get("answers")),
        group=str(item.get("group") or ""),
        dataset=str(item.get("dataset") or ""),
    )


def _questions(given: Any) -> Mapping[str, str]:
    texts: Mapping[str, Any] = given if isinstance(given, dict) else {"en": given}
    found = {str(tag): each.strip() for tag, each in texts.items() if isinstance(each, str) and each.strip()}
    if not found:
        raise UnfitError("has no `question`: a text, or texts by language")
    return found


LAYOUT = Layout(
    name="jsonl",
    looks="`question` (a text, or texts by language) with `sparql` or `answers`",
    fits=_fits,
    entry=_entry,
)
