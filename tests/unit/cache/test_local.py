from __future__ import annotations

import os
import tracemalloc

from plugins.cache.local import Local
from tests.unit.cache.test_entry import entry


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def made(max_bytes: int) -> tuple[Local, Clock, list[int]]:
    clock, evicted = Clock(), list[int]()
    return Local(max_bytes, clock, lambda: evicted.append(1)), clock, evicted


def test_it_never_holds_more_than_its_bound_and_drops_what_was_not_used_for_longest() -> None:
    one = entry(b"x" * 1_000)
    local, _, evicted = made(10 * one.cost)
    for number in range(100):
        assert local.put(b"%d" % number, one)
        assert local.get(b"0") is one
        assert local.held_bytes <= 10 * one.cost
    assert len(local) == 10
    assert len(evicted) == 90
    assert local.get(b"1") is None


def test_what_is_larger_than_everything_is_not_taken() -> None:
    local, _, evicted = made(5_000)
    assert local.put(b"small", entry(b"x"))
    assert not local.put(b"large", entry(b"x" * 4_000))
    assert local.get(b"small") is not None
    assert not evicted


def test_answers_stay_as_long_as_they_are_of_use_and_expiry_is_no_eviction() -> None:
    local, clock, evicted = made(100_000)
    local.put(b"fresh", entry(b"x", fresh_s=10.0, stale_s=0.0))
    local.put(b"stale", entry(b"x", fresh_s=10.0, stale_s=20.0))
    clock.now = 115.0
    assert local.get(b"fresh") is None
    assert local.get(b"stale") is not None
    clock.now = 131.0
    assert local.get(b"stale") is None
    local.put(b"new", entry(b"x", born=131.0))
    assert len(local) == 1
    assert not evicted


def test_dropping_an_endpoint_keeps_the_others() -> None:
    local, _, _ = made(100_000)
    for endpoint in ("a", "b"):
        local.put(endpoint.encode(), entry(b"x", endpoint=endpoint))
    local.drop("a")
    assert (local.get(b"a"), local.get(b"b") is not None) == (None, True)


def test_what_it_counts_is_what_it_takes() -> None:
    local, _, _ = made(10**9)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number in range(5_000):
        body = os.urandom(1_000)
        local.put(os.urandom(20), entry(body, fresh_s=60.0 + number * 1e-3, headers={"x-sql-state": f"{number}"}))
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert 0.8 < taken / local.held_bytes < 1.05
