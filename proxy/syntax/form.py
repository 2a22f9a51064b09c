"""The form of a request, found in the tokens alone."""

from __future__ import annotations

from proxy.errors import BadQuery
from proxy.syntax.problems import nearest, position
from proxy.syntax.syntax import Form
from proxy.syntax.tokens import Tokens
from proxy.syntax.words import OTHER_FORMS, QUERY_FORMS, UPDATE_FORMS

_FORMS = {
    **{word: Form(value) for word, value in QUERY_FORMS.items()},
    **dict.fromkeys(UPDATE_FORMS, Form.UPDATE),
    **dict.fromkeys(OTHER_FORMS, Form.OTHER),
}
_WORDS = frozenset(_FORMS) - OTHER_FORMS
_PROLOGUE = frozenset(("PREFIX", "BASE", "VERSION", "DEFINE", "WITH", "name", "iri", "string", "number", ",", "end"))


def form_of(text: str, tokens: Tokens) -> Form:
    """Find the word that opens the query or the update, before the first brace.

    Raises: BadQuery where there is none.
    """
    for kind in tokens.kinds:
        if kind in _FORMS:
            return _FORMS[kind]
        if kind == "{":
            break
    raise _formless(text, tokens)


def hidden_update(tokens: Tokens) -> bool:
    """Tell whether a text that the grammar could not read has an update outside all brackets."""
    if UPDATE_FORMS.isdisjoint(tokens.kinds):
        return False
    index, last = 0, len(tokens.kinds)
    while index < last:
        if tokens.kinds[index] in UPDATE_FORMS:
            return True
        index = tokens.closing.get(index, index) + 1
    return False


def _formless(text: str, tokens: Tokens) -> BadQuery:
    at = next((i for i, kind in enumerate(tokens.kinds) if kind not in _PROLOGUE), len(tokens.kinds) - 1)
    line, column = position(text, tokens.starts[at])
    where = f"line {line}, column {column}: "
    if tokens.kinds[at] == "end":
        said = "the text ends before any query or update: write SELECT, ASK, CONSTRUCT, DESCRIBE or an update"
        return BadQuery(where + said, line=line, column=column)
    word = tokens.texts[at]
    close = nearest(word, _WORDS)
    hint = f"; did you mean {close}?" if close else ""
    said = f"expected SELECT, ASK, CONSTRUCT, DESCRIBE or an update, found {word[:40]!r}{hint}"
    return BadQuery(where + said, line=line, column=column)
