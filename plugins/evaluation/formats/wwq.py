"""WikiWebQuestions. Source: its files dev.json and train.json (github.com/stanford-oval/wikidata-emnlp23)."""

from __future__ import annotations

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, identity, need, query, text


def _fits(item: Item) -> bool:
    return "utterance" in item


def _entry(item: Item) -> Entry:
    """Read one; its id is that of the question of WebQSP that it comes from."""
    need(item, "sparql", "results")
    name = identity(item, "id")
    return Entry(
        id=name,
        questions={"en": text(item, "utterance")},
        sparql=query(item, "sparql"),
        answers=gold.answers(item.get("results")),
        group=f"webqsp:{name}",
    )


LAYOUT = Layout(name="wwq", looks="`id`, `utterance`, `sparql` and `results`", fits=_fits, entry=_entry)
