"""Undo the compression of a body, and know whether it came to its end."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

from proxy.errors import Truncated, UpstreamFailed

# At most so much comes out at once, whatever a few bytes may stand for.
_PIECE_BYTES = 256 * 1024
_GZIP_WINDOW = 31


class Inflate:
    """Decompress piece by piece. A body that stops before its trailer is not whole, wherever its rows end.

    Source: RFC 1952 (members may follow each other), RFC 1950; RFC 9110 section 8.4.1.2 on raw deflate.
    """

    def __init__(self, coding: str) -> None:
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise UpstreamFailed(f"The endpoint answered in the encoding {coding!r}, which nobody asked for.")
        self._gzip = coding != "deflate"
        self._decoder: zlib._Decompress | None = None
        self._fed = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what the data stands for. Raises Truncated where it cannot be decompressed."""
        while data:
            if self._decoder is None:
                if self._fed and self._gzip and not data.strip(b"\0"):
                    return  # padding behind the last member
                self._decoder = self._start(data)
                self._fed = True
            try:
                piece = self._decoder.decompress(data, _PIECE_BYTES)
            except zlib.error as error:
                raise Truncated("The endpoint's answer cannot be decompressed.", private=str(error)) from error
            if piece:
                yield piece
            if self._decoder.eof:
                data, self._decoder = self._decoder.unused_data, None
            else:
                data = self._decoder.unconsumed_tail

    def finish(self) -> None:
        """Judge the end. Raises Truncated where the body stopped before it."""
        if self._decoder is not None:
            raise Truncated("The endpoint ended its compressed answer before the end.")

    def _start(self, data: bytes) -> zlib._Decompress:
        if self._gzip:
            return zlib.decompressobj(_GZIP_WINDOW)
        # Some servers send deflate without the zlib header; its first byte tells.
        return zlib.decompressobj() if data[0] & 0x0F == 8 else zlib.decompressobj(-zlib.MAX_WBITS)
