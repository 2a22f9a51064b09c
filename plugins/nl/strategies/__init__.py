"""The strategies, by name. Each is imported when it is first asked for."""

from __future__ import annotations

from collections.abc import Mapping

# From the name to the class, which is made without arguments.
STRATEGIES: Mapping[str, str] = {
    "keyless": "plugins.nl.strategies.keyless:Keyless",
    "saga": "plugins.nl.strategies.saga:Saga",
    "top_property": "plugins.nl.strategies.baselines:TopProperty",
    "word_overlap": "plugins.nl.strategies.baselines:WordOverlap",
}
