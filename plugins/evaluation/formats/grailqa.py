"""GrailQA. Source: its files grailqa_v1.0_train.json and grailqa_v1.0_dev.json (Gu et al., 2021)."""

from __future__ import annotations

from typing import Any

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError, identity, need, query, text, wording


def _fits(item: Item) -> bool:
    return "qid" in item and "question" in item


def _entry(item: Item) -> Entry:
    need(item, "sparql_query", "answer")
    question = text(item, "question")
    return Entry(
        id=identity(item, "qid"),
        questions={"en": question},
        sparql=query(item, "sparql_query"),
        answers=_answers(item.get("answer")),
        group=wording(question),
    )


def _answers(given: Any) -> gold.Answers | None:
    if not given:
        return None
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise UnfitError("has an `answer` that is no list of objects")
    return gold.answers([each.get("answer_argument") for each in given if each.get("answer_argument") is not None])


LAYOUT = Layout(name="grailqa", looks="`qid`, `question`, `sparql_query` and `answer`", fits=_fits, entry=_entry)
