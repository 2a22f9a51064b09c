"""TypeFilter and CompactFormat: which properties of an entity the model sees, in which order, and in which words.

Source: SAGA, Eq. 3 and "Type-Constrained Grounding"; specs/guard.md section 2 for what goes beyond.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from plugins.nl.contract import Filter
from plugins.nl.tools import Neighbourhood, Tools
from plugins.nl.tools.lookup import Line
from plugins.nl.tools.wording import clipped
from plugins.schema.annotation import side_text, tidy
from plugins.schema.fit import strict
from plugins.schema.model import Property
from plugins.schema.order import FIRST, Edge, Ordered

# A property that leads to what is asked for stands at this part of its place.
_PREFERRED = 0.5
_NUMBER = re.compile(r"\d+")


def type_filter(neighbors: Neighbourhood, types: Iterable[str], mode: Filter) -> Neighbourhood:
    """Line 11 of Algorithm 1: by Eq. 3, or with the class hierarchy; the modes that only rank remove nothing."""
    given = tuple(types)
    if mode == "strict":
        return keeping(neighbors, lambda line: strict(line.property.domain, given))
    if mode == "closure":
        return keeping(neighbors, lambda line: not line.conflicts)
    return neighbors


def keeping(neighbors: Neighbourhood, keeps: Callable[[Line], bool]) -> Neighbourhood:
    """Return a neighbourhood without some of its outgoing properties, which are counted."""
    out = {key: line for key, line in neighbors.out.items() if keeps(line)}
    ordered = neighbors.ordered
    plain = [edge for edge in (*ordered.shown, *ordered.folded) if edge.property.id in out]
    ids = tuple(edge for edge in ordered.ids if edge.property.id in out)
    return replace(
        neighbors,
        out=out,
        ordered=Ordered(shown=tuple(plain[:FIRST]), folded=tuple(plain[FIRST:]), ids=ids),
        removed=neighbors.removed + len(neighbors.out) - len(out),
    )


def preferring(neighbors: Neighbourhood, wanted: Callable[[Property], bool]) -> Neighbourhood:
    """Return a neighbourhood where what leads to the expected answer stands further up. Nothing is removed."""
    return replace(
        neighbors,
        ordered=_preferring(neighbors.ordered, wanted),
        ordered_in=_preferring(neighbors.ordered_in, wanted),
    )


def _preferring(ordered: Ordered, wanted: Callable[[Property], bool]) -> Ordered:
    edges = (*ordered.shown, *ordered.folded)

    def place(number: int) -> float:
        edge = edges[number]
        return number * (_PREFERRED if wanted(edge.property) and not edge.conflicts else 1.0)

    ranked = [edges[number] for number in sorted(range(len(edges)), key=place)]
    shown = len(ordered.shown)
    return Ordered(shown=tuple(ranked[:shown]), folded=tuple(ranked[shown:]), ids=ordered.ids)


def compact_format(kept: Neighbourhood, tools: Tools, evidence: Sequence[str] = ()) -> str:
    """Line 12 of Algorithm 1, ranked and folded: a line a property, with values, domain and range."""
    return "\n".join([tools.wording.neighbourhood(kept), *evidence])


def published_format(kept: Neighbourhood, tools: Tools) -> str:
    """Line 12 of Algorithm 1 as it was published: label, id, description, then domain and range by name."""
    types = ", ".join(map(tools.labels.named, kept.types)) or "none known"
    lines = [tools.labels.named(kept.iri), f"types: {types}"]
    for line in sorted(_plain(kept), key=lambda each: _numeric(each.property.id)):
        lines += _entry(line.property, tools)
    if kept.removed:
        lines.append(f"{kept.removed} of {kept.removed + len(kept.out)} properties are removed.")
    return clipped(lines)


def _plain(found: Neighbourhood) -> list[Line]:
    """Return the lines but for external ids, which SPINACH leaves out as well."""
    return [line for line in found.out.values() if line.property.kind != "external-id"]


def _entry(record: Property, tools: Tools) -> list[str]:
    index = tools.knowledge.schema
    described = f": {tidy(record.description)}" if record.description else ""
    lines = [f"{tidy(record.name)} ({record.id}){described}"]
    for name, side in (("domain", record.domain), ("range", record.range)):
        if index is not None and side is not None:
            lines.append(f"  {name}: {side_text(index, side)}")
    return lines


def _numeric(identifier: str) -> tuple[int, str]:
    match = _NUMBER.search(identifier)
    return (int(match.group()) if match else 0), identifier


def raw_lines(found: Neighbourhood, tools: Tools) -> list[str]:
    """Return the outgoing properties with their values, a line each: what is given to be pruned."""
    wording = tools.wording
    return [
        f"{tidy(line.property.name)} ({line.property.id}) = {', '.join(map(wording.term, line.values))}"
        for line in (found.out[edge.property.id] for edge in _edges(found))
    ]


def _edges(found: Neighbourhood) -> tuple[Edge, ...]:
    return (*found.ordered.shown, *found.ordered.folded)
