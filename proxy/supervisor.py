"""The parent of several workers: it holds the socket, starts them again when they die, and ends them."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
import tempfile
from pathlib import Path

from proxy.loader import Loaded
from proxy.observe import MULTIPROCESS_FOLDER, event, forget_worker, start_logging

_RESTART_PAUSE_S = 1.0
# How long a worker may take to end after its own time to drain.
_GRACE_S = 0.5


def supervise(config: Path, loaded: Loaded, listener: socket.socket) -> int:
    """Run the workers until a stop signal, and return the exit code."""
    start_logging(loaded.settings.server.log_level)
    with tempfile.TemporaryDirectory(prefix="saga-metrics-") as folder:
        # Set before any worker imports the client library, which looks at it once; this process makes no series.
        os.environ[MULTIPROCESS_FOLDER] = folder
        return asyncio.run(_Workers(config, loaded, listener, Path(folder)).run())


class _Workers:
    """Keep the configured number of workers alive."""

    def __init__(self, config: Path, loaded: Loaded, listener: socket.socket, metrics: Path) -> None:
        self._config = config
        self._server = loaded.settings.server
        self._listener = listener
        self._metrics = metrics
        self._stopped = asyncio.Event()
        self._failed = False

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stopped.set)
        async with asyncio.TaskGroup() as group:
            for _ in range(self._server.workers):
                group.create_task(self._keep_one())
        return 2 if self._failed else 0

    async def _keep_one(self) -> None:
        """Run one worker, and another one when it dies, until the stop signal."""
        while not self._stopped.is_set():
            worker = await self._start()
            ended = asyncio.ensure_future(worker.wait())
            stopping = asyncio.ensure_future(self._stopped.wait())
            await asyncio.wait((ended, stopping), return_when=asyncio.FIRST_COMPLETED)
            stopping.cancel()
            if self._stopped.is_set():
                await self._end(worker)
            forget_worker(self._metrics, worker.pid)
            if worker.returncode == 2:
                # A configuration that the worker refuses will be refused again.
                self._failed = True
                self._stopped.set()
            if not self._stopped.is_set():
                event("worker.died", logging.ERROR, pid=worker.pid, code=worker.returncode)
                await asyncio.sleep(_RESTART_PAUSE_S)

    async def _start(self) -> asyncio.subprocess.Process:
        fd = self._listener.fileno()
        words = (sys.executable, "-m", "proxy.worker", "--config", str(self._config), "--fd", str(fd))
        # Standard input is the lifeline: its end tells the worker that this process is gone.
        return await asyncio.create_subprocess_exec(*words, stdin=asyncio.subprocess.PIPE, pass_fds=(fd,))

    async def _end(self, worker: asyncio.subprocess.Process) -> None:
        with contextlib.suppress(ProcessLookupError):
            worker.terminate()
        try:
            async with asyncio.timeout(self._server.drain_s + _GRACE_S):
                await worker.wait()
        except TimeoutError:
            worker.kill()
            await worker.wait()
