"""The verdict on a body: right, and independent of how it was cut into chunks."""

from __future__ import annotations

import functools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State
from tests.bench.mutations.dialects import bodies
from tests.bench.mutations.kinds import KINDS
from tests.bench.mutations.trial import run

Verdict = tuple[bool, int, bool | None]


def verdict(fmt: Format, parts: list[bytes]) -> Verdict:
    state = State()
    checker = checker_for(fmt, state)
    try:
        for part in parts:
            checker.feed(part)
        checker.finish()
    except Truncated:
        return False, 0, None
    return True, state.rows, state.boolean


@functools.cache
def pool(fmt: Format, seed: int) -> list[bytes]:
    return [body for rows in (1, 3, 40) for body in bodies(fmt, seed, rows) if len(body) > 1]


@given(
    st.sampled_from(list(Format)),
    st.integers(0, 5),
    st.integers(0, 10**9),
    st.lists(st.sampled_from(sorted(KINDS)), max_size=2),
    st.lists(st.integers(1, 5000), min_size=1, max_size=10),
)
def test_the_verdict_does_not_depend_on_chunks(
    fmt: Format, seed: int, dice: int, kinds: list[str], sizes: list[int]
) -> None:
    random = Random(dice)
    body = random.choice(pool(fmt, seed))
    for kind in kinds:
        body = KINDS[kind](random, body) if len(body) > 1 else body
    parts: list[bytes] = []
    start = 0
    while start < len(body):
        end = start + sizes[len(parts) % len(sizes)]
        parts.append(body[start:end])
        start = end
    assert verdict(fmt, parts) == verdict(fmt, [body])


@given(st.sampled_from(list(Format)), st.binary(max_size=60))
def test_no_bytes_raise_anything_but_truncated(fmt: Format, body: bytes) -> None:
    assert verdict(fmt, [body]) == verdict(fmt, [body[i : i + 1] for i in range(len(body))])


JUNK = '{}[]<>"\\:,.;@^_ \t\r\n#?a1&/='


@given(st.sampled_from(list(Format)), st.integers(0, 5), st.text(JUNK, max_size=40), st.integers(0, 10**6))
def test_no_junk_within_a_body_raises_anything_but_truncated(fmt: Format, seed: int, junk: str, place: int) -> None:
    body = pool(fmt, seed)[0]
    at = place % len(body)
    damaged = body[:at] + junk.encode() + body[at:]
    assert verdict(fmt, [damaged]) == verdict(fmt, [damaged[i : i + 50] for i in range(0, len(damaged), 50)])


@pytest.mark.parametrize("seed", [1, 2])
def test_damage_is_noticed_unless_a_whole_parser_finds_none(seed: int) -> None:
    tally = run(seed, trials=4000, rows=(1, 2, 5, 30))
    assert tally.missed == []
    delimited = [fmt.name for fmt in Format if fmt.self_delimiting]
    for (name, kind, verdict_), count in tally.counts.items():
        if name in delimited and kind in ("cut", "joined"):
            assert verdict_ == "noticed", (name, kind, count)
