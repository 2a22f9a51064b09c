"""Read a body chunk by chunk, strictly: what all formats have in common."""

from __future__ import annotations

import codecs
from abc import ABC, abstractmethod

from proxy.errors import Truncated
from proxy.results.bounds import MAX_ROW_BYTES
from proxy.results.state import State

# Below this an unfinished row is simply tried again with the next chunk; above it we wait until it has doubled, so
# that many tiny chunks cost linear time.
# Units: bytes.
_SMALL = 4096
# So much of what could not be read goes to the log, where it tells a time limit from a failure.
# Units: bytes.
_SHOWN = 200
_BOM = codecs.BOM_UTF8
_Utf8Decoder = codecs.getincrementaldecoder("utf-8")


class MalformedError(ValueError):
    """What was read cannot be part of a whole body. Raised by grammars, turned into Truncated by `Reader`."""


class Reader(ABC):
    """Judge a body while it streams past. Feed it every chunk, then call `finish`.

    A subclass says in `advance` how far it can read; the rest is held and offered again with the next chunk. The
    verdict, the rows and the Boolean do not depend on how the body was cut into chunks.

    Shapes: ``state`` gets rows, and the Boolean of an ASK.
    Raises: Truncated, from both methods, as soon as the body cannot be whole and free of foreign text.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.ended = False
        # Whether what is not whole may wait for the next chunk, with which it is read faster.
        self.patient = True
        self._decode = _Utf8Decoder().decode
        self._parts: list[bytes] = []
        self._held = 0
        self._wanted = 0
        self._offset = 0
        self._at = 0
        self._opened = False

    @abstractmethod
    def advance(self, data: bytes) -> int:
        """Read as far as possible and return how many bytes are done with. Call `mark` before anything may raise."""

    @abstractmethod
    def close(self) -> None:
        """Judge whether the body may end here; everything that `advance` could read was read."""

    def feed(self, chunk: bytes) -> None:
        """Read one more chunk."""
        self._check_utf8(chunk)
        self._parts.append(chunk)
        self._held += len(chunk)
        if self._held >= self._wanted:
            self._step()

    def hurry(self) -> None:
        """Read what waits for the next chunk, since for now none comes."""
        if self._held:
            self.patient = False
            self._step()
            self.patient = True

    def finish(self) -> None:
        """Read the rest and judge the end of the body."""
        self._check_utf8(b"")
        self.ended, self.patient = True, False
        self._opened = True
        if self._held:
            self._step()
        self._judge_end()

    def mark(self, position: int) -> None:
        """Remember where in the data of `advance` we are, for the message of an error."""
        self._at = position

    def _judge_end(self) -> None:
        if self._held:
            raise self._broken("the body ends in the middle of something", self._held, b"".join(self._parts)[-_SHOWN:])
        try:
            self.close()
        except MalformedError as error:
            raise self._broken(str(error), 0) from None

    def _check_utf8(self, chunk: bytes) -> None:
        try:
            self._decode(chunk, not chunk)
        except UnicodeDecodeError as error:
            position = self._offset + self._held + error.start
            raise Truncated(f"The endpoint's answer is not UTF-8 near byte {position}.") from None

    def _step(self) -> None:
        data = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        if not self._opened:
            data = self._without_mark(data)
            if not self._opened:
                return
        self._at = 0
        try:
            used = self.advance(data)
        except MalformedError as error:
            raise self._broken(str(error), self._at, data[self._at : self._at + _SHOWN]) from None
        self._keep(data[used:] if used else data, used)

    def _without_mark(self, data: bytes) -> bytes:
        """Drop a byte order mark, once enough is there to see one."""
        if len(data) < len(_BOM) and _BOM.startswith(data):
            return data
        self._opened = True
        if not data.startswith(_BOM):
            return data
        self._offset += len(_BOM)
        return data[len(_BOM) :]

    def _keep(self, rest: bytes, used: int) -> None:
        self._offset += used
        self._held = len(rest)
        self._parts = [rest] if rest else []
        if self._held > MAX_ROW_BYTES:
            raise self._broken(f"a single row is longer than {MAX_ROW_BYTES} bytes", 0)
        self._wanted = 0 if self._held < _SMALL else min(2 * self._held, MAX_ROW_BYTES + 1)

    def _broken(self, why: str, position: int, found: bytes = b"") -> Truncated:
        where = f"byte {self._offset + position}, after {self.state.rows} whole rows"
        detail = f"The endpoint's answer broke off: {why} (at {where})."
        return Truncated(detail, private=found.decode(errors="replace"))
