"""A property in one line, wherever one is shown: label, id, description, domain and range by name."""

from __future__ import annotations

import re

from plugins.schema.index import Index
from plugins.schema.model import Property, Relation, Side

MOST_CLASSES = 5
_MOST_CHARS = 200
_RELATIONS: dict[Relation, str] = {"instance": "", "subclass": "kinds of ", "either": "instances or kinds of "}
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def annotation(index: Index, record: Property) -> str:
    """Return `date of birth (P569): date on which the subject was born; time; domain: human (Q5); range: ...`.

    Labels come from the graph: line breaks and control characters become spaces, long texts are cut at 200 characters.
    """
    parts = [f"{tidy(record.label)} ({record.id})" if record.label else record.id]
    if record.description:
        parts[0] += f": {tidy(record.description)}"
    if record.kind:
        parts.append(record.kind)
    if record.domain:
        parts.append(f"domain: {side_text(index, record.domain)}")
    if record.range:
        parts.append(f"range: {side_text(index, record.range)}")
    return "; ".join(parts)


def side_text(index: Index, side: Side) -> str:
    """Return `human (Q5), kinds of animal (Q729), 3 more [seen in 80 % of 50]`: at most five classes."""
    names = ", ".join(class_name(index, iri) for iri in side.classes[:MOST_CLASSES])
    more = len(side.classes) - MOST_CLASSES
    text = _RELATIONS[side.relation] + names + (f", {more} more" if more > 0 else "")
    if side.source == "induced":
        return f"{text} [seen in {side.share:.0%} of {side.support:,}]"
    return f"{text} [{side.status}]" if side.status != "normal" else text


def class_name(index: Index, iri: str) -> str:
    """Return `human (Q5)`, or the id alone where there is no label."""
    info = index.class_info(iri)
    if info is None:
        return tidy(iri)
    return f"{tidy(info.label)} ({info.id})" if info.label else tidy(info.id)


def tidy(text: str) -> str:
    """Return a text from the graph fit for one line."""
    line = " ".join(_CONTROL.sub(" ", text).split())
    return line if len(line) <= _MOST_CHARS else line[: _MOST_CHARS - 3] + "..."
