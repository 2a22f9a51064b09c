"""What a figure was measured on: printed above every table, because a number without it means nothing."""

from __future__ import annotations

import datetime
import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("aiohttp", "uvloop", "pyoxigraph")


def headline(title: str) -> str:
    """Return three lines: what was measured, where and when, with which versions."""
    today = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    gigabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3
    place = f"{_processor()}, {os.cpu_count()} cores, {gigabytes:.0f} GiB, {platform.system()} {platform.release()}"
    versions = [f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in _PACKAGES)]
    return f"{title}\n{today}, {place}\n{', '.join(versions)}; the figures of one run are comparable, no others are\n"


def said_by(*words: str) -> str:
    """Return the first line that a program says of its version; nginx and wrk say it on standard error."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return (done.stdout + done.stderr).strip().partition("\n")[0]


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())
