"""Readers that keep the statements they read, until somebody takes them."""

from __future__ import annotations

import re

from proxy.results.formats import Format
from proxy.results.ntriples_reader import NTriplesReader
from proxy.results.rdfxml_reader import RdfXmlReader
from proxy.results.state import State
from proxy.results.terms import Statement
from proxy.results.turtle_reader import TurtleReader
from proxy.results.turtle_terms import term_of


class NTriplesStatements(NTriplesReader):
    """Keep the statements of N-Triples."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.statements: list[Statement] = []

    def take_match(self, found: re.Match[bytes]) -> int:
        """Keep a statement that was swallowed."""
        subject, predicate, object_ = found.groups()
        if subject is None:
            return 0
        self.statements.append((term_of(subject.decode()), term_of(predicate.decode()), term_of(object_.decode())))
        return 1

    def take_statement(self, triple: Statement) -> None:
        """Keep a statement."""
        self.statements.append(triple)


class TurtleStatements(TurtleReader):
    """Keep the statements of Turtle."""

    swallows = False

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.statements: list[Statement] = []

    def take_statement(self, statement: Statement) -> None:
        """Keep a statement."""
        self.statements.append(statement)


class RdfXmlStatements(RdfXmlReader):
    """Keep the statements of RDF/XML."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.statements: list[Statement] = []

    def take_statement(self, statement: Statement) -> None:
        """Keep a statement."""
        self.statements.append(statement)


STATEMENT_READERS: dict[Format, type[NTriplesStatements | TurtleStatements | RdfXmlStatements]] = {
    Format.NTRIPLES: NTriplesStatements,
    Format.TURTLE: TurtleStatements,
    Format.RDFXML: RdfXmlStatements,
}
