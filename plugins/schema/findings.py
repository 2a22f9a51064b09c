"""What the guard says of a query: seven codes, three severities, one JSON shape."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Code = Literal["domain", "range", "datatype", "model", "direction", "empty", "unknown_id"]
Severity = Literal["block", "warn", "note"]
Source = Literal["declared", "induced", "trace"]

BLOCKED = "[BLOCKED]"
MOST_SUGGESTIONS = 3
# A query with more mistakes than this gets the first ones.
MOST_FINDINGS = 100
MOST_CLASSES = 5
_MOST_PATTERN = 200
_MOST_LABEL = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """An id with its label, which comes from the graph and may hold anything; here it is one short line."""

    id: str
    label: str = ""

    def __str__(self) -> str:
        return f"{self.label} ({self.id})" if self.label and self.label != self.id else self.id

    @property
    def word(self) -> str:
        """The label, or the id where there is none."""
        return self.label or self.id

    def document(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"id": self.id, "label": self.label}


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Something to use instead, and why; ``call`` is how a sentence names it, where not by its name."""

    name: Named
    why: str
    call: str = ""

    @property
    def advice(self) -> str:
        """The words for a sentence."""
        return self.call or str(self.name)

    def document(self) -> dict[str, str]:
        """Return the JSON form."""
        return {**self.name.document(), "why": self.why}


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong with one pattern.

    Shapes: ``reason`` is what is wrong, a sentence without its end; ``advice`` what to do, empty or whole sentences.
    Units: ``line`` and ``column`` start at 1; ``start`` and ``end`` are the offsets of the pattern in the text.
    """

    code: Code
    severity: Severity
    line: int
    column: int
    start: int
    end: int
    pattern: str
    prop: Named
    reason: str
    subject: str = ""
    types: tuple[Named, ...] = ()
    expected: tuple[Named, ...] = ()
    source: Source = "declared"
    verified: bool = False
    advice: str = ""
    suggestions: tuple[Suggestion, ...] = ()

    @property
    def message(self) -> str:
        """The finding in words for a person or a model."""
        head = f"{BLOCKED} " if self.severity == "block" else ""
        return " ".join(filter(None, (f"{head}{self.reason}.", self.advice)))

    def document(self) -> dict[str, Any]:
        """Return the JSON form. Source: design.md section 4."""
        return {
            "code": self.code,
            "severity": self.severity,
            "line": self.line,
            "column": self.column,
            "pattern": self.pattern,
            "property": self.prop.document(),
            "subject": self.subject,
            "types": [each.document() for each in self.types],
            "expected": [each.document() for each in self.expected],
            "source": self.source,
            "verified": self.verified,
            "message": self.message,
            "suggestions": [each.document() for each in self.suggestions],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All findings of one query, in the order of its text.

    Shapes: ``checked`` is False where the text could not be judged; ``reason`` says why, or what was left out;
    ``note`` is what to know of the judge, whatever was judged.
    """

    checked: bool
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing is to be blocked or warned of."""
        return all(each.severity == "note" for each in self.findings)

    @property
    def blocks(self) -> tuple[Finding, ...]:
        """The findings that stop the query in block mode."""
        return tuple(each for each in self.findings if each.severity == "block")

    def document(self) -> dict[str, Any]:
        """Return the answer of /validate. A note is part of the reason, too."""
        said = {"reason": "; ".join(filter(None, (self.reason, self.note))), "note": self.note}
        found = [each.document() for each in self.findings]
        return {
            "ok": self.ok,
            "checked": self.checked,
            **{key: value for key, value in said.items() if value},
            "findings": found,
        }


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of the text, each once, the first ones of too many."""
    order = {"block": 0, "warn": 1, "note": 2}
    found = sorted(findings, key=lambda each: (each.start, each.end, order[each.severity], each.code))
    unique = {(each.start, each.end, each.code, each.prop.id, each.reason): each for each in found}
    return tuple(unique.values())[:MOST_FINDINGS]


def line(text: str, most: int = _MOST_LABEL) -> str:
    """Return text as one short line that a terminal, a header and a log can show: nothing in it moves a cursor."""
    start = text[: 4 * most]
    if not start.isprintable():
        start = "".join(each if each.isprintable() else " " for each in start)
    folded = " ".join(start.split())
    return folded if len(folded) <= most else folded[: most - 1] + "…"


def shown(text: str) -> str:
    """Return a pattern as a finding shows it."""
    return line(text, _MOST_PATTERN)


def listed(names: Sequence[Named], count: int) -> str:
    """Return class names for a sentence, at most five of so many."""
    words = ", ".join(each.word for each in names[:MOST_CLASSES])
    return words + (f" and {count - MOST_CLASSES:,} more" if count > MOST_CLASSES else "")
