"""ComplexWebQuestions. Source: its files ComplexWebQuestions_train.json, _dev and _test (Talmor and Berant, 2018)."""

from __future__ import annotations

from typing import Any

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError, identity, need, query, text, wording


def _fits(item: Item) -> bool:
    return "ID" in item and ("webqsp_ID" in item or "compositionality_type" in item)


def _entry(item: Item) -> Entry:
    """Read one. Variations of one question of WebQSP are one group."""
    need(item, "sparql", "answers", "answer")
    question, base = text(item, "question"), item.get("webqsp_ID")
    return Entry(
        id=identity(item, "ID"),
        questions={"en": question},
        sparql=query(item, "sparql"),
        answers=_answers(item.get("answers", item.get("answer"))),
        group=f"webqsp:{base}" if base else wording(question),
    )


def _answers(given: Any) -> gold.Answers | None:
    """Read `answers`, objects with `answer_id`, or columns of them; or `answer`, ids as some copies have them."""
    if not given:
        return None
    if isinstance(given, dict):
        given = given.get("answer_id")
    if not isinstance(given, list):
        raise UnfitError("has answers that are no list")
    found = [_named(each) for each in given]
    return gold.answers([each for each in found if each is not None])


def _named(given: Any) -> Any:
    return (given.get("answer_id") or given.get("answer")) if isinstance(given, dict) else given


LAYOUT = Layout(name="cwq", looks="`ID`, `webqsp_ID`, `question`, `sparql` and `answers`", fits=_fits, entry=_entry)
