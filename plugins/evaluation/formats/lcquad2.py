"""LC-QuAD 2.0. Source: its files train.json and test.json (Dubey et al., 2019)."""

from __future__ import annotations

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, identity, need, query, text, wording


def _fits(item: Item) -> bool:
    return "sparql_wikidata" in item or "NNQT_question" in item


def _entry(item: Item) -> Entry:
    """Read one. Some questions are null, an empty list or `n/a`: then the paraphrase, then the template's text."""
    need(item, "sparql_wikidata", "answer", "answers")
    spoken = {key: value for key, value in item.items() if value not in ("n/a", "NA")}
    question = text(spoken, "question", "paraphrased_question", "NNQT_question")
    return Entry(
        id=identity(item, "uid", "id"),
        questions={"en": question},
        sparql=query(item, "sparql_wikidata"),
        answers=gold.answers(item.get("answers", item.get("answer")) or None),
        group=wording(question),
    )


LAYOUT = Layout(
    name="lcquad2", looks="`uid`, `question`, `paraphrased_question` and `sparql_wikidata`", fits=_fits, entry=_entry
)
