"""RDF terms, variables and property paths as they stand in a query."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD = "http://www.w3.org/2001/XMLSchema#"


@dataclass(frozen=True, slots=True)
class Iri:
    """An IRI: resolved and expanded, or the prefixed name as written where its prefix is unknown."""

    value: str

    def __str__(self) -> str:
        return f"<{self.value}>"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable, without its ``?`` or ``$``."""

    name: str

    def __str__(self) -> str:
        return f"?{self.name}"


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank node. An anonymous one has a label in square brackets, which no written label can have."""

    label: str

    @property
    def anonymous(self) -> bool:
        return self.label.startswith("[")

    def __str__(self) -> str:
        return self.label if self.anonymous else f"_:{self.label}"


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal: its text with escapes undone, full datatype IRI, language tag and base direction as written."""

    value: str
    datatype: str = XSD + "string"
    language: str = ""
    direction: str = ""

    def __str__(self) -> str:
        text = self.value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
        if self.language:
            return f'"{text}"@{self.language}' + (f"--{self.direction}" if self.direction else "")
        return f'"{text}"' if self.datatype == XSD + "string" else f'"{text}"^^<{self.datatype}>'


@dataclass(frozen=True, slots=True)
class TripleTerm:
    """A triple used as a term. Source: SPARQL 1.2, TripleTerm."""

    subject: Term
    predicate: Iri | Variable
    object: Term

    def __str__(self) -> str:
        return f"<<( {self.subject} {self.predicate} {self.object} )>>"


@dataclass(frozen=True, slots=True)
class Inverse:
    """``^path``: from object to subject."""

    path: Path

    def __str__(self) -> str:
        return f"^{_part(self.path, Sequence, Alternative, Inverse)}"


@dataclass(frozen=True, slots=True)
class Sequence:
    """``a/b/c``: one step after the other."""

    steps: tuple[Path, ...]

    def __str__(self) -> str:
        return "/".join(_part(step, Sequence, Alternative) for step in self.steps)


@dataclass(frozen=True, slots=True)
class Alternative:
    """``a|b``: any of the options."""

    options: tuple[Path, ...]

    def __str__(self) -> str:
        return "|".join(_part(option, Alternative) for option in self.options)


@dataclass(frozen=True, slots=True)
class Repeat:
    """``path*``, ``path+``, ``path?``, ``path{low,high}``: ``high`` is None where there is no upper bound."""

    path: Path
    low: int
    high: int | None

    def __str__(self) -> str:
        usual = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((self.low, self.high))
        high = "" if self.high is None else self.high
        return _part(self.path, Sequence, Alternative, Inverse, Repeat) + (usual or f"{{{self.low},{high}}}")


@dataclass(frozen=True, slots=True)
class NegatedSet:
    """``!(a|^b)``: any predicate but these, each forwards or inverse."""

    members: tuple[Iri | Inverse, ...]

    def __str__(self) -> str:
        return "!(" + "|".join(map(str, self.members)) + ")"


Term = Iri | Variable | Blank | Literal | TripleTerm
Path = Iri | Inverse | Sequence | Alternative | Repeat | NegatedSet
Predicate = Path | Variable

RDF_TYPE = Iri(RDF + "type")
RDF_FIRST = Iri(RDF + "first")
RDF_REST = Iri(RDF + "rest")
RDF_NIL = Iri(RDF + "nil")
RDF_REIFIES = Iri(RDF + "reifies")


class Step(NamedTuple):
    """One property of a path.

    ``inverse`` is the direction in which the whole path uses it, ``required`` says that no match of the path can
    do without it (it is under no ``*``, ``?`` or alternative).
    """

    iri: Iri
    inverse: bool
    required: bool


def steps(predicate: Predicate) -> Iterator[Step]:
    """Yield the properties of a predicate in the order of walking from subject to object.

    A variable has none; the members of a negated set are what is *not* walked and are left out.
    """
    yield from _steps(predicate, inverse=False, required=True)


def _steps(predicate: Predicate, *, inverse: bool, required: bool) -> Iterator[Step]:
    match predicate:
        case Iri():
            yield Step(predicate, inverse, required)
        case Inverse(path):
            yield from _steps(path, inverse=not inverse, required=required)
        case Sequence(parts):
            for part in reversed(parts) if inverse else parts:
                yield from _steps(part, inverse=inverse, required=required)
        case Alternative(options):
            for option in options:
                yield from _steps(option, inverse=inverse, required=False)
        case Repeat(path, low, _):
            yield from _steps(path, inverse=inverse, required=required and low > 0)


def nullable(predicate: Predicate) -> bool:
    """Tell whether a path matches a node with itself, walking no edge at all."""
    match predicate:
        case Repeat(path, low, _):
            return low == 0 or nullable(path)
        case Inverse(path):
            return nullable(path)
        case Sequence(parts):
            return all(map(nullable, parts))
        case Alternative(options):
            return any(map(nullable, options))
        case _:
            return False


def _part(path: Path, *bracketed: type) -> str:
    """Write a part of a path, in brackets where it is of a kind that binds less."""
    return f"({path})" if isinstance(path, bracketed) else str(path)
