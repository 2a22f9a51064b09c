"""The parts of question answering that can be switched off, to measure what each is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from proxy.settings import key

# What `lookup` does with properties that do not fit the type. Source: specs/guard.md section 2.
Filter = Literal["strict", "closure", "demote", "off"]
Mode = Literal["default", "paper"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """Which parts of a strategy and its tools are on, for ablations.

    Shapes: ``mode`` is the published rule or ours; ``coverage`` is the share of the schema's records whose domain and
    range are known, drawn with ``seed``. Source: SAGA, Tables 5 and 6.
    """

    mode: Mode = key("rule of `saga`: default, or paper as it was published", "default")
    filter: Filter = key("what `lookup` does with properties that do not fit: strict, closure, demote or off", "demote")
    type_state: bool = key("whether types found early guide later steps", True)
    answer_prior: bool = key("whether the expected type of the answer ranks properties", True)
    hierarchy: bool = key("whether a class also fits where a class above it is declared", True)
    gate: bool = key("whether answers are checked and mended", True)
    guard: bool = key("whether queries that cannot match come back as `[BLOCKED]`", True)
    coverage: float = key("share of the properties whose domain and range `lookup` uses, from 0 to 1", 1.0)
    seed: int = key("seed by which the properties of `coverage` are drawn", 0)


ALL_ON = Switches()
