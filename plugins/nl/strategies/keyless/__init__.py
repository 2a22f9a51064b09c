"""Answer questions without a model: link words, look around, judge what the graph offers, run the best.

The words of the question are linked to entities; what stands around these in the graph is enumerated, one and two
steps far, and what the schema allows of a class; each such query is judged by how well its properties are said by the
other words; the best are run. What is not sure enough is no answer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

from plugins.nl.contract import Candidate, Event, Table, Work, action, found, observation
from plugins.nl.strategies.keyless.ideas import Idea
from plugins.nl.strategies.keyless.judging import Judged
from plugins.nl.strategies.keyless.linking import Anchor, anchors
from plugins.nl.strategies.keyless.reading import read
from plugins.nl.strategies.keyless.thinking import thoughts
from plugins.nl.strategies.keyless.weights import LEAST_CONFIDENCE
from plugins.nl.strategies.keyless.writing import written
from plugins.nl.tools import Execution

_MOST_RUNS = 3
_SHOWN = 5


class Keyless:
    """The strategy that needs no model."""

    name = "keyless"

    async def run(self, work: Work) -> AsyncGenerator[Event, None]:
        """Yield what happens. Raises OutOfBudget; ProxyError where the endpoint is gone."""
        clock, tools = work.budget.clock, work.tools
        reading = read(work.question.text, work.shape.language)

        yield _acts(work, "search", work.question.text)
        began = clock()
        starts = await anchors(reading, work)
        yield observation(_starts(starts, work), _ms(clock() - began))
        if not starts:
            return

        yield _acts(work, "lookup", ", ".join(each.hit.label for each in starts[:_SHOWN]))
        began = clock()
        ideas, sure = await thoughts(reading, starts, work)
        tools.seen.update(prop.iri for judged in ideas for prop in judged.idea.uses)
        yield observation(_ideas(ideas, work), _ms(clock() - began))

        # Where the best brings nothing, what says less of the question is no better.
        good = [each for each in ideas if each.left <= ideas[0].left]
        for judged in good[:_MOST_RUNS]:
            if sure < LEAST_CONFIDENCE:
                return
            sparql = written(judged.idea, tools.knowledge)
            yield _acts(work, "execute", sparql)
            began = clock()
            done = await tools.execute(sparql)
            yield observation(_done(done, work), _ms(clock() - began))
            if done.table is not None and not done.table.empty and not _is_guess(judged.idea, done.table):
                yield found(Candidate(sparql=sparql, table=done.table, confidence=sure, why=_why(judged)))
                return
            sure *= sure


def _is_guess(idea: Idea, table: Table) -> bool:
    """Whether nothing comes of what the graph was not asked for before: then it rather says it in another way."""
    if idea.edge.seen:
        return False
    counts = idea.ask == "count" and [[term and term.value for term in row] for row in table.rows] == [["0"]]
    return counts or table.boolean is False


def _acts(work: Work, name: str, argument: str) -> Event:
    work.budget.spend("actions")
    return action(name, argument)


def _ms(seconds: float) -> int:
    return round(seconds * 1000)


def _starts(starts: Sequence[Anchor], work: Work) -> str:
    short = work.tools.knowledge.short
    lines = [f"{each.span.text}: {each.hit.label} ({short(each.iri)})" for each in starts]
    return "\n".join(lines) or "Nothing is called as any of these words."


def _ideas(ideas: Sequence[Judged], work: Work) -> str:
    lines = [f"{each.score:.2f} {written(each.idea, work.tools.knowledge)}" for each in ideas[:_SHOWN]]
    said = "1 query may be meant." if len(ideas) == 1 else f"{len(ideas)} queries may be meant."
    return "\n".join([said, *lines])


def _done(done: Execution, work: Work) -> str:
    return work.tools.wording.table(done.table) if done.table is not None else done.problem


def _why(judged: Judged) -> str:
    anchors_ = ", ".join(f"{each.span.text} is {each.hit.label}" for each in judged.idea.anchors)
    uses = ", ".join(record.name for record in judged.idea.uses)
    return f"{anchors_}; by {uses}"
