"""What a query text says, as far as a proxy needs to know."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from proxy.syntax.names import Name, names
from proxy.syntax.patterns import Binding, TriplePattern
from proxy.syntax.problems import Position, Problem, position
from proxy.syntax.scopes import Scope
from proxy.syntax.targets import Service, Source


class Form(StrEnum):
    """The kind of a request. OTHER is for forms that only some endpoint knows, such as Jena's JSON."""

    SELECT = "select"
    ASK = "ask"
    CONSTRUCT = "construct"
    DESCRIBE = "describe"
    UPDATE = "update"
    OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False)
class Syntax:
    """One text, read.

    ``checked`` says that the grammar read all of it; else ``problem`` says where it stopped, ``patterns``, ``scopes``
    and ``bindings`` are those found up to there (whether they are required is then a guess), and the facts about the
    outermost SELECT are missing. All that a gate needs (``form``, ``services``, ``datasets``, ``loads``, ``volatile``,
    ``pragmas``, prefixes) is found without the grammar and holds either way.

    Shapes: ``normal`` is the normal form; ``prefixes`` are those that the text declares, the last declaration of
    each; ``missing_prefixes`` are used but neither declared nor implied, ``borrowed_prefixes`` used and only implied;
    ``volatile`` names functions whose answer changes from run to run; ``pragmas`` are the names after Virtuoso's
    DEFINE; ``projection`` holds the variables of the outermost SELECT, None for ``*`` and for all other forms;
    ``aggregates`` and ``grouped`` are about that SELECT, too. Trees are compared by identity.
    """

    text: str
    form: Form
    checked: bool
    problem: Problem | None
    normal: str
    prefixes: Mapping[str, str]
    base: str | None
    implied: Mapping[str, str]
    missing_prefixes: frozenset[str]
    borrowed_prefixes: frozenset[str]
    patterns: tuple[TriplePattern, ...]
    scopes: tuple[Scope, ...]
    bindings: tuple[Binding, ...]
    services: tuple[Service, ...]
    datasets: tuple[Source, ...]
    loads: tuple[Source, ...]
    volatile: frozenset[str]
    pragmas: tuple[str, ...]
    projection: tuple[str, ...] | None
    aggregates: bool
    grouped: bool
    limit: int | None
    offset: int | None

    @property
    def is_update(self) -> bool:
        return self.form is Form.UPDATE

    @property
    def names(self) -> tuple[Name, ...]:
        """The prefixed names with their places and what they expand to; made anew at each call."""
        return names(self.text, self.implied)

    def position(self, offset: int) -> Position:
        """Give line and column of an offset into the text."""
        return position(self.text, offset)

    def written(self, pattern: TriplePattern) -> str:
        """Give the part of the text that a pattern spans."""
        return self.text[pattern.start : pattern.end]
