"""WebQSP. Source: its files WebQSP.train.json and WebQSP.test.json (Yih et al., 2016)."""

from __future__ import annotations

from typing import Any

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError, identity, query, text


def _fits(item: Item) -> bool:
    return "QuestionId" in item and "Parses" in item


def _entry(item: Item) -> Entry:
    """Read one: gold is the first parse with a query, else the first with answers.

    The benchmark's own script takes the best figure over all parses; with one gold query there is one.
    """
    parses = item.get("Parses")
    if not isinstance(parses, list) or not all(isinstance(each, dict) for each in parses):
        raise UnfitError("has no `Parses` that are a list of objects")
    name = identity(item, "QuestionId")
    parse = _best(parses)
    return Entry(
        id=name,
        questions={"en": text(item, "RawQuestion", "ProcessedQuestion")},
        sparql=query(parse, "Sparql"),
        answers=_answers(parse.get("Answers")),
        group=f"webqsp:{name}",
    )


def _best(parses: list[dict[str, Any]]) -> dict[str, Any]:
    for key in ("Sparql", "Answers"):
        for parse in parses:
            if parse.get(key):
                return parse
    return {}


def _answers(given: Any) -> gold.Answers | None:
    if not given:
        return None
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise UnfitError("has `Answers` that are no list of objects")
    return gold.answers([each.get("AnswerArgument") for each in given if each.get("AnswerArgument")])


LAYOUT = Layout(
    name="webqsp",
    looks="an object with `Questions`, each with `QuestionId`, `RawQuestion` and `Parses`",
    fits=_fits,
    entry=_entry,
    wrapper="Questions",
)
