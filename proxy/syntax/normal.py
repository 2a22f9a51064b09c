"""The normal form: a text that means the same and is the same for texts that differ only in layout.

It is part of the cache key, so the rule is cautious: a run of white space and comments between two tokens becomes one
space, or nothing after an opening or before a closing bracket and around commas and semicolons, where no lexer can join
what it separated. Nothing is renamed, reordered or added. A text stays as it is where we cannot be sure how an endpoint
cuts it into tokens: it is not read whole, has codepoint escapes, a ``<`` that could open an IRI, or a ``#pragma``
(Stardog's instructions in comments).
"""

from __future__ import annotations

from proxy.syntax.tokens import Tokens

_OPENS = frozenset("{([,;")
_CLOSES = frozenset("})],;")


def normal_form(text: str, tokens: Tokens) -> str:
    """Fold the layout of a text that was read whole; ``tokens`` are those of the text itself."""
    if "\\u" in text or "\\U" in text or "#pragma" in text:
        return text
    parts: list[str] = []
    last, before = 0, ""
    for kind, word, start in zip(tokens.kinds, tokens.texts, tokens.starts, strict=True):
        if start > last and before not in _OPENS and kind not in _CLOSES:
            parts.append(" ")
        parts.append(word)
        last, before = start + len(word), kind
    return "".join(parts).strip()
