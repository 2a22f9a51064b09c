"""Clauses, columns and conditions: where they stand, for whoever edits a text."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from proxy.syntax.scopes import Scope


class PartKind(StrEnum):
    """What a part is: a clause by its first word, or a piece of one."""

    SELECT = "select"
    ASK = "ask"
    COLUMN = "column"
    GROUP = "group"
    HAVING = "having"
    ORDER = "order"
    CONDITION = "condition"
    LIMIT = "limit"
    OFFSET = "offset"
    VALUES = "values"
    FILTER = "filter"
    BIND = "bind"


class Part(NamedTuple):
    """One clause, column, condition, FILTER or BIND as it stands in the text.

    Shapes: ``scope`` is the group that it stands in, None for the clauses of the query itself; columns and conditions
    (of GROUP BY and ORDER BY) stand within their clause; ``name`` is the variable of a column or a BIND.

    Units: ``start`` and ``end`` are offsets into the original text, from the first word of the part to its end.
    """

    kind: PartKind
    scope: Scope | None
    start: int
    end: int
    name: str = ""
