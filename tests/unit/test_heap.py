"""Memory that is free goes back to the system, also from between what is in use; what stays is left alone."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

# A process of its own: in this one, what other tests have left decides where blocks lie.
_HOLES = """
import os

from proxy.heap import give_back

def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

large, small = [], []
for _ in range(2_000):
    large.append(os.urandom(40_000))
    small.append(os.urandom(1_000))
full = held()
large.clear()
kept = held()
give_back()
print(full, kept, held())
"""

_START = """
import gc

from proxy.heap import settle

made = [[number] for number in range(100_000)]
settle()
print(len(gc.get_objects()))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="glibc alone is told to give memory back")
def test_holes_between_what_is_in_use_are_given_back() -> None:
    done = subprocess.run([sys.executable, "-c", _HOLES], capture_output=True, text=True, check=True)
    full, kept, left = (int(word) / 2**20 for word in done.stdout.split())
    assert full - kept < 10, "the C library gives it back by itself; then nothing here is needed"
    assert kept - left > 60, (full, kept, left)


def test_what_is_there_at_the_end_of_a_start_is_not_looked_at_again() -> None:
    done = subprocess.run([sys.executable, "-c", _START], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 1_000
