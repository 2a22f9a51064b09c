"""From anchors to ideas, the likely ones first: what stands around them, and one step further where words are left."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from plugins.nl.contract import Work
from plugins.nl.strategies.keyless.certainty import certainty
from plugins.nl.strategies.keyless.classes import at_places, tallies
from plugins.nl.strategies.keyless.forms import formed
from plugins.nl.strategies.keyless.ideas import Idea, ideas
from plugins.nl.strategies.keyless.judging import Judge, Judged
from plugins.nl.strategies.keyless.kin import kin
from plugins.nl.strategies.keyless.linking import Anchor
from plugins.nl.strategies.keyless.reading import Reading
from plugins.nl.strategies.keyless.surroundings import between, beyond, surroundings
from plugins.nl.strategies.keyless.weights import weights_of

_MOST_FURTHER = 5
# From here on the words of a question speak for a property.
_SPOKEN = 0.25


class Thoughts(NamedTuple):
    """Ideas, the best first, each query once; ``confidence`` is that of the first."""

    ideas: list[Judged]
    confidence: float


async def thoughts(reading: Reading, anchors: Sequence[Anchor], work: Work) -> Thoughts:
    """Return all ideas, the best first, and how sure the first one is. Raises OutOfBudget, ProxyError."""
    known = work.tools.knowledge
    near = list(ideas(await surroundings(anchors, work.tools), anchors, work.tools))
    near += at_places(anchors, work.shape, known)
    judge = Judge(reading, anchors, work.shape, work.tools, _joined(near))
    whole = tallies(anchors, work.shape, known, judge.is_said)
    found = _in_order(map(judge.judged, (*formed(near, work.shape, known), *whole)))
    if not found or found[0].left:
        beside = list(
            ideas(await between(await kin(reading, anchors, work.shape, work.tools), work.tools), anchors, work.tools)
        )
        near += beside
        found = _in_order((*found, *map(judge.judged, formed(beside, work.shape, known))))
    if not found or found[0].left or found[0].of("covered") < 1:
        starts = sorted(map(judge.judged, filter(_leads_on, near)), key=_by_score)
        starts = [each for each in starts if each.of("evident") > _SPOKEN or each.idea.half or _narrows(each)]
        edges = await beyond([each.idea.edge for each in starts[:_MOST_FURTHER]], work.tools)
        far = ideas(edges, anchors, work.tools)
        found = _in_order((*found, *map(judge.judged, formed(far, work.shape, known))))
    return Thoughts(found, certainty(found, weights_of(known).sure) if found else 0.0)


def _joined(given: Iterable[Idea]) -> frozenset[frozenset[str]]:
    """Return the pairs of entities that the graph joins."""
    return frozenset(frozenset(each.iri for each in idea.anchors) for idea in given if idea.way == "link")


def _leads_on(idea: Idea) -> bool:
    """Whether its answers are things, from which one may go on."""
    if idea.half:
        return True
    alone = idea.way in ("out", "in", "meet") and idea.constraint is None and not idea.statement
    return alone and (idea.way != "out" or idea.uses[0].kind in ("item", ""))


def _narrows(judged: Judged) -> bool:
    """Whether it says which ones are meant, by two things that the question names: all countries in Africa."""
    return judged.sound and judged.idea.way == "meet"


def _in_order(judged: Iterable[Judged]) -> list[Judged]:
    """Return what is sound, each query once, the best first."""
    found = {each.idea.query: each for each in judged if each.sound}
    return sorted(found.values(), key=_by_score)


def _by_score(judged: Judged) -> tuple[float, int]:
    # Scores that differ by how they were summed up only are equal.
    return -round(judged.score, 6), judged.far
