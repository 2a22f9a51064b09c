"""What the guard says of gold queries: every finding is a false alarm, or a fault of the query or of the sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from plugins.schema.findings import Finding
from tests.bench.guard.gold import Gold, gold, sampled, unique
from tests.bench.guard.place import Outcome, Place, each
from tests.bench.guard.table import Row, below, counted, none_of, plain
from tests.oracles.algebra import without_dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A gold query, what was found, and what came when it ran."""

    query: Gold
    findings: tuple[Finding, ...]
    outcome: Outcome

    @property
    def unverified(self) -> list[Finding]:
        """The findings that the graph does not confirm."""
        return [each for each in self.findings if not each.verified]


async def flags(place: Place, most: int | None) -> list[Row]:
    """Judge and run all gold queries, and list every unverified finding on one that returns rows."""
    queries = sampled(unique(gold(place.graph)), most)

    async def judged(query: Gold) -> Judged:
        report = await place.judged(query.text)
        return Judged(
            query=query, findings=report.findings, outcome=await place.outcome(without_dialect(query.text), "off")
        )

    found = await each(f"{place.graph}: gold queries", queries, judged)
    listed = [each for each in found if each.outcome == "rows" and each.unverified]
    for case in listed:
        for finding in case.unverified:
            print(f"  unverified: {case.query.dataset} {case.query.id}: {finding.code}: {finding.message[:230]}")
    return rows(found)


def rows(found: Sequence[Judged]) -> list[Row]:
    """Count queries, once each for every code, severity and verification."""
    with_rows = [each for each in found if each.outcome == "rows"]
    outcomes = Counter(each.outcome for each in found)
    made = [plain("texts that differ", f"{len(found):,}"), plain("outcomes", dict(outcomes.most_common()))]
    made += [plain(*row) for row in _by_kind(found, with_rows)]
    unverified = [each for each in with_rows if each.unverified]
    domain = [each for each in with_rows if any(finding.code == "domain" for finding in each.unverified)]
    blocked = [each for each in with_rows if any(finding.severity == "block" for finding in each.findings)]
    made += [
        below("with rows: flagged and not verified", len(unverified), len(with_rows), 0.3),
        below("with rows: the same, domain only", len(domain), len(with_rows), 0.3),
        none_of("with rows: blocked", len(blocked), len(with_rows)),
    ]
    return made


def _by_kind(found: Sequence[Judged], with_rows: Sequence[Judged]) -> list[tuple[str, str]]:
    kinds: Counter[tuple[str, str, bool]] = Counter()
    kinds_with_rows: Counter[tuple[str, str, bool]] = Counter()
    for group, counts in ((found, kinds), (with_rows, kinds_with_rows)):
        for case in group:
            counts.update({(each.code, each.severity, each.verified) for each in case.findings})
    return [
        (
            f"{code}, {severity}, {'verified' if verified else 'not verified'}: all / with rows",
            f"{counted(kinds[code, severity, verified], len(found), 2)} / {kinds_with_rows[code, severity, verified]}",
        )
        for code, severity, verified in sorted(kinds)
    ]
