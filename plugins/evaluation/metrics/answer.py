"""An answer as it is compared: rows of values, without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from plugins.evaluation.metrics.values import Value, value
from plugins.nl.contract import Table

Row = tuple[Value, ...]
_LABELS = ("Label", "AltLabel", "Description")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a query answered.

    Shapes: ``rows`` have a value for each of ``names`` and may repeat; a row without any value is none. A Boolean is
    one row of one value, `true` or `false`, and ``boolean`` tells that it is one. ``columns`` are the values of all
    columns, those of labels too.
    """

    names: tuple[str, ...]
    rows: tuple[Row, ...]
    columns: tuple[frozenset[Value], ...]
    boolean: bool = False

    @classmethod
    def of(cls, table: Table) -> Self:
        """Read a table.

        Columns named like those of the label service (`?xLabel`, `?xDescription`) are left out, unless there are no
        others. Source: SPINACH's evaluation, which leaves them out of the gold answer.
        """
        if table.boolean is not None:
            said: Value = str(table.boolean).lower()
            return cls(names=("",), rows=((said,),), columns=(frozenset((said,)),), boolean=True)
        whole = [tuple(value(cell) for cell in row) for row in table.rows]
        columns = tuple(frozenset(each) - {None} for each in zip(*whole, strict=True))
        places = [place for place, name in enumerate(table.variables) if not name.endswith(_LABELS)]
        places = places or list(range(len(table.variables)))
        kept = (tuple(row[place] for place in places) for row in whole)
        rows = tuple(row for row in kept if any(each is not None for each in row))
        return cls(names=tuple(table.variables[place] for place in places), rows=rows, columns=columns)

    @property
    def first(self) -> frozenset[Value]:
        """The values of the first column that has any, labels aside."""
        for column in zip(*self.rows, strict=True):
            if found := frozenset(column) - {None}:
                return found
        return frozenset()
