"""The parent of all workers: it holds the socket, starts them again when they die, renews them, and ends them."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import math
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from proxy.errors import ConfigError, UsageError
from proxy.logs import event, start_logging
from proxy.series import ENDED, MULTIPROCESS_FOLDER, forget_worker, reserve
from proxy.settings import Server, Settings
from proxy.worker import Plan, StartFailed, Worker

# The first pause before a worker that died is replaced; it doubles with each death, until one worker lasts.
_PAUSE_S, _LONGEST_PAUSE_S, _STEADY_S = 0.1, 30.0, 60.0
_MOST_DEATHS = 5
# Pauses between the attempts to start the first worker of a configuration.
_START_PAUSES_S = (0.2, 1.0)


class _Crew:
    """The workers of one configuration."""

    def __init__(self, plan: Plan, listener: socket.socket, metrics: Path) -> None:
        self._plan = plan
        self._listener = listener
        self._metrics = metrics
        self._workers: set[Worker] = set()
        self._keeping: asyncio.Task[None] | None = None
        self.settings: Settings

    async def start(self) -> None:
        """Return when all workers are ready. Raises StartFailed, ConfigError."""
        # The first one checks the configuration for all of them: each mistake is told once.
        await self._first()
        self.settings = self._plan.settings()
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self.settings.server.workers - 1):
                    group.create_task(self._started())
        except BaseExceptionGroup as failed:
            raise failed.exceptions[0] from None

    async def _first(self) -> None:
        for pause_s in _START_PAUSES_S:
            try:
                await self._started()
                return
            except StartFailed:
                await asyncio.sleep(pause_s)
        await self._started()

    async def _started(self) -> Worker:
        worker = await Worker.start(self._plan, self._listener)
        self._workers.add(worker)
        try:
            await worker.ready()
        except BaseException:
            worker.kill()
            await self._gone(worker, 0.0)
            raise
        return worker

    async def _gone(self, worker: Worker, seconds: float) -> None:
        await worker.end(seconds)
        forget_worker(self._metrics, worker.process.pid)
        self._workers.discard(worker)

    def go(self) -> None:
        """Let all workers take connections."""
        for worker in self._workers:
            worker.go()

    async def keep(self) -> None:
        """Replace each worker that dies, until `end`. Raises StartFailed in a group where none serves any more."""
        self._keeping = asyncio.current_task()
        async with asyncio.TaskGroup() as group:
            for worker in self._workers:
                group.create_task(self._keep(worker))

    async def _keep(self, worker: Worker) -> None:
        deaths = 0
        while True:
            code = await worker.process.wait()
            deaths = deaths + 1 if time.monotonic() - worker.started < _STEADY_S else 1
            await self._gone(worker, 0.0)
            event("worker.died", logging.ERROR, pid=worker.process.pid, code=code, pause_s=_pause_s(deaths))
            worker, deaths = await self._replacement(deaths)
            worker.go()

    async def _replacement(self, deaths: int) -> tuple[Worker, int]:
        while True:
            await asyncio.sleep(_pause_s(deaths))
            try:
                return await self._started(), deaths
            except (StartFailed, ConfigError) as error:
                deaths += 1
                event("worker.refused", logging.ERROR, detail=str(error), pause_s=_pause_s(deaths))
                if deaths > _MOST_DEATHS and not any(each.serving for each in self._workers):
                    raise StartFailed(f"no worker is left, and none starts: {error}") from error

    def hurry(self, seconds: float) -> None:
        """Let all workers end within so many seconds."""
        for worker in self._workers:
            worker.tell(f"drain {seconds}")

    async def close(self, seconds: float) -> None:
        """Return when no worker takes connections any more; they have so many seconds for what they had begun."""
        if self._keeping is not None:
            self._keeping.cancel()
            await asyncio.wait((self._keeping,))
        self.hurry(seconds)
        await asyncio.gather(*(worker.closed() for worker in self._workers if worker.serving))

    async def end(self, seconds: float) -> None:
        """Return when all workers are gone, those killed that take longer."""
        await asyncio.gather(*(self._gone(worker, seconds) for worker in self._workers.copy()))


def _pause_s(deaths: int) -> float:
    return float(min(_LONGEST_PAUSE_S, _PAUSE_S * 2 ** (deaths - 1)))


def supervise(read: Callable[[], Plan], listener: socket.socket, settings: Settings) -> int:
    """Run the workers until a stop signal, and return the exit code.

    Shapes: ``read`` returns the configuration as it is now; it is called at the start, and again at every SIGHUP.
    ``settings`` are those that the socket was opened with.
    Raises ConfigError, UsageError.
    """
    start_logging(settings.server.log_level)
    with tempfile.TemporaryDirectory(prefix="saga-metrics-") as folder:
        # Set before any worker imports the client library, which looks at it once; this process makes no series.
        os.environ[MULTIPROCESS_FOLDER] = folder
        reserve(Path(folder), ENDED)
        return asyncio.run(_Supervisor(read, listener, settings, Path(folder)).run())


class _Supervisor:
    """Keep one crew of workers at work, and let each that it replaced finish what it had begun."""

    def __init__(self, read: Callable[[], Plan], listener: socket.socket, settings: Settings, metrics: Path) -> None:
        self._read = read
        self._listener = listener
        self._settings = settings
        self._metrics = metrics
        self._crews: list[_Crew] = []
        self._reload = asyncio.Event()
        self._stopped = asyncio.Event()
        self._stop_s = math.inf
        self._terminal = sys.stdin is not None and sys.stdin.isatty()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self._hang_up)
        loop.add_signal_handler(signal.SIGTERM, lambda: self._stop(self._settings.server.drain_s))
        loop.add_signal_handler(signal.SIGINT, lambda: self._stop(0.0))
        serving = asyncio.ensure_future(self._serve())
        stopping = asyncio.ensure_future(self._stopped.wait())
        await asyncio.wait((serving, stopping), return_when=asyncio.FIRST_COMPLETED)
        serving.cancel()
        stopping.cancel()
        self._listener.close()
        self._stop_s = min(self._stop_s, self._settings.server.drain_s)
        await asyncio.gather(*(self._retire(crew, self._stop_s) for crew in self._crews))
        try:
            await serving
        except asyncio.CancelledError:
            pass
        except BaseExceptionGroup as group:
            raise _refusal(group) from None
        return 0

    def _stop(self, seconds: float) -> None:
        """End all within so many seconds; a second signal may hurry."""
        self._stop_s = min(self._stop_s, seconds)
        self._stopped.set()
        for crew in self._crews:
            crew.hurry(self._stop_s)

    def _hang_up(self) -> None:
        """Read the configuration again; or end, where it is our terminal that hung up."""
        if self._terminal and not os.isatty(0):
            self._stop(self._settings.server.drain_s)
        else:
            self._reload.set()

    async def _serve(self) -> None:
        """Start the first crew, and replace it at every reload. Raises StartFailed in a group."""
        async with asyncio.TaskGroup() as group:
            crew = await self._started(await asyncio.to_thread(self._read))
            group.create_task(crew.keep())
            host, port = self._listener.getsockname()[:2]
            _announce(f"Saga serves http://{f'[{host}]' if ':' in host else host}:{port}/sparql")
            while True:
                await self._reload.wait()
                self._reload.clear()
                following = await self._following()
                if following is None:
                    continue
                group.create_task(following.keep())
                # No query takes longer.
                drain_s = max(table.total_s for table in self._settings.endpoints.values())
                await crew.close(drain_s)
                group.create_task(self._end(crew, drain_s))
                crew, self._settings = following, following.settings
                event("reload.done", workers=self._settings.server.workers, drain_s=drain_s)

    async def _started(self, plan: Plan) -> _Crew:
        """Start the workers of a configuration, and let them serve once all are ready. Raises StartFailed."""
        crew = _Crew(plan, self._listener, self._metrics)
        self._crews.append(crew)
        try:
            await crew.start()
        except BaseException:
            await self._retire(crew, 0.0)
            raise
        crew.go()
        return crew

    async def _following(self) -> _Crew | None:
        """Return the crew of the configuration as it is now, or None where it cannot be used; the log says why."""
        event("reload.started")
        try:
            plan = await asyncio.to_thread(self._read)
            crew = await self._started(self._placed(plan))
        except (ConfigError, UsageError, StartFailed) as error:
            mistakes = list(error.mistakes) if isinstance(error, ConfigError) else [str(error)]
            event("reload.refused", logging.ERROR, mistakes=mistakes, detail="What ran before goes on.")
            return None
        start_logging(crew.settings.server.log_level)
        return crew

    def _placed(self, plan: Plan) -> Plan:
        """Keep the address that is served: its socket is open, and no other may be ours to open."""
        running = self._settings.server
        table = plan.tables.get("server", {})
        if not isinstance(table, dict):
            return plan
        wanted = {"host": table.get("host", Server().host), "port": table.get("port", Server().port)}
        kept = {"host": running.host, "port": running.port}
        for key, value in kept.items():
            if wanted[key] != value:
                event("reload.unchanged", logging.WARNING, key=f"server.{key}", running=value, wanted=wanted[key],
                      detail="Only a restart changes this.")  # fmt: skip
        return dataclasses.replace(plan, tables={**plan.tables, "server": {**table, **kept}})

    async def _retire(self, crew: _Crew, seconds: float) -> None:
        await crew.close(seconds)
        await self._end(crew, seconds)

    async def _end(self, crew: _Crew, seconds: float) -> None:
        await crew.end(seconds)
        if crew in self._crews:
            self._crews.remove(crew)


def _announce(words: str) -> None:
    """Say to whoever started us that we serve; where that cannot be written, the log says it."""
    try:
        print(words, flush=True)
    except OSError as error:
        # What was not written would be tried again at the end, and turn the exit code into a failure.
        sys.stdout = None
        event("serve.started", logging.WARNING, detail=words, reason=error.strerror)


def _refusal(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return what ended the workers, in words for whoever started them."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return UsageError(str(error)) if isinstance(error, StartFailed) else error
