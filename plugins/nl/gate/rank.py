"""Check 8, rank: what ever was, what is now, what was in a year; where the graph tells them apart."""

from __future__ import annotations

from plugins.nl.contract import Table
from plugins.nl.gate.case import PASS, Case, Opinion, fix
from plugins.nl.gate.preview import limits
from plugins.nl.gate.values import mass
from proxy.syntax import Iri, ScopeKind, TriplePattern, Variable, steps

_WIKIBASE = "http://wikiba.se/ontology#"
_START, _END, _POINT = "P580", "P582", "P585"
_MOST_TRIED = 2


async def rank(case: Case) -> Opinion:
    """Use statements where the question is about all times, about now, or about a year."""
    span = case.shape.span
    if span == "best":
        return PASS
    if not case.tools.knowledge.direct:
        return Opinion(verdict="skipped", why="this graph has no statements with ranks and times")
    if span == "now":
        return await _now(case)
    if _tells_time(case):
        return PASS
    return await (_ever(case) if span == "ever" else _of_year(case))


async def _ever(case: Case) -> Opinion:
    """Take statements of all ranks that are not withdrawn, if there are more."""
    withdrawn = f"{case.iri(_WIKIBASE + 'rank')} {case.iri(_WIKIBASE + 'DeprecatedRank')}"
    for pattern, name in _candidates(case):
        sparql = _by_statement(case, pattern, name, "FILTER NOT EXISTS {{ ?{0} " + withdrawn + " }}")
        table = await case.run(sparql) if sparql else None
        if table is not None and _tells_more(case, pattern, table):
            return fix(sparql, f"the question is about all times: statements of all ranks of {name}")
    return PASS


async def _now(case: Case) -> Opinion:
    """Leave out what has ended."""
    qualifier = case.iri(_qualifier(case, _END))
    ended = "FILTER NOT EXISTS {{ ?{0} " + qualifier + " ?{0}_end }}"
    # What still lives was settled by polarity; what is not there cannot have ended.
    if not mass(case.table) or case.draft.negates:
        return PASS
    opened = [each for each in case.draft.patterns if _is_statement(case, each)]
    if opened:
        return await _still(case, opened, ended)
    for pattern, name in _candidates(case, types=True):
        sparql = _by_statement(case, pattern, name, ended)
        table = await case.run(sparql) if sparql else None
        if table is not None and _fewer(case.table, table) and await _all_stated(case, pattern, name):
            return fix(sparql, f"the question is about now: statements of {name} that have ended are left out")
    return PASS


async def _all_stated(case: Case, pattern: TriplePattern, name: str) -> bool:
    """Whether everything that a pattern finds has a statement, so that what is left out has ended and is not unsaid."""
    table = await case.run(_by_statement(case, pattern, name, ""))
    return table is not None and mass(table) >= mass(case.table)


async def _still(case: Case, opened: list[TriplePattern], ended: str) -> Opinion:
    """Leave out ended statements where the query has the statements as variables already."""
    if _tells_time(case):
        return PASS
    names = [each.object.name for each in opened if isinstance(each.object, Variable)]
    draft = case.draft
    added = draft.added(opened[0].scope, filters=" ".join(map(ended.format, dict.fromkeys(names))))
    sparql = draft.edited(*added)
    table = await case.run(sparql)
    if table is None or not _fewer(case.table, table):
        return PASS
    return fix(sparql, "the question is about now: statements that have ended are left out")


async def _of_year(case: Case) -> Opinion:
    """Take statements that held in the year."""
    year = case.shape.year
    if year is None or any(str(year) in word for part in case.draft.filters for word in case.draft.syntax.words(part)):
        return PASS
    for pattern, name in _candidates(case):
        sparql = _by_statement(case, pattern, name, _held_in(case, year))
        table = await case.run(sparql) if sparql else None
        if table is not None and mass(table) and table.boolean is not False:
            return fix(sparql, f"the question is about {year}: statements of {name} that held then")
    return PASS


def _held_in(case: Case, year: int) -> str:
    """Return conditions that a statement held in a year: its point in time, or the time between start and end."""
    start, end, point = (case.iri(_qualifier(case, each)) for each in (_START, _END, _POINT))
    return (
        "OPTIONAL {{ ?{0} " + start + " ?{0}_from }} OPTIONAL {{ ?{0} " + end + " ?{0}_to }} "
        "OPTIONAL {{ ?{0} " + point + " ?{0}_at }} "
        f"FILTER(IF(BOUND(?{{0}}_at), YEAR(?{{0}}_at) = {year}, (BOUND(?{{0}}_from) || BOUND(?{{0}}_to)) && "
        f"(!BOUND(?{{0}}_from) || YEAR(?{{0}}_from) <= {year}) && (!BOUND(?{{0}}_to) || YEAR(?{{0}}_to) >= {year})))"
    )


def _candidates(case: Case, *, types: bool = False) -> list[tuple[TriplePattern, str]]:
    """Return patterns that lead straight to a value, those about the answer first; types only where asked for."""
    answer = {Variable(name) for name in case.draft.syntax.projection or ()}
    found = [
        (each, name)
        for each in case.draft.patterns
        if (name := case.direct(each)) is not None and (types or not case.is_type(each)) and case.draft.alone(each)
    ]
    found.sort(key=lambda each: (case.is_type(each[0]), answer.isdisjoint((each[0].subject, each[0].object))))
    return found[:_MOST_TRIED]


def _by_statement(case: Case, pattern: TriplePattern, name: str, conditions: str) -> str:
    """Return the query with a pattern taken apart: thing, statement, value, and conditions on the statement."""
    draft = case.draft
    base, node = case.words.properties, draft.fresh("statement")
    value = draft.text[pattern.verb[1] : pattern.end].strip()
    edit = draft.valued(pattern, case.iri(base + name), f"?{node}")
    if edit is None:
        return ""
    triples = f"?{node} {case.iri(f'{base}statement/{name}')} {value} ."
    added = draft.added(pattern.scope, triples, conditions.format(node))
    return draft.edited(edit, *added, *limits(case)).rstrip()


def _is_statement(case: Case, pattern: TriplePattern) -> bool:
    """Whether a pattern leads to a statement that is a variable."""
    step = pattern.predicate
    base = case.words.properties
    return isinstance(pattern.object, Variable) and isinstance(step, Iri) and step.value.startswith(f"{base}P")


def _tells_time(case: Case) -> bool:
    """Whether the query reads qualifiers of time, or statements of all ranks, by itself."""
    base = case.words.properties
    walked = {step.iri.value for each in case.draft.patterns for step in steps(each.predicate)}
    times = {f"{base}qualifier/{each}" for each in (_START, _END, _POINT)}
    times |= {f"{base}qualifier/value/{each}" for each in (_START, _END, _POINT)}
    own_ranks = case.shape.span == "ever" and any(each.startswith(f"{base}P") for each in walked)
    return own_ranks or not walked.isdisjoint(times)


def _tells_more(case: Case, pattern: TriplePattern, table: Table) -> bool:
    """Whether statements of all ranks find more; where the pattern must not hold, whether they leave fewer."""
    if pattern.scope.inside(ScopeKind.NOT_EXISTS, ScopeKind.MINUS):
        return _fewer(case.table, table)
    return mass(table) > mass(case.table)


def _fewer(before: Table, after: Table) -> bool:
    """Whether something is left, and less than before. A yes that becomes a no is less, too."""
    if before.boolean is not None:
        return bool(before.boolean) and after.boolean is False
    return 0 < mass(after) < mass(before)


def _qualifier(case: Case, name: str) -> str:
    return f"{case.words.properties}qualifier/{name}"
