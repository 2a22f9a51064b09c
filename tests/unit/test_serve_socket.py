"""The listening socket: a crowd that comes while the workers are busy waits in it, and is not sent away."""

from __future__ import annotations

import socket
import struct
import sys
from pathlib import Path

import pytest

from proxy.serve import listen

# Where the kernel says how many may wait, for a socket that listens: after eight bytes and five numbers.
_MOST_WAITING = 28


@pytest.mark.skipif(sys.platform != "linux", reason="what a socket lets wait is told by Linux only")
def test_as_many_may_wait_as_the_system_lets() -> None:
    bound = int(Path("/proc/sys/net/core/somaxconn").read_text())
    with listen("127.0.0.1", 0) as listener:
        said = listener.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _MOST_WAITING + 4)
    assert struct.unpack_from("I", said, _MOST_WAITING) == (min(bound, 65535),)
