"""What a query text says, as far as a proxy needs to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from proxy.syntax.names import Name, names
from proxy.syntax.parts import Part
from proxy.syntax.patterns import Binding, TriplePattern
from proxy.syntax.problems import Position, Problem, position
from proxy.syntax.scopes import Scope
from proxy.syntax.targets import Service, Source
from proxy.syntax.tokens import spoken


class Form(StrEnum):
    """The kind of a request. OTHER is for forms that only some endpoint knows, such as Jena's JSON."""

    SELECT = "select"
    ASK = "ask"
    CONSTRUCT = "construct"
    DESCRIBE = "describe"
    UPDATE = "update"
    OTHER = "other"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tree:
    """What the grammar finds in a text. Trees are compared by identity.

    Shapes: ``normal`` is the normal form; ``prefixes`` are those that the text declares, the last declaration of
    each; ``volatile`` names functions whose answer changes from run to run; ``projection`` holds the variables of the
    outermost SELECT, None for ``*`` and for all other forms; ``aggregates`` and ``grouped`` are about that SELECT, too.
    """

    problem: Problem | None
    normal: str
    prefixes: Mapping[str, str]
    base: str | None
    patterns: tuple[TriplePattern, ...]
    scopes: tuple[Scope, ...]
    bindings: tuple[Binding, ...]
    parts: tuple[Part, ...]
    volatile: frozenset[str]
    projection: tuple[str, ...] | None
    aggregates: bool
    grouped: bool
    limit: int | None
    offset: int | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Syntax:
    """One text, read: its tokens at once, its tree when somebody first asks for a part of it.

    ``checked`` says that the grammar read all of it; else ``problem`` says where it stopped, ``patterns``, ``scopes``
    and ``bindings`` are those found up to there (whether they are required is then a guess), and the facts about the
    outermost SELECT are missing. What a gate needs (``form``, ``services``, ``datasets``, ``loads``, ``volatile``,
    ``pragmas``, prefixes) holds either way.

    Shapes: ``missing_prefixes`` are used but neither declared nor implied, ``borrowed_prefixes`` used and only implied;
    ``pragmas`` are the names after Virtuoso's DEFINE; the parts of the tree are described there.
    """

    text: str
    form: Form
    implied: Mapping[str, str]
    missing_prefixes: frozenset[str]
    borrowed_prefixes: frozenset[str]
    services: tuple[Service, ...]
    datasets: tuple[Source, ...]
    loads: tuple[Source, ...]
    pragmas: tuple[str, ...]
    grow: Callable[[], Tree] = field(repr=False)

    @cached_property
    def tree(self) -> Tree:
        """What the grammar finds; read once, and then the tokens are let go."""
        grow: Callable[[], Tree] = self.__dict__.pop("grow")
        return grow()

    @property
    def grown(self) -> bool:
        """Whether somebody has asked for the tree."""
        return "tree" in self.__dict__

    @property
    def is_update(self) -> bool:
        return self.form is Form.UPDATE

    @property
    def names(self) -> tuple[Name, ...]:
        """The prefixed names with their places and what they expand to; made anew at each call."""
        return names(self.text, self.implied)

    @property
    def checked(self) -> bool:
        return self.tree.problem is None

    @property
    def problem(self) -> Problem | None:
        return self.tree.problem

    @property
    def normal(self) -> str:
        return self.tree.normal

    @property
    def prefixes(self) -> Mapping[str, str]:
        return self.tree.prefixes

    @property
    def base(self) -> str | None:
        return self.tree.base

    @property
    def patterns(self) -> tuple[TriplePattern, ...]:
        return self.tree.patterns

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return self.tree.scopes

    @property
    def bindings(self) -> tuple[Binding, ...]:
        return self.tree.bindings

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.tree.parts

    @property
    def volatile(self) -> frozenset[str]:
        return self.tree.volatile

    @property
    def projection(self) -> tuple[str, ...] | None:
        return self.tree.projection

    @property
    def aggregates(self) -> bool:
        return self.tree.aggregates

    @property
    def grouped(self) -> bool:
        return self.tree.grouped

    @property
    def limit(self) -> int | None:
        return self.tree.limit

    @property
    def offset(self) -> int | None:
        return self.tree.offset

    def position(self, offset: int) -> Position:
        """Give line and column of an offset into the text."""
        return position(self.text, offset)

    def written(self, place: TriplePattern | Part) -> str:
        """Give the part of the text that a pattern or a part spans."""
        return self.text[place.start : place.end]

    def words(self, part: Part) -> tuple[str, ...]:
        """Give the words and signs of a part: keywords in capitals, all else as written; made anew at each call."""
        return spoken(self.written(part))
