"""One trial: damage a body, check it in chunks, and ask the oracle about what passed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State
from tests.bench.mutations.dialects import bodies
from tests.bench.mutations.kinds import KINDS
from tests.bench.mutations.oracles import valid

Key = tuple[str, str, str]


@dataclass(slots=True)
class Tally:
    """Count verdicts by format, kind and verdict; keep a few bodies that should have been noticed."""

    counts: Counter[Key] = field(default_factory=Counter)
    missed: list[tuple[str, str, bytes]] = field(default_factory=list)


def accepted(fmt: Format, body: bytes, size: int) -> bool:
    """Whether our checker calls a body whole, fed in chunks of a size."""
    checker = checker_for(fmt, State())
    try:
        for start in range(0, len(body), size):
            checker.feed(body[start : start + size])
        checker.finish()
    except Truncated:
        return False
    return True


def try_one(tally: Tally, random: Random, fmt: Format, body: bytes, kind: str) -> None:
    """Damage a body once. A damage that changes nothing but white space around is none."""
    damaged = KINDS[kind](random, body)
    if damaged.strip() == body.strip():
        return
    size = random.choice((len(damaged), 65536, 1000, 100 if len(damaged) < 10_000 else 4096))
    verdict = "noticed"
    if accepted(fmt, damaged, size):
        verdict = "valid" if valid(fmt, damaged) else "missed"
        if verdict == "missed" and len(tally.missed) < 20:
            tally.missed.append((fmt.name, kind, damaged))
    tally.counts[fmt.name, kind, verdict] += 1


def run(seed: int, trials: int, rows: tuple[int, ...]) -> Tally:
    """Spread trials over formats, sizes, dialects and kinds."""
    random = Random(seed)
    tally = Tally()
    for number in range(max(1, trials // (len(Format) * 100))):
        for fmt in Format:
            _try_format(tally, random, fmt, random.choice(rows), seed * 1000 + number)
    return tally


def _try_format(tally: Tally, random: Random, fmt: Format, rows: int, seed: int) -> None:
    pool = [body for body in bodies(fmt, seed, rows) if len(body) > 1]
    for body in pool:
        if not accepted(fmt, body, random.choice((len(body), 1000))):
            tally.counts[fmt.name, "untouched", "refused"] += 1
            tally.missed.append((fmt.name, "untouched", body))
    for trial in range(100 if pool else 0):
        try_one(tally, random, fmt, pool[trial % len(pool)], random.choice(tuple(KINDS)))
