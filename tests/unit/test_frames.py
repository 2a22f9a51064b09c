"""Frames survive any cut of the stream; nothing else passes for a frame."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.endpoints.frames import HEADER_BYTES, MAX_FRAME_BYTES, BadFrame, Decoder, Frame, Kind, decode, encode, header

FRAMES = st.lists(st.tuples(st.sampled_from(Kind), st.binary(max_size=300)), max_size=20)


def stream(frames: list[Frame]) -> bytes:
    return b"".join(header(kind, len(payload)) + payload for kind, payload in frames)


@given(FRAMES, st.lists(st.integers(min_value=1, max_value=50), min_size=1))
def test_frames_come_out_as_they_went_in_wherever_reads_end(frames: list[Frame], cuts: list[int]) -> None:
    data = stream(frames)
    decoder = Decoder()
    found: list[Frame] = []
    at = turn = 0
    while at < len(data):
        step = cuts[turn % len(cuts)]
        found += decoder.feed(data[at : at + step])
        at, turn = at + step, turn + 1
    assert found == frames
    assert decoder.pending == 0


@given(FRAMES.filter(bool), st.data())
def test_a_cut_stream_lacks_its_last_frame(frames: list[Frame], data: st.DataObject) -> None:
    whole = stream(frames)
    cut = data.draw(st.integers(min_value=0, max_value=len(whole) - 1))
    assert len(Decoder().feed(whole[:cut])) < len(frames)


@given(st.binary(min_size=HEADER_BYTES, max_size=2000))
def test_garbage_is_refused_or_waits_but_raises_nothing_else(data: bytes) -> None:
    decoder = Decoder()
    try:
        decoder.feed(data)
    except BadFrame:
        return
    assert decoder.pending <= len(data)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(BadFrame, match="no kind"):
        Decoder().feed(struct.pack(">BI", 99, 0))


def test_a_frame_above_the_limit_is_refused_before_its_body_comes() -> None:
    with pytest.raises(BadFrame, match="above the limit"):
        Decoder().feed(struct.pack(">BI", Kind.DATA, MAX_FRAME_BYTES + 1))


def test_objects_come_out_as_they_went_in() -> None:
    [(kind, payload)] = Decoder().feed(encode(Kind.END, {"bytes": 3, "text": "é\n\u0000"}))
    assert kind is Kind.END
    assert decode(payload) == {"bytes": 3, "text": "é\n\u0000"}


@pytest.mark.parametrize("payload", [b"", b"[1]", b"{", b"\xff"])
def test_texts_that_are_no_objects_are_refused(payload: bytes) -> None:
    with pytest.raises(BadFrame):
        decode(payload)
