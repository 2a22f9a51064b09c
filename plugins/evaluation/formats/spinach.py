"""SPINACH, and the copies of other data sets in its repository.

Source: its files dev.json and test.json (github.com/stanford-oval/spinach).
"""

from __future__ import annotations

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, identity, need, query, text, wording


def _fits(item: Item) -> bool:
    return (
        isinstance(item.get("question"), str)
        and "sparql" in item
        and {"title", "url"} <= item.keys()
        and "dataset" not in item
    )


def _entry(item: Item) -> Entry:
    need(item, "sparql", "results")
    question = text(item, "question")
    return Entry(
        id=identity(item, "id"),
        questions={"en": question},
        sparql=query(item, "sparql"),
        answers=gold.answers(item.get("results")),
        group=wording(question),
    )


LAYOUT = Layout(name="spinach", looks="`id`, `title`, `url`, `question` and `sparql`", fits=_fits, entry=_entry)
