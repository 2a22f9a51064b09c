"""What a child process takes away from itself before it meets a query: memory, processor time, network, its orphanhood.

Only a kill stops a runaway query, and Oxigraph sends SERVICE and LOAD requests by itself. The proxy kills at deadlines
and refuses such texts; these walls hold when it is stuck, gone or wrong. Each works on Linux and is left out where the
system has no such thing; the proxy's own checks never depend on them.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2

# Source: linux/audit.h, and the system call tables: socket, connect, execve.
_ARCHITECTURES: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (0xC000003E, (41, 42, 59)),
    "aarch64": (0xC00000B7, (198, 203, 221)),
}

# Classic BPF; source: linux/seccomp.h, linux/bpf_common.h.
_LOAD, _JUMP_EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _DENY = 0x7FFF0000, 0x00050000 | 1  # deny is "fail with EPERM"
_OFFSET_NUMBER, _OFFSET_ARCHITECTURE = 0, 4

# A reader is the first to go when the machine runs out of memory, not the proxy.
_OOM_SCORE = b"500"


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("k", ctypes.c_uint32))


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


def confine(parent: int) -> None:
    """Leave no core file, die with the parent, open no connection, start no program."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Its parent tells it when to end: a signal to the whole group comes while answers still run.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb", buffering=0) as score:
        score.write(_OOM_SCORE)
    if sys.platform == "linux":
        _die_with_parent(parent)
        _close_the_network()


def _die_with_parent(parent: int) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # It died before the call above: the signal will never come.
        os._exit(0)


def _close_the_network() -> bool:
    """Let the kernel refuse system calls that reach outside; return whether it agreed."""
    entry = _ARCHITECTURES.get(os.uname().machine)
    if entry is None:
        return False
    architecture, calls = entry
    steps = [
        (_LOAD, 0, 0, _OFFSET_ARCHITECTURE),
        (_JUMP_EQUAL, 0, len(calls) + 2, architecture),
        (_LOAD, 0, 0, _OFFSET_NUMBER),
        *((_JUMP_EQUAL, len(calls) - n, 0, call) for n, call in enumerate(calls)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _DENY),
    ]
    array = (_Instruction * len(steps))(*(_Instruction(*step) for step in steps))
    program = _Program(len(steps), array)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


def limit_memory(extra_bytes: int) -> None:
    """Allow this many bytes of address space above what the process holds now.

    An open store reserves 180 MB before the first query, a gigabyte with another allocator: an absolute limit would say
    little about what a query may take.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_within(_address_space() + extra_bytes, hard), hard))


def limit_cpu(extra_s: float) -> None:
    """Allow this many seconds of processor time from now on; the kernel then ends the process by SIGXCPU."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    # The kernel counts whole seconds: round up, never below the limit asked for.
    resource.setrlimit(resource.RLIMIT_CPU, (_within(int(usage.ru_utime + usage.ru_stime + extra_s) + 1, hard), hard))


def _within(soft: int, hard: int) -> int:
    return soft if hard == resource.RLIM_INFINITY else min(soft, hard)


def _address_space() -> int:
    """Bytes of address space in use; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
