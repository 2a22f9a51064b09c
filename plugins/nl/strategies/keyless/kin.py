"""What stands beside an anchor and is called in part as some words are: Brian, of those who are in Family Guy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plugins.nl.contract import Shape, Table
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.reading import Reading, Span
from plugins.nl.strategies.keyless.sense import Sense
from plugins.nl.strategies.keyless.surroundings import asked
from plugins.nl.tools import Hit, Tools
from plugins.schema.body import askable
from plugins.search.folding import fold

_MOST_ANCHORS = 2
# What so many things point to has too many around it.
_HUB = 5_000
_MOST_FOUND = 6
_LEAST_CHARS = 3

Kin = tuple[Anchor, Anchor]


async def kin(reading: Reading, anchors: Sequence[Anchor], shape: Shape, tools: Tools) -> list[Kin]:
    """Return pairs of an anchor and what stands beside it. Raises OutOfBudget, ProxyError."""
    known = [
        each
        for each in anchors
        if not each.hit.is_class and not each.inner and each.hit.popularity < _HUB and askable(each.iri)
    ]
    given = [(each, _runs(reading, each, shape, tools)) for each in known[:_MOST_ANCHORS]]
    branches = [_near(number, each, runs, tools) for number, (each, runs) in enumerate(given) if runs]
    table = await asked(branches, tools)
    return list(_pairs(table, given, reading))[:_MOST_FOUND]


def _runs(reading: Reading, anchor: Anchor, shape: Shape, tools: Tools) -> list[Span]:
    """Return runs of words that may be a part of a name: those that speak, and for no property; the longest first."""
    sense = Sense(reading, (anchor.span,), shape, tools)
    free = [place for place in sense.open if place not in sense.spoken]
    barred = set(reading.speaking()).difference(free)
    found: list[Span] = []
    for place in free:
        joins = bool(found) and barred.isdisjoint(range(found[-1].last, place))
        first = found.pop().first if joins else place
        found.append(Span(first, place + 1, reading.text[reading.words[first].start : reading.words[place].end]))
    return [each for each in found if len(each.text) >= _LEAST_CHARS]


def _near(number: int, anchor: Anchor, runs: Sequence[Span], tools: Tools) -> str:
    """Return what asks for the names of things around an anchor that have one of some texts in them."""
    known, base = tools.knowledge.vocabulary, f"{tools.knowledge.vocabulary.properties}qualifier/P"
    a, qualifies = f"<{anchor.iri}>", f'FILTER(STRSTARTS(STR(?q), "{base}"))'
    ways = {f"{a} ?p ?x": "", f"?x ?p {a}": ""}
    if tools.knowledge.direct:
        ways |= {f"{a} ?p ?m . ?m ?q ?x": qualifies, f"?m ?q {a} . ?x ?p ?m": qualifies}
    tests = " || ".join(f"CONTAINS(LCASE(STR(?l)), {_quoted(each.text.lower())})" for each in runs)
    # The name is asked for within each way: behind them all an endpoint may read the names of everything.
    named = (f"{{ {way} . ?x <{known.labels[0]}> ?l {more} FILTER({tests}) }}" for way, more in ways.items())
    return f"{{ SELECT DISTINCT ({number} AS ?n) ?x ?l {{ {' UNION '.join(named)} }} }}"


def _pairs(table: Table, given: Sequence[tuple[Anchor, list[Span]]], reading: Reading) -> Iterator[Kin]:
    for row in table.rows:
        cells = dict(zip(table.variables, row, strict=True))
        number, thing, label = cells.get("n"), cells.get("x"), cells.get("l")
        if number is None or thing is None or label is None or thing.kind != "iri":
            continue
        anchor, runs = given[int(number.value)]
        words = f" {fold(label.value)} "
        span = next((each for each in runs if f" {fold(each.text)} " in words), None)
        if span is not None and thing.value != anchor.iri:
            name = thing.value.rpartition("/")[2]
            hit = Hit(id=name, iri=thing.value, kind="entity", match="label", source="labels",
                      label=label.value, text=span.text)  # fmt: skip
            yield anchor, Anchor(span, hit, 0, False, len(reading.speaking(span)))


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
