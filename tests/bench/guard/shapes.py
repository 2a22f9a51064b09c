"""Wrong patterns in places where a query can do without them: none of the blocked ones may have rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proxy.syntax import Blank, Iri, Syntax, TriplePattern
from tests.bench.guard.caught import swaps
from tests.bench.guard.place import Outcome, Place, each
from tests.bench.guard.swaps import Shop, Swap, disjoint, typed
from tests.bench.guard.table import Row, none_of

# So many swaps are moved into each shape.
MOVED = 100
Shape = Callable[[TriplePattern, str], str]


def _group(before: str, after: str = "}") -> Shape:
    return lambda pattern, wrong: f"{before} {{ {pattern.subject} {wrong} {pattern.object} {after}"


def _step(path: str) -> Shape:
    def shaped(pattern: TriplePattern, wrong: str) -> str:
        steps = path.format(wrong=wrong, right=pattern.predicate)
        return f"{pattern.subject} {steps} {pattern.object} ."

    return shaped


def _union(pattern: TriplePattern, wrong: str) -> str:
    return f"{{ {pattern.subject} {wrong} {pattern.object} }} UNION {{ {pattern} }}"


SHAPES: Mapping[str, Shape] = {
    "as it is": _step("{wrong}"),
    "OPTIONAL": _group("OPTIONAL"),
    "MINUS": _group("MINUS"),
    "NOT EXISTS": _group("FILTER NOT EXISTS"),
    "EXISTS inside BIND": _group("BIND(EXISTS", "} AS ?moved)"),
    "EXISTS or else": _group("FILTER(EXISTS", "} || true)"),
    "one UNION branch": _union,
    "sub-select with COUNT, no GROUP BY": _group("{ SELECT (COUNT(*) AS ?moved)", "} }"),
    "under *": _step("{wrong}*"),
    "under ?": _step("{wrong}?"),
    "one of two in a path": _step("({wrong}|{right})"),
}


async def shapes(place: Place, most: int | None) -> list[Row]:
    """Move swapped patterns, run them with the guard off and on, and count per shape."""
    shop = Shop(place)
    made = [swap for swap in await swaps(shop, disjoint, ("constant", "variable"), most) if typed(swap)]
    rows = []
    for name, shape in SHAPES.items():
        texts = [text for swap in made if (text := moved(swap, shape, place)) is not None][:MOVED]
        outcomes = await each(f"shape: {name}", texts, lambda text: _both(place, text))
        blocked = sum(stopped for stopped, _ in outcomes)
        with_rows = sum(outcome == "rows" for _, outcome in outcomes)
        unknown = sum(outcome in ("late", "refused") for _, outcome in outcomes)
        label = f"{name}: {with_rows} with rows, {blocked} blocked, {unknown} unknown; both"
        rows.append(none_of(label, outcomes.count((True, "rows")), len(texts)))
    return rows


async def _both(place: Place, text: str) -> tuple[bool, Outcome]:
    """Return whether a query is blocked, and what comes without the guard: the same run where nothing is blocked."""
    outcome = await place.outcome(text, "block")
    return (True, await place.outcome(text, "off")) if outcome == "blocked" else (False, outcome)


def moved(swap: Swap, shape: Shape, place: Place) -> str | None:
    """Return the gold query with one of its patterns, now wrong, moved into another construct; None where it cannot."""
    use = swap.original
    pattern = use.edge.pattern
    if use.role != "direct" or not isinstance(pattern.predicate, Iri) or isinstance(pattern.object, Blank):
        return None
    syntax = place.read(swap.query.text)
    if syntax is None or isinstance(pattern.subject, Blank):
        return None
    wrong = f"<{use.edge.property.value.replace(use.property.id, swap.other.id)}>"
    text = spliced(syntax, pattern, shape(pattern, wrong))
    again = place.read(text)
    return text if again is not None and again.checked else None


def spliced(syntax: Syntax, pattern: TriplePattern, instead: str) -> str:
    """Put text in the place of a pattern, whose neighbours may share its subject and predicate."""
    before = syntax.text[: pattern.start].rstrip()
    after = syntax.text[pattern.end :].lstrip()
    if before.endswith((";", ",")):
        before = before[:-1] + " ."
    if after.startswith(","):
        after = f". {pattern.subject} {pattern.predicate} {after[1:]}"
    elif after.startswith(";"):
        rest = after.lstrip("; \t\r\n")
        after = rest if rest.startswith((".", "}")) else f". {pattern.subject} {rest}"
    return f"{before} {instead} {after}".replace(". .", ".")
