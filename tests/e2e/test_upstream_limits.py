"""The limits of time of an endpoint: each holds for its own part of an answer, and for no other."""

from __future__ import annotations

from tests import wire
from tests.fronts import front
from tests.profiles import select
from tests.upstream import Answer, Upstream

_ROWS = select(2)
_QUERY = {"query": "SELECT * { ?s ?p ?o }"}


async def test_silence_before_the_first_byte_is_not_silence_in_the_middle() -> None:
    late = Answer(type=_ROWS.type, body=_ROWS.body, before_head_s=1.0)
    async with Upstream(late) as up, front(up, idle_s=0.2, first_byte_s=60.0) as url:
        assert (await wire.get(url, _QUERY)).status == 200


async def test_an_answer_that_does_not_start_is_given_up_long_before_the_whole_time_is_over() -> None:
    async with Upstream(Answer(before_head_s=600)) as up, front(up, first_byte_s=0.3, idle_s=600.0) as url:
        assert (await wire.get(url, _QUERY)).status == 504


async def test_an_answer_that_stops_in_the_middle_is_given_up_after_its_silence() -> None:
    large = select(8_000)
    stalls = Answer(type=large.type, body=large.body, framing="chunked", cut=500_000, end="stall")
    async with Upstream(stalls) as up, front(up, first_byte_s=600.0, idle_s=0.3) as url:
        assert (await wire.get(url, _QUERY)).end == "reset"


async def test_the_whole_time_holds_also_where_something_always_comes() -> None:
    large = select(8_000)
    assert isinstance(large.body, bytes)
    pieces = [large.body[start : start + 1_000] for start in range(0, len(large.body), 1_000)]
    drips = Answer(type=large.type, body=pieces, framing="chunked", between_s=0.05)
    async with Upstream(drips) as up, front(up, total_s=1.5, idle_s=600.0) as url:
        assert (await wire.get(url, _QUERY)).end == "reset"
