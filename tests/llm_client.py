"""Our own client before a scripted model server, as tests of it need it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

# What it takes to import this is not to be part of any test's time.
import openai as _  # noqa: F401

from plugins.nl.contract import Budget
from plugins.nl.model.client import ModelClient
from plugins.nl.model.contract import ChatModel, Offer, Prompt
from plugins.nl.model.options import LlmOptions
from proxy.series import PrometheusMetrics

OFFERS = (
    Offer(name="search", description="Find entities and properties by name.", argument="a name"),
    Offer(name="execute", description="Run a SPARQL query.", argument="the query"),
    Offer(name="stop", description="End the search."),
)
PROMPT = Prompt(purpose="controller", system="You answer questions.", user="Question: Who is Obama?")
SCHEMA = {
    "type": "object",
    "properties": {
        "form": {"type": "string", "enum": ["entity", "date"]},
        "label": {"type": "string"},
        "sure": {"type": "boolean"},
    },
}


@dataclass(slots=True, kw_only=True)
class Asking:
    """A client, the model of one question, and what that has cost."""

    client: ModelClient
    model: ChatModel
    budget: Budget
    metrics: PrometheusMetrics = field(repr=False)

    def another(self, **limits: Any) -> Asking:
        """Return the model of another question."""
        budget = new_budget(**limits)
        return Asking(client=self.client, model=self.client.question(budget), budget=budget, metrics=self.metrics)

    def counted(self, name: str, **labels: str) -> float:
        """Return a sample of the metrics; 0 where there is none."""
        return self.metrics.registry.get_sample_value(name, labels) or 0.0


def new_budget(**limits: Any) -> Budget:
    """Return a budget that begins now."""
    return Budget(clock=time.monotonic, started=time.monotonic(), **limits)


@asynccontextmanager
async def asking(url: str, *, limits: dict[str, Any] | None = None, **options: Any) -> AsyncIterator[Asking]:
    """Open a client of a server; ``limits`` are those of the budget."""
    metrics = PrometheusMetrics()
    budget = new_budget(**limits or {})
    async with ModelClient(
        LlmOptions(**{"base_url": url, "model": "toy", **options}), metrics, time.monotonic
    ) as client:
        yield Asking(client=client, model=client.question(budget), budget=budget, metrics=metrics)
