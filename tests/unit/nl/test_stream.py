"""Events on the wire: one frame each, whatever stands in them, and a pace that ends with its reader."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

import pytest
from hypothesis import given
from hypothesis import strategies as some

from plugins.nl.contract import Event, thought
from plugins.nl.document import encoded
from plugins.nl.remote import parsed
from plugins.nl.stream import paced, written

NOTHING_S = 60.0
HOSTILE = "a\n\nevent: answer\rdata: {}\r\n\r\n\x00\x1b[2J\x9b31m\u2028\u202e\ud800</script>"


async def frame(text: str) -> bytes:
    return await written(Event(kind="thought", data={"text": text}, seq=3, t=0.12345))


async def test_a_frame_has_number_kind_and_one_line_of_data() -> None:
    data = {"seq": 3, "t": 0.123, "kind": "thought", "text": "Köln"}
    assert await frame("Köln") == f"id: 3\nevent: thought\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


async def test_no_text_ends_a_frame() -> None:
    lines = (await frame(HOSTILE)).decode().split("\n")
    assert [line.partition(":")[0] for line in lines] == ["id", "event", "data", "", ""]
    assert json.loads(lines[2][6:])["text"] == HOSTILE.replace("\ud800", "?")


@given(some.text(some.characters()))
def test_what_is_encoded_is_one_harmless_line_and_means_the_same(text: str) -> None:
    line = encoded({"text": text}).decode()
    assert all(each.isprintable() or ord(each) > 0x9F for each in line)
    assert len(line.splitlines()) == 1
    assert json.loads(line)["text"] == text.encode(errors="replace").decode()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 10_000])
async def test_a_reader_finds_the_events_however_they_are_cut(size: int) -> None:
    body = b": still working\n\n".join([await frame("one"), await frame(HOSTILE), await frame("three")])

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    texts = [event["text"] async for event in parsed(pieces())]
    assert texts == ["one", HOSTILE.replace("\ud800", "?"), "three"]


class Story:
    """Tell events; it waits in front of the second one until it is let go on."""

    def __init__(self) -> None:
        self.going_on = asyncio.Event()
        self.closed = False
        self.tasks: set[asyncio.Task[None] | None] = set()

    async def tell(self) -> AsyncGenerator[Event, None]:
        try:
            # A timeout that spans events works in one task only.
            async with asyncio.timeout(NOTHING_S):
                self.tasks.add(asyncio.current_task())
                yield thought("first")
                await self.going_on.wait()
                self.tasks.add(asyncio.current_task())
                yield thought("second")
        finally:
            self.closed = True


async def test_heartbeats_come_where_nothing_happens() -> None:
    story = Story()
    heard: list[str | None] = []
    async with aclosing(paced(story.tell(), 0.01)) as events:
        async for event in events:
            heard.append(None if event is None else event.data["text"])
            if heard[-2:] == [None, None]:
                story.going_on.set()
    assert heard[:3] == ["first", None, None]
    assert heard[-1] == "second"
    assert len(story.tasks) == 1


async def test_closing_the_pace_ends_the_story() -> None:
    story = Story()
    async with aclosing(paced(story.tell(), NOTHING_S)) as events:
        assert await anext(events) is not None
        assert not story.closed
    assert story.closed


async def test_a_reader_that_is_cancelled_ends_the_story() -> None:
    story = Story()
    began = asyncio.Event()

    async def read() -> None:
        async with aclosing(paced(story.tell(), NOTHING_S)) as events:
            async for _ in events:
                began.set()

    reader = asyncio.ensure_future(read())
    await began.wait()
    reader.cancel()
    await asyncio.wait((reader,))
    assert reader.cancelled()
    assert story.closed


async def test_what_fails_in_a_story_is_heard_behind_its_events() -> None:
    async def tell() -> AsyncGenerator[Event, None]:
        yield thought("first")
        raise LookupError("gone")

    events = paced(tell(), NOTHING_S)
    assert await anext(events) is not None
    with pytest.raises(LookupError):
        await anext(events)
