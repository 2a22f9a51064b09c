"""Labels, descriptions and aliases as they are collected: the wanted language first, else any other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from proxy.results.terms import Term

LANGUAGES = ("en", "de", "es", "fr", "ru", "zh")
_MOST_ALIASES = 100
_MOST_CHARS = 2_000


@dataclass(slots=True, kw_only=True)
class Texts:
    """The texts of one property or class. A text is cut at 2,000 characters, of aliases 100 are kept."""

    labels: dict[str, str] = field(default_factory=dict)
    descriptions: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)

    def add_label(self, term: Term) -> None:
        """Add a label; the first one of a language holds, in the order of the alphabet where there are several."""
        _least(self.labels, term)

    def add_description(self, term: Term) -> None:
        """Add a description."""
        _least(self.descriptions, term)

    def add_alias(self, term: Term) -> None:
        """Add another name."""
        found = self.aliases.setdefault(term.language, {})
        if len(found) < _MOST_ALIASES:
            found[term.value[:_MOST_CHARS]] = None

    def label(self, languages: Sequence[str]) -> str:
        """Return the label in the first language that has one."""
        return _best(self.labels, languages)

    def description(self, languages: Sequence[str]) -> str:
        """Return the description in the first language that has one."""
        return _best(self.descriptions, languages)

    def other_names(self, languages: Sequence[str]) -> tuple[str, ...]:
        """Return the aliases of all wanted languages and of none, those of the first language first."""
        wanted = (*languages, "", "mul")
        found = {alias: None for language in wanted for alias in sorted(self.aliases.get(language, ()))}
        return tuple(list(found)[:_MOST_ALIASES])


def _least(texts: dict[str, str], term: Term) -> None:
    value = term.value[:_MOST_CHARS]
    if term.language not in texts or value < texts[term.language]:
        texts[term.language] = value


def _best(texts: dict[str, str], languages: Sequence[str]) -> str:
    for language in (*languages, "mul", ""):
        if language in texts:
            return texts[language]
    return texts[min(texts)] if texts else ""
