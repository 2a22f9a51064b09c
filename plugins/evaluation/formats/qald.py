"""QALD JSON, of all editions, and QAWiki in the same form.

Source: the files of QALD-7 to QALD-10 (github.com/ag-sc/QALD, github.com/KGQA/QALD-10).
"""

from __future__ import annotations

from typing import Any

from plugins.evaluation import gold
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError, identity, need, wording


def _fits(item: Item) -> bool:
    given = item.get("question")
    return isinstance(given, list) and all(isinstance(each, dict) and "string" in each for each in given)


def _entry(item: Item) -> Entry:
    """Read one: of several wordings in one language the first; of several answer sets the first."""
    need(item, "query", "answers")
    questions: dict[str, str] = {}
    for each in item.get("question") or ():
        said, language = each.get("string"), each.get("language")
        if isinstance(said, str) and said.strip() and isinstance(language, str):
            questions.setdefault(language, said.strip())
    if not questions:
        raise UnfitError("has no `question` with `language` and `string`")
    return Entry(
        id=identity(item, "id"),
        questions=questions,
        sparql=_query(item.get("query")),
        answers=_answers(item.get("answers")),
        group=wording(questions.get("en", next(iter(questions.values())))),
    )


def _query(given: Any) -> str:
    found = given.get("sparql") if isinstance(given, dict) else given
    if not (found is None or isinstance(found, str)):
        raise UnfitError("has a `query` whose `sparql` is no text")
    return (found or "").strip()


def _answers(given: Any) -> gold.Answers | None:
    """Return the rows of the first set that says something."""
    if given is not None and not isinstance(given, list):
        raise UnfitError("has `answers` that are no list")
    for each in given or ():
        if not isinstance(each, dict):
            raise UnfitError("has `answers` that are no SPARQL results")
        if isinstance(each.get("boolean"), bool):
            return (each["boolean"],)
        results = each.get("results")
        if isinstance(results, dict) and "bindings" in results:
            return gold.answers(results["bindings"] or [])
    return None


LAYOUT = Layout(
    name="qald",
    looks="an object with `questions`, each with `id`, `question` (a list of `language`, `string`), `query`, `answers`",
    fits=_fits,
    entry=_entry,
    wrapper="questions",
)
