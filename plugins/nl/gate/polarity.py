"""Check 2, polarity: not, never, without, except, still alive."""

from __future__ import annotations

from plugins.nl.gate.case import PASS, Case, Opinion, ask
from plugins.nl.gate.draft import Draft
from plugins.nl.gate.naming import called, in_answer
from plugins.nl.gate.values import things
from proxy.syntax import Iri, TriplePattern, Variable

# That a graph does not say something is weaker than that it says it.
_ABSENT = 0.7


async def polarity(case: Case) -> Opinion:
    """Turn a query that finds what a question excludes."""
    if case.shape.excluded:
        return await _excepted(case)
    if not case.shape.negated or set(case.shape.polarity) == {"only"}:
        return PASS
    if case.draft.negates:
        return Opinion(verdict="pass", confidence=_ABSENT)
    if case.draft.aggregated and case.draft.syntax.grouped:
        return ask("The question asks for what does not hold; the query groups what does.")
    return _denied(case)


async def _excepted(case: Case) -> Opinion:
    """Leave out the rows that the question names after `except`."""
    columns = things(case.table)
    answer = in_answer(case)
    if not columns or case.draft.aggregated:
        return PASS if case.draft.negates else ask("The question leaves something out; the query does not.")
    found: list[str] = []
    for text in case.shape.excluded:
        iris = await called(case, text, answer)
        if len(iris) > 1:
            return ask(f"{text!r} may be {' or '.join(map(case.tools.labels.named, iris))}; which one is left out?")
        found += iris
    if not found:
        return PASS
    listed = ", ".join(map(case.iri, found))
    draft = case.draft
    sparql = draft.edited(*draft.added(draft.root, filters=f"FILTER(?{columns[0]} NOT IN ({listed}))"))
    names = ", ".join(map(case.tools.labels.named, found))
    return Opinion(verdict="fix", sparql=sparql, why=f"the question leaves out {names}", bare=True)


def _denied(case: Case) -> Opinion:
    """Put what must not hold into FILTER NOT EXISTS: of one thing all of it, of many the one pattern that says it."""
    draft = case.draft
    patterns = [each for each in draft.patterns if not case.is_type(each)]
    denied = patterns if draft.is_ask and _about_one(draft) else _sayings(case, patterns)
    if not denied and case.shape.span == "now" and not draft.is_ask:
        # Nothing in the query says that something ended; what has ended is left out by rank.
        return PASS
    if not denied or (len(denied) > 1 and not draft.is_ask):
        return ask("The question asks for what does not hold; which pattern that is cannot be told.")
    if any(each.scope is not draft.root for each in denied):
        return ask("The question asks for what does not hold; the query has it in a group.")
    if draft.is_ask and _about_one(draft):
        sparql = f"{draft.head}ASK {{ {_anchor(case, denied)}FILTER NOT EXISTS {{ {draft.body} }} }}"
    else:
        edits = draft.denied(denied[0])
        if edits is None:
            return ask("The question asks for what does not hold; the pattern shares its words with others.")
        sparql = draft.edited(*edits)
    word = case.shape.polarity[0] if case.shape.polarity else "not"
    found = "it" if case.table.boolean is None else f"it (the query as it was said {str(case.table.boolean).lower()})"
    why = f"the question says {word!r}: there must be nothing like {found}; a graph may lack it all the same"
    return Opinion(verdict="fix", sparql=sparql, why=why, bare=True, confidence=_ABSENT)


def _about_one(draft: Draft) -> bool:
    """Whether a yes or no is about things that the query names, and not about anything of a kind."""
    return any(isinstance(each.subject, Iri) for each in draft.patterns)


def _sayings(case: Case, patterns: list[TriplePattern]) -> list[TriplePattern]:
    """Return the patterns that can be what is denied: about the answer, and saying nothing that the rest needs."""
    if len(patterns) < 2:
        # Without a kind beside it nothing would be left to choose from.
        return patterns if len(case.draft.patterns) > len(patterns) else []
    ends = [end for each in case.draft.patterns for end in (each.subject, each.object) if isinstance(end, Variable)]
    loose = [each for each in patterns if isinstance(each.object, Variable) and ends.count(each.object) == 1]
    wanted = set(case.draft.syntax.projection or ())
    return [each for each in loose if str(each.object).removeprefix("?") not in wanted]


def _anchor(case: Case, denied: list[TriplePattern]) -> str:
    """Return a pattern that the thing exists at all, so that a thing that nobody knows is not alive."""
    one = next((each.subject for each in denied if isinstance(each.subject, Iri)), None)
    if one is None:
        return ""
    return f"{case.iri(one.value)} {case.iri(case.words.types[0])} ?{case.draft.fresh('kind')} . "
