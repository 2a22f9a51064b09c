from __future__ import annotations

import random
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cache.entry import SLICE_BYTES, SMALLEST_BYTES, Entry, Packer, Packing
from plugins.cache.record import BadRecord, read, written
from proxy.results import Format
from tests import stage

PACKER = Packer()


def entry(body: bytes, cuts: int = 1, **more: object) -> Entry:
    packing = Packing(PACKER)
    step = max(1, len(body) // cuts)
    for start in range(0, len(body), step):
        packing.add(body[start : start + step])
    slices, packed = packing.finish()
    made = Entry(
        endpoint="up", format=Format.JSON, version=None, headers={"X": "y"}, etag=packing.etag(Format.JSON),
        slices=slices, packed=packed, rows=1, boolean=None, size=len(body), partial=None, born=100.0, fresh_s=60.0,
        stale_s=0.0,
    )  # fmt: skip
    return replace(made, **more)  # type: ignore[arg-type]


async def unpacked(kept: Entry) -> bytes:
    return b"".join([chunk async for chunk in PACKER.chunks(kept)])


SIZES = (
    0,
    1,
    SMALLEST_BYTES - 1,
    SMALLEST_BYTES,
    SLICE_BYTES - 1,
    SLICE_BYTES,
    SLICE_BYTES + 1,
    3 * SLICE_BYTES,
    10**6,
)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cuts", [1, 7])
async def test_a_body_comes_back_as_it_was_however_it_came(size: int, cuts: int) -> None:
    body = random.Random(size).randbytes(size // 2).hex().encode()[:size].ljust(size, b"x")
    kept = entry(body, cuts)
    assert await unpacked(kept) == body
    assert kept.etag == entry(body).etag
    assert kept.packed == (size >= SMALLEST_BYTES)


async def test_a_slow_client_of_a_large_answer_holds_one_slice() -> None:
    kept = entry(b"x" * 50 * SLICE_BYTES)
    tracemalloc.start()
    async for chunk in PACKER.chunks(kept):
        assert len(chunk) <= SLICE_BYTES
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * SLICE_BYTES


def test_another_body_or_format_has_another_name() -> None:
    packing = Packing(PACKER)
    packing.add(b"a")
    names = {packing.etag(Format.JSON), packing.etag(Format.XML), entry(b"b").etag}
    assert len(names) == 3


@pytest.mark.parametrize("size", [10, 10_000, 200_000])
async def test_a_record_brings_back_the_entry_older_by_its_travel(size: int) -> None:
    kept = entry(b"ab" * (size // 2))
    back = read(written(kept, 110.0, 1_000.0), 7.0, 1_005.0)
    assert back == replace(kept, born=7.0 - 15.0)
    assert await unpacked(back) == await unpacked(kept)


def test_a_clock_that_is_behind_makes_nothing_younger_than_now() -> None:
    assert read(written(entry(b"a"), 100.0, 1_000.0), 7.0, 900.0).born == 7.0


@given(st.data())
def test_a_record_with_any_byte_changed_or_cut_is_refused(data: st.DataObject) -> None:
    record = bytearray(written(entry(b"ab" * 5_000), 100.0, 0.0))
    if data.draw(st.booleans()):
        record[data.draw(st.integers(0, len(record) - 1))] ^= data.draw(st.integers(1, 255))
    else:
        del record[data.draw(st.integers(0, len(record) - 1)) :]
    with pytest.raises(BadRecord):
        read(bytes(record), 0.0, 0.0)


@given(st.binary(max_size=200))
def test_no_bytes_are_an_error_of_another_kind(record: bytes) -> None:
    with pytest.raises(BadRecord):
        read(record, 0.0, 0.0)


_KEEPING = """
import json, pathlib
from plugins.cache.entry import SLICE_BYTES, Packer, Packing

def resident():
    return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * 4096

body = json.dumps([{"n": n, "iri": f"http://example.org/{n}"} for n in range(4_000)]).encode()
packer, kept, before = Packer(), [], resident()
for _ in range(500):
    packing = Packing(packer)
    for at in range(0, len(body), SLICE_BYTES):
        packing.add(body[at : at + SLICE_BYTES])
    kept.append(packing.finish()[0])
print(sum(len(each) for slices in kept for each in slices), resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_is_kept_takes_the_memory_that_is_counted() -> None:
    said = subprocess.run([sys.executable, "-c", _KEEPING], capture_output=True, text=True, check=True, cwd=stage.ROOT)
    counted, resident = map(int, said.stdout.split())
    # Some of it goes to the interpreter itself. With each slice in the room of an unpacked one it were thirteen times.
    assert resident < 2 * counted + 8 * 1024 * 1024
