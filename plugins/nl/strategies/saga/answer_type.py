"""InferAnswerType: what kind of answer a question wants, asked of the model before the first step.

It ranks and warns; it never removes anything. What the words of the question say for sure stays; the model adds the
class, and the form where the words do not tell. Source: SAGA, appendix F.1; strategies.md section 1, step 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, get_args

from plugins.nl.contract import AnswerForm, Shape, Work
from plugins.nl.model.contract import ChatModel, TooLong, Unreadable
from plugins.nl.prompts import prompt
from plugins.schema.annotation import tidy
from plugins.schema.words import stems

_FORMS: tuple[AnswerForm, ...] = get_args(AnswerForm)
# What a question without a known word has: it says nothing.
_DEFAULT: AnswerForm = "entity"
_EXAMPLES = {"wikidata": "Q5", "freebase": "people.person"}
_SCALARS: Mapping[AnswerForm, str] = {
    "ask": "boolean: yes or no, by ASK",
    "count": "quantity: how many there are",
    "number": "quantity",
    "date": "date",
    "year": "year",
    "label": "name",
}
UNKNOWN = "unknown"
_MOST_LABEL = 60
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "form": {"type": "string", "enum": list(_FORMS)},
        "type_label": {"type": "string"},
        "type_id": {"type": "string"},
    },
    "required": ["form", "type_label", "type_id"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerType:
    """What is expected. ``text`` says it in words; ``types`` are the class, where it is known in the graph."""

    shape: Shape
    text: str = UNKNOWN
    types: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether anything is expected at all."""
        return self.text != UNKNOWN


async def infer_answer_type(work: Work, model: ChatModel) -> AnswerType:
    """Return what the model expects; a reply that nobody can read leaves what the words say.

    Raises OutOfBudget, ModelUnavailable.
    """
    if not work.switches.answer_prior:
        return AnswerType(shape=work.shape)
    asked = prompt(
        "answer_type",
        "answer_type",
        forms=_FORMS,
        example=_EXAMPLES.get(work.tools.knowledge.graph, ""),
        question=work.question.text,
        turns=work.question.history[-1:],
    )
    try:
        said = await model.fill(asked, _SCHEMA)
    except (Unreadable, TooLong):
        said = {}
    return await _read(said, work)


async def _read(said: Mapping[str, Any], work: Work) -> AnswerType:
    form, label, identifier = (str(said.get(name) or "").strip() for name in ("form", "type_label", "type_id"))
    shape = work.shape
    if shape.form == _DEFAULT and form in _FORMS:
        shape = replace(shape, form=form)
    scalar = _SCALARS.get(shape.form, "")
    if scalar:
        return AnswerType(shape=shape, text=scalar)
    label = tidy(label)[:_MOST_LABEL] or shape.type_label
    iri = await _class(work, label, identifier) or shape.type_iri
    # The question's own words stay: they are how it is told that a name in it is the answer's kind.
    shape = replace(shape, type_label=shape.type_label or label, type_iri=iri)
    named = f"{label} ({work.tools.knowledge.short(iri)})" if iri else label
    several = ", several" if shape.form == "list" else ""
    return AnswerType(shape=shape, text=(named or UNKNOWN) + several, types=(iri,) if iri else ())


async def _class(work: Work, label: str, identifier: str) -> str | None:
    """Return the class that is meant: by its id, where the schema has it, else by what it is called."""
    tools = work.tools
    index = tools.knowledge.schema
    info = index.class_info(identifier) if index is not None and identifier else None
    if info is not None:
        return info.iri
    hits = await tools.search(label, "entity") if label else ()
    said = set(stems(label))
    return next((hit.iri for hit in hits if hit.is_class and set(stems(hit.text or hit.label)) == said), None)
