"""Seconds of work that a caller has in a minute."""

from __future__ import annotations

import pytest

from plugins.nl.purse import Purse
from proxy.contract import Caller
from proxy.errors import TooMany

ANN, BOB = Caller(address="192.0.2.1", key="ann"), Caller(address="192.0.2.1")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def refused(purse: Purse, caller: Caller) -> int:
    """Return the seconds after which a refused caller may come again."""
    with pytest.raises(TooMany) as caught:
        purse.demand(caller)
    return int(caught.value.headers["Retry-After"])


def test_whoever_is_below_the_limit_may_ask() -> None:
    purse = Purse(120, Clock())
    for _ in range(5):
        purse.demand(ANN)
        purse.pay(ANN, 20)
    purse.demand(ANN)


def test_whoever_is_above_it_waits_as_long_as_it_says() -> None:
    clock = Clock()
    purse = Purse(120, clock)
    purse.pay(ANN, 130)
    wait = refused(purse, ANN)
    assert wait == 5
    clock.now += wait - 0.5
    assert refused(purse, ANN) == 1
    clock.now += 1
    purse.demand(ANN)


def test_exactly_at_the_limit_is_above_it() -> None:
    purse = Purse(60, Clock())
    purse.pay(ANN, 60)
    assert refused(purse, ANN) == 1


def test_no_caller_gets_more_in_the_long_run() -> None:
    clock = Clock()
    purse, used = Purse(60, clock), 0.0
    end = clock.now + 3600
    while clock.now < end:
        try:
            purse.demand(ANN)
        except TooMany as error:
            clock.now += int(error.headers["Retry-After"])
            continue
        clock.now += 7
        purse.pay(ANN, 30)
        used += 30
    assert used <= 3600 + 60 + 30


def test_callers_do_not_pay_for_each_other_and_a_key_is_no_address() -> None:
    purse = Purse(10, Clock())
    purse.pay(ANN, 100)
    purse.demand(BOB)
    purse.pay(BOB, 100)
    refused(purse, BOB)
    purse.demand(Caller(address="192.0.2.1", key="192.0.2.1"))
    purse.demand(Caller(address="192.0.2.2"))


def test_time_pays_off_what_was_used_and_no_more() -> None:
    clock = Clock()
    purse = Purse(60, clock)
    purse.pay(ANN, 30)
    clock.now += 3600
    purse.pay(ANN, 61)
    assert refused(purse, ANN) == 1


def test_nothing_is_without_a_limit() -> None:
    purse = Purse(0, Clock())
    purse.pay(ANN, 1e9)
    purse.demand(ANN)
