"""The strategies that a configuration offers: those that are built in, and those of others by dotted path."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from plugins.nl.contract import Strategy
from plugins.nl.strategies import STRATEGIES
from proxy.errors import BadRequest, ConfigError


class Roster:
    """Know the strategies by name; those that the configuration names are made at the start, others when asked for.

    A request can only name what stands here: no caller chooses what is imported.
    """

    def __init__(self, more: Mapping[str, str], default: str) -> None:
        """Take further strategies, as `module:Class` by name. Raises ConfigError for one that cannot be made.

        ``default`` is the one of requests that name none.
        """
        self._places = {**STRATEGIES, **more}
        self._default = default
        self._made: dict[str, Strategy] = {}
        mistakes = []
        for key, name in [("nl.strategy", default), *((f"nl.strategies.{each}", each) for each in more)]:
            try:
                self.strategy(name)
            except BadRequest as error:
                mistakes.append(f"{key}: {error.detail}")
        if mistakes:
            raise ConfigError(*dict.fromkeys(mistakes))

    def strategy(self, name: str = "") -> Strategy:
        """Return a strategy, the default one where none is named. Raises BadRequest."""
        name = name or self._default
        if name not in self._places:
            raise BadRequest(f"There is no strategy {name[:100]!r}; there are {', '.join(self._places)}.")
        if name not in self._made:
            self._made[name] = _made(name, self._places[name])
        return self._made[name]


def _made(name: str, place: str) -> Strategy:
    module, _, kind = place.partition(":")
    try:
        made: Strategy = getattr(importlib.import_module(module), kind)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        detail = f"The strategy {name!r} cannot be used here: {place!r} is no `package.module:Class` that can be made."
        raise BadRequest(f"{detail} {error}") from error
    return made
