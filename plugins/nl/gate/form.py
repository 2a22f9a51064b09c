"""Check 1, form: a question for yes or no gets a yes or a no, and others get none."""

from __future__ import annotations

from plugins.nl.gate.asking import asked
from plugins.nl.gate.case import PASS, Case, Opinion, ask, fix
from plugins.nl.gate.matching import matched
from plugins.nl.gate.values import number
from proxy.syntax import PartKind

_THINGS = ("entity", "list", "winner")


async def form(case: Case) -> Opinion:
    """Give the answer the form that the question asks for."""
    wanted, draft = case.shape.form, case.draft
    if wanted == "ask":
        return _text_of(case) if draft.is_ask else await asked(case)
    if draft.is_ask:
        return ask(f"The query says yes or no; the question asks for: {wanted}.")
    if wanted in _THINGS and number(case.table) is not None and "COUNT" in draft.said(PartKind.COLUMN):
        return ask(f"The query returns a number of things; the question asks for: {wanted}.")
    if wanted == "label" and case.shape.label_language:
        return _labelled(case)
    return _text_of(case)


def _text_of(case: Case) -> Opinion:
    """Hold a text against what the question says of it."""
    if case.shape.text_matches is None:
        return PASS
    sparql = matched(case)
    if not sparql:
        return PASS
    wanted = case.shape.text_matches
    return Opinion(verdict="fix", sparql=sparql, why=f"the text has {wanted.text!r} at its {wanted.where}", bare=True)


def _labelled(case: Case) -> Opinion:
    """Keep the names in the language that the question asks for."""
    language = case.shape.label_language
    for place, name in enumerate(case.table.variables):
        tags = {row[place].language for row in case.table.rows if (row[place]) is not None}  # type: ignore[union-attr]
        if len(tags - {""}) < 2 or language not in {tag.partition("-")[0] for tag in tags}:
            continue
        draft = case.draft
        condition = f'FILTER(LANGMATCHES(LANG(?{name}), "{language}"))'
        sparql = draft.edited(*draft.added(draft.root, filters=condition))
        return fix(sparql, f"the question asks for the name in the language {language!r}")
    return PASS
