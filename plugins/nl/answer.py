"""The answer to a question, as one JSON object. Source: design.md section 4, "An answer from `/nl`"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plugins.nl.contract import Check, Question, Shape, Status, Table, Verdict
from proxy.results.terms import Term


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What one check of the gate said. ``before`` is the query that a fix replaced."""

    check: Check
    verdict: Verdict
    why: str = ""
    before: str = ""

    def document(self) -> dict[str, str]:
        """Return the JSON form."""
        said = {"check": self.check, "verdict": self.verdict, "why": self.why, "before": self.before}
        return {name: value for name, value in said.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """Something that the reader of an answer should know."""

    code: str
    message: str

    def document(self) -> dict[str, str]:
        """Return the JSON form."""
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All that comes of a question.

    Shapes: ``model`` has the name of the model that was asked and the version of the prompts, nothing without one.
    """

    id: str
    conversation: str
    question: Question
    strategy: str
    status: Status
    shape: Shape
    sparql: str = ""
    table: Table | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, Sequence[str]] = field(default_factory=dict)
    steps: Sequence[Mapping[str, Any]] = ()
    gate: Sequence[Judgement] = ()
    model: Mapping[str, str] = field(default_factory=dict)
    usage: Mapping[str, float] = field(default_factory=dict)
    warnings: Sequence[Warned] = ()
    confidence: float | None = None

    def document(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "id": self.id,
            "conversation": self.conversation,
            "question": self.question.text,
            "endpoint": self.question.endpoint,
            "strategy": self.strategy,
            "status": self.status,
            "shape": self.shape.document(),
            "sparql": self.sparql or None,
            "results": sparql_json(self.table) if self.table else None,
            "complete": self.table.complete if self.table else False,
            **({} if self.confidence is None else {"confidence": round(self.confidence, 3)}),
            "labels": dict(self.labels),
            "steps": list(self.steps),
            "types": {key: list(value) for key, value in self.types.items()},
            "gate": [each.document() for each in self.gate],
            **({"model": dict(self.model)} if self.model else {}),
            "usage": dict(self.usage),
            "warnings": [each.document() for each in self.warnings],
        }


def sparql_json(table: Table) -> dict[str, Any]:
    """Return a table as SPARQL 1.1 Query Results JSON."""
    if table.boolean is not None:
        return {"head": {}, "boolean": table.boolean}
    bindings = [
        {name: _term(term) for name, term in zip(table.variables, row, strict=True) if term is not None}
        for row in table.rows
    ]
    return {"head": {"vars": list(table.variables)}, "results": {"bindings": bindings}}


def _term(term: Term) -> dict[str, Any]:
    match term.kind:
        case "iri":
            return {"type": "uri", "value": term.value}
        case "blank":
            return {"type": "bnode", "value": term.value}
        case "triple" if term.triple:
            names = ("subject", "predicate", "object")
            return {
                "type": "triple",
                "value": {name: _term(part) for name, part in zip(names, term.triple, strict=True)},
            }
    said = {"type": "literal", "value": term.value}
    if term.language:
        said["xml:lang"] = term.language
    elif term.datatype:
        said["datatype"] = term.datatype
    return said
