"""How a property is used: some of its facts, named, so that its direction and its kind of value can be seen."""

from __future__ import annotations

from plugins.nl.tools.asker import Asker
from plugins.nl.tools.knowledge import Knowledge
from plugins.nl.tools.labels import Labels
from plugins.schema.model import Property
from proxy.results.terms import Term

_SECONDS = 5.0
MOST_EXAMPLES = 5


async def examples(
    asker: Asker, knowledge: Knowledge, labels: Labels, record: Property
) -> tuple[tuple[Term, Term], ...]:
    """Return at most five pairs of subject and object. Raises OutOfBudget, ProxyError."""
    text = f"SELECT ?s ?o {{ ?s {knowledge.step(record)} ?o }} LIMIT {MOST_EXAMPLES}"
    table = await asker.table(text, seconds=_SECONDS)
    pairs = tuple((row[0], row[1]) for row in table.rows if row[0] is not None and row[1] is not None)
    await labels.learn(term.value for pair in pairs for term in pair if term.kind == "iri")
    return pairs
