from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from proxy.results.modern import modern_literals

OLD = b'{"x": { "type": "typed-literal", "value": "1"}, "y":{"type":"typed-literal"},"z":{"type" : "typed-literal"}}'
NEW = b'{"x": { "type": "literal", "value": "1"}, "y":{"type":"literal"},"z":{"type" : "literal"}}'


async def cut(body: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(body), size):
        yield body[start : start + size]


@pytest.mark.parametrize("size", [*range(1, 40), 1000])
async def test_old_words_become_new_ones_at_any_border(size: int) -> None:
    assert b"".join([part async for part in modern_literals(cut(OLD, size))]) == NEW
    assert b"".join([part async for part in modern_literals(cut(NEW, size))]) == NEW


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_text_of_literals_is_data(size: int) -> None:
    body = rb'{"value":"say \"type\": \"typed-literal\"","type":"literal","w":"typed-literal"}'
    assert b"".join([part async for part in modern_literals(cut(body, size))]) == body
