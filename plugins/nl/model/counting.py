"""What an operator sees of a model: calls, tokens, time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from plugins.nl.contract import OutOfBudget
from plugins.nl.model.contract import Outcome, Purpose
from plugins.nl.model.failures import Late
from proxy.contract import Metrics

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class CallMetrics:
    """Count calls by what they are for and how they ended."""

    def __init__(self, metrics: Metrics) -> None:
        self._calls = metrics.counter("saga_llm_calls", "Calls of the model", ["purpose", "outcome"])
        self._tokens = metrics.counter("saga_llm_tokens", "Tokens sent and received", ["direction"])
        self._seconds = metrics.histogram("saga_llm_seconds", "Time of a call", ["purpose"], _SECONDS)

    def tokens(self, prompt: int, completion: int) -> None:
        """Count what went over the wire."""
        self._tokens.labels("prompt").inc(prompt)
        self._tokens.labels("completion").inc(completion)

    @contextmanager
    def call(self, purpose: Purpose) -> Iterator[Ending]:
        """Time a call and count its end; the block says where it was not an ordinary one."""
        ending = Ending()
        started = time.perf_counter()
        try:
            yield ending
        except BaseException as error:
            ending.outcome = _outcome(error)
            raise
        finally:
            self._seconds.labels(purpose).observe(time.perf_counter() - started)
            self._calls.labels(purpose, ending.outcome).inc()


class Ending:
    """How a call ended."""

    outcome: Outcome = "ok"


def _outcome(error: BaseException) -> Outcome:
    if isinstance(error, Late) or (isinstance(error, OutOfBudget) and error.args == ("seconds",)):
        return "timeout"
    return "failed" if isinstance(error, Exception) else "cancelled"
