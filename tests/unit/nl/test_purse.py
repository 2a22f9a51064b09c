"""What a caller has in a time: seconds of work, money."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from plugins.nl.local import LocalRecords, open_database
from plugins.nl.purse import Purse
from plugins.nl.records import Change, Record, Records, Unreadable
from proxy.contract import Caller
from proxy.errors import TooMany

ANN, BOB = Caller(address="192.0.2.1", key="ann"), Caller(address="192.0.2.1")
DAY_S = 86_400.0


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Away(Records):
    """Records that cannot be reached, until they can."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.there = False
        self.content: bytes | None = None

    async def _read(self, name: str) -> Record:
        if not self.there:
            raise Unreadable
        return Record(content=self.content, now=self._clock())

    async def _change(self, name: str, change: Change) -> bool:
        if self.there:
            self.content, _ = change(await self._read(name))
        return self.there


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def records(clock: Clock) -> Iterator[LocalRecords]:
    with closing(open_database(None)) as database:
        yield LocalRecords(database, "seconds", 100, clock)


async def refused(purse: Purse, caller: Caller) -> int:
    """Return the seconds after which a refused caller may come again."""
    with pytest.raises(TooMany) as caught:
        await purse.demand(caller)
    return int(caught.value.headers["Retry-After"])


async def test_whoever_is_below_the_limit_may_ask(records: Records, clock: Clock) -> None:
    purse = Purse(120, [records], clock)
    for _ in range(5):
        await purse.demand(ANN)
        await purse.pay(ANN, 20)
    await purse.demand(ANN)


async def test_whoever_is_above_it_waits_as_long_as_it_says(records: Records, clock: Clock) -> None:
    purse = Purse(120, [records], clock)
    await purse.pay(ANN, 130)
    wait = await refused(purse, ANN)
    assert wait == 5
    clock.now += wait - 0.5
    assert await refused(purse, ANN) == 1
    clock.now += 1
    await purse.demand(ANN)


async def test_exactly_at_the_limit_is_above_it(records: Records, clock: Clock) -> None:
    purse = Purse(60, [records], clock)
    await purse.pay(ANN, 60)
    assert await refused(purse, ANN) == 1


async def test_no_caller_gets_more_in_the_long_run(records: Records, clock: Clock) -> None:
    purse, used = Purse(60, [records], clock), 0.0
    end = clock.now + 3600
    while clock.now < end:
        try:
            await purse.demand(ANN)
        except TooMany as error:
            clock.now += int(error.headers["Retry-After"])
            continue
        clock.now += 7
        await purse.pay(ANN, 30)
        used += 30
    assert used <= 3600 + 60 + 30


async def test_a_debt_of_many_periods_is_kept_until_it_is_paid_off(records: Records, clock: Clock) -> None:
    purse = Purse(60, [records], clock)
    await purse.pay(ANN, 6000)
    clock.now += 3000
    await purse.pay(BOB, 1)
    assert await refused(purse, ANN) == 2940
    clock.now += 2941
    await purse.demand(ANN)


async def test_callers_do_not_pay_for_each_other_and_a_key_is_no_address(records: Records, clock: Clock) -> None:
    purse = Purse(10, [records], clock)
    await purse.pay(ANN, 100)
    await purse.demand(BOB)
    await purse.pay(BOB, 100)
    await refused(purse, BOB)
    await purse.demand(Caller(address="192.0.2.1", key="192.0.2.1"))
    await purse.demand(Caller(address="192.0.2.2"))


async def test_time_pays_off_what_was_used_and_no_more(records: Records, clock: Clock) -> None:
    purse = Purse(60, [records], clock)
    await purse.pay(ANN, 30)
    clock.now += 3600
    await purse.pay(ANN, 61)
    assert await refused(purse, ANN) == 1


async def test_nothing_is_without_a_limit(records: Records, clock: Clock) -> None:
    purse = Purse(0, [records], clock)
    await purse.pay(ANN, 1e9)
    await purse.demand(ANN)


async def test_money_of_a_day_comes_back_over_the_day(records: Records, clock: Clock) -> None:
    purse = Purse(2.0, [records], clock, DAY_S, "of money that questions with this key have in a day")
    await purse.pay(ANN, 2.5)
    with pytest.raises(TooMany, match="The 2 of money that questions with this key have in a day are used up"):
        await purse.demand(ANN)
    assert await refused(purse, ANN) == 21_600
    clock.now += 21_601
    await purse.demand(ANN)


async def test_workers_have_one_purse_and_one_that_comes_anew_finds_it(tmp_path: Path, clock: Clock) -> None:
    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as other:
        both = [Purse(2.0, [LocalRecords(each, "money", 100, clock)], clock, DAY_S) for each in (one, other)]
        for number in range(4):
            await both[number % 2].demand(ANN)
            await both[number % 2].pay(ANN, 0.5)
        assert [await refused(purse, ANN) for purse in both] == [1, 1]
    with closing(open_database(tmp_path)) as anew:
        assert await refused(Purse(2.0, [LocalRecords(anew, "money", 100, clock)], clock, DAY_S), ANN) == 1


async def test_kinds_of_purse_do_not_touch_each_other(tmp_path: Path, clock: Clock) -> None:
    with closing(open_database(tmp_path)) as database:
        seconds, money = (Purse(1.0, [LocalRecords(database, kind, 100, clock)], clock) for kind in ("s", "m"))
        await seconds.pay(ANN, 5)
        await refused(seconds, ANN)
        await money.demand(ANN)


async def test_the_records_that_say_most_hold(records: Records, clock: Clock) -> None:
    everybodys = Away(clock)
    everybodys.there = True
    here, elsewhere = Purse(60, [records, everybodys], clock), Purse(60, [everybodys], clock)
    await elsewhere.pay(ANN, 90)
    assert await refused(here, ANN) == 30
    await here.pay(ANN, 40)
    assert await refused(elsewhere, ANN) == 70
    # They lost their memory: what was spent here is still known here.
    everybodys.content = None
    await here.demand(ANN)
    await here.pay(ANN, 30)
    assert await refused(here, ANN) == 10


async def test_what_is_spent_while_records_are_away_is_told_later_less_what_time_paid_off(
    records: Records, clock: Clock
) -> None:
    everybodys = Away(clock)
    purse, elsewhere = Purse(60, [records, everybodys], clock), Purse(60, [everybodys], clock)
    for _ in range(10):
        await purse.demand(ANN)
        await purse.pay(ANN, 9)
        clock.now += 5
    assert await refused(Purse(10, [records, everybodys], clock), ANN)
    await elsewhere.demand(ANN)
    everybodys.there = True
    await everybodys.settle()
    assert float((everybodys.content or b"").strip(b"[]").split(b",")[0]) == pytest.approx(4)


@pytest.mark.parametrize(
    "content", [b"", b"garbage", b"{}", b"[1]", b'["a", "b"]', b"[NaN, 0]", b"[1e999, 0]", b"\xff"]
)
async def test_what_nobody_can_read_was_not_spent(clock: Clock, content: bytes) -> None:
    everybodys = Away(clock)
    everybodys.there, everybodys.content = True, content
    purse = Purse(60, [everybodys], clock)
    await purse.demand(ANN)
    await purse.pay(ANN, 61)
    assert await refused(purse, ANN) == 1


async def test_a_clock_that_was_set_back_pays_nothing_off_and_stops_nobody_for_longer(
    clock: Clock,
) -> None:
    everybodys = Away(clock)
    everybodys.there = True
    purse = Purse(60, [everybodys], clock)
    await purse.pay(ANN, 90)
    clock.now -= 500
    assert await refused(purse, ANN) == 30
    await purse.pay(ANN, 1)
    clock.now += 31.5
    await purse.demand(ANN)
