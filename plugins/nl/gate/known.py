"""Check 11, known before use: no id is made up, and no list of them takes the place of a pattern."""

from __future__ import annotations

from collections.abc import Sequence

from plugins.nl.gate.case import PASS, Case, Opinion, ask
from plugins.nl.gate.naming import called
from plugins.schema.body import askable
from proxy.syntax import Binding, Iri

_MOST_VERIFIED = 30
# So few constants may stand for what the question names; more are a list that somebody remembered.
_MOST_NAMED = 2


async def known(case: Case) -> Opinion:
    """Verify by one query all names that never came up, and look for answers that are written into the query."""
    used = case.names
    unseen = [iri for iri, name in used.items() if name not in case.tools.seen and askable(iri)][:_MOST_VERIFIED]
    absent = await _absent(case, unseen)
    if absent:
        listed = ", ".join(map(case.tools.knowledge.short, absent))
        return ask(f"Not in this graph: {listed}. Look the names up before using them.")
    remembered = await _remembered(case)
    if remembered:
        return ask(remembered)
    if not unseen:
        return PASS
    names = tuple(dict.fromkeys(used[iri] for iri in unseen))
    await case.tools.labels.learn(names)
    meant = ", ".join(map(case.tools.labels.named, names))
    return Opinion(verdict="pass", why=f"verified, though they never came up: {meant}")


async def _absent(case: Case, iris: Sequence[str]) -> list[str]:
    """Return those that stand nowhere in the graph: one query for all, each in a branch of its own."""
    if not iris:
        return []
    branches = [
        f"{{ SELECT ({number} AS ?n) {{ {pattern} }} LIMIT 1 }}"
        for number, iri in enumerate(iris)
        for pattern in (f"<{iri}> ?p ?o", f"?s ?p <{iri}>", f"?s <{iri}> ?o")
    ]
    table = await case.probe(f"SELECT DISTINCT ?n {{ {' UNION '.join(branches)} }}")
    if table is None or not table.complete:
        return []
    present = {int(row[0].value) for row in table.rows if row[0] is not None}
    return [iri for number, iri in enumerate(iris) if number not in present]


async def _remembered(case: Case) -> str:
    """Say that an answer is a list of ids which somebody wrote down; nothing where it is not."""
    for binding in case.draft.syntax.bindings:
        written = [each.value for each in binding.terms if isinstance(each, Iri)]
        if len(written) <= _MOST_NAMED or not _is_answer(case, binding):
            continue
        compared = [iri for text in case.shape.compare for iri in await called(case, text, written)]
        if not set(written) <= set(compared):
            return f"The answer is a list of {len(written)} ids in the query itself; find them by a pattern instead."
    return ""


def _is_answer(case: Case, binding: Binding) -> bool:
    """Whether a variable is returned, or counted."""
    name = binding.variable.name
    syntax = case.draft.syntax
    return any(f"?{name}" in syntax.words(part) or f"${name}" in syntax.words(part) for part in case.draft.columns)
