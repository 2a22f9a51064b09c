"""A finding that is not verified yet: what would prove it, and how severe it is then."""

from __future__ import annotations

from dataclasses import dataclass, replace

from plugins.schema.body import Body, Unaskable
from plugins.schema.case import Use
from plugins.schema.edges import Edge
from plugins.schema.findings import Finding, Severity
from plugins.schema.fit import Subject
from plugins.schema.lookups import Lookups
from proxy.syntax import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A finding and its proof.

    Shapes: ``proof`` is a pattern that matches nothing where the finding is true, None where nothing can be asked;
    ``settled`` is the answer where it is known already: True for a match, which is a counterexample. ``evidence`` is
    a pattern that matches where other instances have the property. ``verified`` is the severity once proved,
    ``unverified`` that where nobody answers in time, ``refuted`` that where the graph has a match, ``offline`` that
    where there is no endpoint to ask; None where the finding is then dropped. ``use`` and
    ``subject`` are what suggestions start from.
    """

    finding: Finding
    edge: Edge
    required: bool
    use: Use | None = None
    subject: Subject | None = None
    verified: Severity
    unverified: Severity | None
    refuted: Severity | None = None
    offline: Severity | None = None
    proof: str | None = None
    settled: bool | None = None
    evidence: str | None = None


async def tried(suspect: Suspect, lookups: Lookups) -> Finding | None:
    """Verify a suspect: return its finding with the severity that it has then, or None."""
    if not lookups.online:
        return _with(suspect, suspect.offline)
    matches = suspect.settled
    if matches is None and suspect.proof is not None:
        matches = await lookups.ask(suspect.proof)
    if matches is not False:
        return _with(suspect, suspect.unverified if matches is None else suspect.refuted)
    severity: Severity = suspect.verified
    if suspect.evidence is not None:
        seen = await lookups.ask(suspect.evidence)
        if seen:
            return None
        if seen is None and severity == "block":
            severity = "warn"
    return replace(suspect.finding, severity=severity, verified=True)


def _with(suspect: Suspect, severity: Severity | None) -> Finding | None:
    return None if severity is None else replace(suspect.finding, severity=severity)


def body_of(edge: Edge) -> str | None:
    """Return the pattern of one edge alone, None where it cannot be asked."""
    try:
        return Body().edge(edge).text
    except Unaskable:
        return None


def reversed_body(edge: Edge) -> str | None:
    """Return the pattern of an edge the other way round, None where it cannot be asked."""
    if isinstance(edge.object, Literal):
        return None
    try:
        return Body().reversed(edge).text
    except Unaskable:
        return None
