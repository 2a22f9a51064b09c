"""The strategies, by name. Each is imported when it is first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from plugins.nl.contract import Strategy

# From the name to the class, which is made without arguments.
STRATEGIES: Mapping[str, str] = {
    "keyless": "plugins.nl.strategies.keyless:Keyless",
    "saga": "plugins.nl.strategies.saga:Saga",
    "top_property": "plugins.nl.strategies.baselines:TopProperty",
    "word_overlap": "plugins.nl.strategies.baselines:WordOverlap",
}


def strategy(name: str) -> Strategy:
    """Return a strategy. Raises KeyError for a name that is not known."""
    module, _, made = STRATEGIES[name].partition(":")
    found: Strategy = getattr(importlib.import_module(module), made)()
    return found
