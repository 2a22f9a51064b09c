"""The shape of a question: what kind of answer it wants, read from its words alone, without a model."""

from __future__ import annotations

from dataclasses import replace

from plugins.nl.contract import AnswerForm, DatePart, Question, Shape
from plugins.nl.shape.bound import bound, times
from plugins.nl.shape.comparison import compared
from plugins.nl.shape.degree import Degree, comparative, superlative
from plugins.nl.shape.detection import detect
from plugins.nl.shape.form import Asked, asked
from plugins.nl.shape.language import Language, languages
from plugins.nl.shape.mentions import mentions
from plugins.nl.shape.naming import excluded, label_language, negated, polarity, text_match, type_label
from plugins.nl.shape.text import Span, Text

__all__ = ["read"]

# Forms of a question that a choice between two things makes one for the winner.
_OF_TWO = frozenset({"ask", "entity", "number"})
_OF_A_CLASS = frozenset({"entity", "list", "count", "winner"})


def read(question: Question) -> Shape:
    """Return the shape of a question. Any text has one: where no word is known it asks for an entity."""
    text = Text(question.text)
    language = detect(text, languages(), question.language)
    for match in language.pattern("ignore").finditer(text.unquoted):
        text.ignore(Span(*match.span()))
    if language.spaced and not language.nouns_capital:
        text.name_free()
    opening = asked(language, text)
    # What opens a question neither compares nor denies: "isn't", "有没有".
    text.ignore(Span(opening.start, opening.end))
    shape = _formed(language, text, opening, _described(language, text, opening))
    return shape if shape.form in _OF_A_CLASS else replace(shape, type_label="")


def _described(language: Language, text: Text, opening: Asked) -> Shape:
    """Return all that is read from single words; the form is that of the opening."""
    when = times(language, text)
    held = bound(language, text)
    said = polarity(language, text)
    return Shape(
        form=opening.form,
        language=language.tag,
        type_label=type_label(language, text, opening),
        negated=negated(said),
        polarity=said,
        bound=held,
        excluded=excluded(language, text),
        span=when.span,
        year=when.year,
        since=when.since,
        until=when.until,
        date_part=_date_part(language, text, opening),
        label_language=label_language(language, text),
        text_matches=text_match(language, text),
        mentions=mentions(language, text),
    )


def _formed(language: Language, text: Text, opening: Asked, shape: Shape) -> Shape:
    """Return the shape with its superlative or comparison, and the form that follows from all."""
    if shape.label_language and opening.form != "ask":
        return replace(shape, form="label")
    most, more = superlative(language, text), comparative(language, text)
    things = _things(language, text, opening, more or most)
    if things and more is not None:
        choice = opening.form != "ask" or not language.find("than", text.unquoted)
        form: AnswerForm = "winner" if choice and opening.form in _OF_TWO else opening.form
        return replace(shape, form=form, compare=things, superlative=more.end, measure=more.measure)
    if opening.form == "ask" and "not" not in shape.polarity and language.find("either", text.unquoted):
        return replace(shape, form="entity")
    if most is None:
        return replace(shape, form="list") if opening.many else shape
    return replace(
        shape,
        form=_superlative_form(opening, most),
        superlative=most.end,
        measure=most.measure,
        place=most.place,
        top=most.top,
    )


def _things(language: Language, text: Text, opening: Asked, degree: Degree | None) -> tuple[str, ...]:
    return compared(language, text, opening, degree.span) if degree is not None else ()


def _superlative_form(opening: Asked, most: Degree) -> AnswerForm:
    if opening.form != "entity":
        return opening.form
    return "list" if most.top is not None or opening.many else "winner"


def _date_part(language: Language, text: Text, opening: Asked) -> DatePart:
    if opening.form == "year":
        return "year"
    if opening.form != "date":
        return ""
    if language.find("month", text.unquoted):
        return "month"
    return "day" if language.find("day", text.unquoted) else ""
