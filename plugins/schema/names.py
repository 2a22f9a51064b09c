"""Tables of text in a file: by number, and back, without reading them into memory."""

from __future__ import annotations

import hashlib
import itertools
from array import array
from collections.abc import Iterable, Iterator, Sequence

from plugins.schema.container import Container

# Twice as many places as texts: a look-up ends after one or two steps.
_ROOM = 2


class Texts:
    """Texts by number."""

    def __init__(self, container: Container, key: str) -> None:
        self._bytes = container.section(f"{key}.text")
        self._ends = container.numbers(f"{key}.ends", "Q")
        if len(self._ends) and self._ends[-1] != len(self._bytes):
            raise container.damaged(f"its section {key}.ends does not fit {key}.text")

    def __len__(self) -> int:
        return len(self._ends)

    def raw(self, number: int) -> bytes:
        """Return a text as UTF-8."""
        start = self._ends[number - 1] if number else 0
        return bytes(self._bytes[start : self._ends[number]])

    def __getitem__(self, number: int) -> str:
        return self.raw(number).decode()

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


class Names(Texts):
    """Texts by number, each once, and the number of a text."""

    def __init__(self, container: Container, key: str) -> None:
        super().__init__(container, key)
        self._places = container.numbers(f"{key}.places", "I")
        if len(self._places) < len(self) * _ROOM or len(self._places) & (len(self._places) - 1):
            raise container.damaged(f"its section {key}.places has a wrong length")

    def number(self, text: str) -> int | None:
        """Return the number of a text, or None."""
        data = text.encode("utf-8", "replace")
        mask = len(self._places) - 1
        place = _hash(data) & mask
        while found := self._places[place]:
            if self.raw(found - 1) == data:
                return int(found - 1)
            place = (place + 1) & mask
        return None


def pack_texts(key: str, texts: Iterable[str]) -> dict[str, list[bytes]]:
    """Return the sections of `Texts`. Half a surrogate pair becomes a question mark."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    ends = array("Q", itertools.accumulate(len(each) for each in encoded))
    return {f"{key}.text": [b"".join(encoded)], f"{key}.ends": [ends.tobytes()]}


def pack_names(key: str, texts: Sequence[str]) -> dict[str, list[bytes]]:
    """Return the sections of `Names`."""
    size = 1 << max(1, (len(texts) * _ROOM).bit_length())
    places = array("I", bytes(4 * size))
    mask = size - 1
    for number, text in enumerate(texts, 1):
        place = _hash(text.encode("utf-8", "replace")) & mask
        while places[place]:
            place = (place + 1) & mask
        places[place] = number
    return {**pack_texts(key, texts), f"{key}.places": [places.tobytes()]}


def _hash(data: bytes) -> int:
    # Not a fast checksum: whoever writes a graph could make all its names collide.
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


class Lists:
    """Lists of numbers by number."""

    def __init__(self, container: Container, key: str) -> None:
        self._values = container.numbers(f"{key}.values", "I")
        self._ends = container.numbers(f"{key}.ends", "I")
        if len(self._ends) and self._ends[-1] != len(self._values):
            raise container.damaged(f"its section {key}.ends does not fit {key}.values")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, number: int) -> memoryview:
        start = self._ends[number - 1] if number else 0
        return self._values[start : self._ends[number]]


def pack_lists(key: str, lists: Iterable[Sequence[int]]) -> dict[str, list[bytes]]:
    """Return the sections of `Lists`."""
    values, ends = array("I"), array("I")
    for each in lists:
        values.extend(each)
        ends.append(len(values))
    return {f"{key}.values": [values.tobytes()], f"{key}.ends": [ends.tobytes()]}
