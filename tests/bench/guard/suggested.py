"""Whether the right property is among the first three that are suggested for a wrong one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from plugins.schema.asked import Asked
from plugins.schema.fit import Entity
from plugins.schema.lexicon import Lexicon
from plugins.schema.suggestions import Wanted
from proxy.contract import Dataset
from tests.bench.guard.caught import swaps
from tests.bench.guard.lessons import Lessons
from tests.bench.guard.place import Place, each
from tests.bench.guard.swaps import Position, Shop, Swap, disjoint, known, plausible, typed
from tests.bench.guard.table import Row, at_least, counted, plain

# So many swaps of each kind are asked about.
ASKED = 500
_POSITIONS: Sequence[Position] = ("constant", "variable")
_PATIENCE_S = 10.0

Suggest = Callable[[Swap], Awaitable[list[str]]]
Ranks = list[tuple[Swap, int | None]]


async def suggested(place: Place, most: int | None) -> list[Row]:
    """Ask for suggestions after each swap on a subject with a type, without the question and with it."""
    shop = Shop(place)
    near = [swap for swap in await swaps(shop, plausible, _POSITIONS, most) if typed(swap)][:ASKED]
    far = [swap for swap in await swaps(shop, disjoint, _POSITIONS, most) if typed(swap)][:ASKED]
    ways = Ways(place)
    without, asked = await _ranks(near, ways.without), await _ranks(near, ways.asked)
    learned = await _ranks(near, ways.learned)
    return [
        at_least("nearest names, without the question: first three", _within(without), len(without), 50),
        plain("  constants", _share(_constants(without))),
        at_least("nearest names, with the question: first three", _within(learned), len(learned), 70),
        plain("  constants", _share(_constants(learned))),
        plain("  without words learned of the other benchmarks", _share(asked)),
        plain("disjoint domains, without the question: first three", _share(await _ranks(far, ways.without))),
        plain("disjoint domains, with the question", _share(await _ranks(far, ways.learned))),
    ]


class Ways:
    """Three ways to find what is meant, each a function from a swap to the first three ids."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._lessons = Lessons(place)
        self._asked = Asked(place.index, Lexicon(place.index.properties()))

    async def without(self, swap: Swap) -> list[str]:
        """Know the subject and the wrong property."""
        return [each.name.id for each in self._place.adviser.suggestions(_wanted(swap))]

    async def asked(self, swap: Swap) -> list[str]:
        """Know the question, too."""
        found = self._asked.instead(swap.query.question, _wanted(swap), entity=await self._label(swap))
        return [each.id for each in found]

    async def learned(self, swap: Swap) -> list[str]:
        """Know the question, and the words that other benchmarks use for properties."""
        question = swap.query.question
        words = self._lessons(swap.query.dataset).rank(question)
        found = self._asked.instead(question, _wanted(swap), entity=await self._label(swap), learned=words)
        return [each.id for each in found]

    async def _label(self, swap: Swap) -> str:
        if not isinstance(swap.subject, Entity):
            return ""
        iri = swap.subject.iri
        return (await self._place.facts.about([iri], Dataset(), _PATIENCE_S))[iri].label


def _wanted(swap: Swap) -> Wanted:
    return Wanted(property=swap.other, subject=swap.subject, present=known(swap.subject))


async def _ranks(made: Sequence[Swap], suggest: Suggest) -> Ranks:
    async def rank(swap: Swap) -> tuple[Swap, int | None]:
        ids = await suggest(swap)
        right = swap.original.property.id
        return swap, ids.index(right) + 1 if right in ids else None

    return await each(f"suggestions, {suggest.__name__}", made, rank, at_once=1)


def _constants(ranks: Ranks) -> Ranks:
    return [(swap, rank) for swap, rank in ranks if swap.position == "constant"]


def _within(ranks: Ranks) -> int:
    return sum(rank is not None for _, rank in ranks)


def _share(ranks: Ranks) -> str:
    return counted(_within(ranks), len(ranks))
