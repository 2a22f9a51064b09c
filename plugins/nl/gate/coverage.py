"""Check 7, coverage: what the question names is in the query, and what the query names came from somewhere."""

from __future__ import annotations

from collections.abc import Iterable

from plugins.nl.gate.case import PASS, Case, Opinion, ask
from plugins.nl.gate.naming import Named, in_answer, named, stems_of
from plugins.schema.annotation import tidy
from plugins.schema.words import stems
from plugins.search import Hit
from proxy.syntax import Iri, steps

# Source: specs/strategies.md section 5, "Coverage / off-topic guard".
_SEEN = 0.8
_LEAST_STEM = 4
# With these words begins what is said of a query about something else.
OFF_TOPIC = "Off topic"
_MOST_HITS, _MOST_THINGS = 3, 5


async def coverage(case: Case) -> Opinion:
    """Look for what the question names, and for what nobody has mentioned."""
    known = tuple(dict.fromkeys(case.names.values()))
    mentioned = [each for each in named(case) if each.text not in case.shape.excluded]
    present = set(known) | set(in_answer(case))
    missing = [each for each in mentioned if present.isdisjoint(hit.iri for hit in each.hits)]
    if missing:
        said = await stems_of(case, present)
        if len(missing) == len(mentioned) and not _telling(said) & set(stems(case.question.text)):
            return ask(
                f"{OFF_TOPIC}: {_listed(missing)} is asked about, and no name in the query stands in the "
                "question. Start again without what came before."
            )
        missing = [each for each in missing if not _explained(case, each, said) and not await _joined(case, each)]
    if missing:
        return ask(f"The query says nothing of {_listed(missing)}.")
    unseen = [iri for iri in known if iri not in case.tools.seen]
    if known and case.tools.seen and len(unseen) > (1 - _SEEN) * len(known):
        await case.tools.labels.learn(unseen)
        listed = ", ".join(map(case.tools.labels.named, unseen))
        return ask(f"{len(unseen)} of {len(known)} names in the query never came up before: {listed}.")
    return PASS


def _explained(case: Case, each: Named, said: frozenset[str]) -> bool:
    """Whether the words of a mention stand in names that the query has, as literals in it, or are the answer's kind."""
    wanted = set(stems(each.text))
    if not wanted <= said and each.text.casefold() not in case.candidate.sparql.casefold():
        return bool(wanted) and wanted <= set(stems(case.shape.type_label))
    return True


async def _joined(case: Case, each: Named) -> bool:
    """Whether what is missing stands one step from a thing that the query names: the path explains it."""
    classes = {pattern.object for pattern in case.draft.patterns if case.is_type(pattern)}
    things = [iri for iri in case.names if Iri(iri) not in classes and not _is_property(case, iri)][:_MOST_THINGS]
    pairs = [(hit.iri, iri) for hit in each.hits[:_MOST_HITS] for iri in things]
    if not pairs:
        return False
    branches = (f"{{ <{one}> ?p <{other}> }} UNION {{ <{other}> ?p <{one}> }}" for one, other in pairs)
    table = await case.probe(f"ASK {{ {' UNION '.join(branches)} }}")
    return table is not None and bool(table.boolean)


def _is_property(case: Case, iri: str) -> bool:
    return any(iri == step.iri.value for pattern in case.draft.patterns for step in steps(pattern.predicate))


def _telling(said: frozenset[str]) -> set[str]:
    """Return the stems that tell one topic from another; short words in Latin letters do not."""
    return {stem for stem in said if len(stem) >= _LEAST_STEM or not stem.isascii()}


def _listed(missing: Iterable[Named]) -> str:
    return ", ".join(f"{each.text!r}, which may be {_hit(each.hits[0])}" for each in missing)


def _hit(hit: Hit) -> str:
    return f"{tidy(hit.label or hit.text)} ({hit.id})"
