"""Two baselines: the best label hit with its most used property, or with the one that shares most words."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable

from plugins.nl.contract import Candidate, Event, Work, action, found, observation
from plugins.nl.strategies.keyless.linking import anchors
from plugins.nl.strategies.keyless.reading import read
from plugins.schema.model import Property
from plugins.schema.words import stems

_SECONDS = 5.0

# How well a property suits the words of a question: the greatest is taken.
Choice = Callable[[Property, frozenset[str]], tuple[float, ...]]


class _Baseline:
    """Take the likeliest entity, as `keyless` ranks what words may mean, and one of its properties."""

    name = ""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Yield what happens. Raises OutOfBudget; ProxyError where the endpoint is gone."""
        tools = work.tools
        yield action("search", work.question.text)
        starts = await anchors(read(work.question.text), work)
        hit = starts[0].hit if starts else None
        yield observation(hit.label if hit else "Nothing is called as any of these words.", 0)
        if hit is None:
            return
        yield action("lookup", hit.label)
        table = await tools.asker.table(f"SELECT DISTINCT ?p {{ <{hit.iri}> ?p ?v }}", seconds=_SECONDS)
        known = (tools.knowledge.property(row[0].value) for row in table.rows if row[0] is not None)
        records = [each for each in known if each is not None and each.kind != "external-id"]
        yield observation(f"{len(records)} properties", 0)
        if not records:
            return
        said = frozenset(stems(work.question.text))
        best = max(sorted(records, key=lambda each: each.id), key=lambda each: self._choice(each, said))
        sparql = f"SELECT DISTINCT ?x WHERE {{ {tools.knowledge.short(hit.iri)} {tools.knowledge.step(best)} ?x }}"
        yield action("execute", sparql)
        done = await tools.execute(sparql)
        yield observation(tools.wording.table(done.table) if done.table is not None else done.problem, 0)
        if done.table is not None:
            yield found(Candidate(sparql=sparql, table=done.table, confidence=0.5, why=best.name))


class TopProperty(_Baseline):
    """The property that the graph uses most, of those that the top hit has."""

    name = "top_property"

    def __init__(self) -> None:
        super().__init__(lambda record, _: (record.usage,))


class WordOverlap(_Baseline):
    """The property whose names share most words with the question, of those that the top hit has."""

    name = "word_overlap"

    def __init__(self) -> None:
        super().__init__(lambda record, said: (_overlap((record.label, *record.aliases), said), record.usage))


def _overlap(names: Iterable[str], said: frozenset[str]) -> float:
    """Return the greatest share that a name has in common with the words (Jaccard index)."""
    found = (frozenset(stems(name)) for name in names)
    return max((len(name & said) / len(name | said) for name in found if name), default=0.0)
