"""What a text must begin with, contain or end with, as a condition of the query."""

from __future__ import annotations

from plugins.nl.gate.case import Case
from plugins.nl.gate.draft import Edit
from plugins.nl.gate.values import kinds
from proxy.syntax import Literal, Part, Variable

_FUNCTIONS = {"start": "STRSTARTS", "inside": "CONTAINS", "end": "STRENDS"}
_TESTS = frozenset((*_FUNCTIONS.values(), "REGEX"))


def matched(case: Case) -> str:
    """Return the query with the condition in it; empty where it has it already, or has no text to hold against it."""
    wanted = case.shape.text_matches
    draft = case.draft
    assert wanted is not None
    tests = [part for part in draft.filters if not _TESTS.isdisjoint(draft.syntax.words(part))]
    if any(_says(case, part, wanted.text) for part in tests):
        return ""
    name = _tested(case, tests) or _text(case)
    if name is None:
        return ""
    function = _FUNCTIONS[wanted.where]
    text = Literal(wanted.text.casefold())
    condition = f"FILTER({function}(LCASE(STR(?{name})), {text}))"
    if tests:
        first, *others = tests
        edits = [Edit(first.start, first.end, condition), *(Edit(each.start, each.end, "") for each in others)]
        return draft.edited(*edits)
    return draft.edited(*draft.added(draft.root, filters=condition))


def _says(case: Case, part: Part, text: str) -> bool:
    """Whether a test has the text in it, whatever else its pattern says."""
    strings = (word for word in case.draft.syntax.words(part) if word[0] in "\"'")
    return any(text.casefold() in each.casefold() for each in strings)


def _tested(case: Case, tests: list[Part]) -> str | None:
    """Return the variable that is held against another text now."""
    found = (word[1:] for part in tests for word in case.draft.syntax.words(part) if word[0] in "?$")
    return next(found, None)


def _text(case: Case) -> str | None:
    """Return the variable that is a text: the only column that is one, or in a yes or no the only loose end."""
    texts = [name for name, each in kinds(case.table).items() if each in ("text", "number")]
    if case.table.boolean is not None:
        texts = [each.object.name for each in case.draft.patterns if isinstance(each.object, Variable)]
    return texts[0] if len(set(texts)) == 1 else None
