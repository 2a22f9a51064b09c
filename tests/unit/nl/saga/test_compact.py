"""TypeFilter by Eq. 3 and by the class hierarchy, and what the expected answer does to the order."""

from __future__ import annotations

from plugins.nl.strategies.saga.compact import keeping, preferring, type_filter
from plugins.nl.tools import Neighbourhood
from plugins.nl.tools.lookup import Line
from plugins.schema.index import Index
from plugins.schema.order import Edge, Ordered
from tests.saga import WD

STATE, COUNTRY = f"{WD}Q3624078", f"{WD}Q6256"


def around(index: Index, *names: str, conflicts: tuple[str, ...] = (), shown: int = 20) -> Neighbourhood:
    records = [record for name in names if (record := index.property(name)) is not None]
    assert len(records) == len(names)
    edges = tuple(Edge(property=record, conflicts=record.id in conflicts) for record in records)
    return Neighbourhood(
        iri=f"{WD}Q212",
        types=(STATE,),
        out={record.id: Line(property=record, conflicts=record.id in conflicts) for record in records},
        ordered=Ordered(shown=edges[:shown], folded=edges[shown:]),
    )


def test_eq_3_removes_a_declared_domain_that_shares_no_type_and_nothing_else(index: Index) -> None:
    found = type_filter(around(index, "P607", "P36", "P18", "P571"), [STATE, COUNTRY], "strict")
    assert set(found.out) == {"P36", "P18", "P571"}
    assert found.removed == 1
    # Without the hierarchy a state is no country.
    assert set(type_filter(around(index, "P607", "P36", "P18"), [STATE], "strict").out) == {"P18"}


def test_eq_3_is_skipped_where_no_type_is_known(index: Index) -> None:
    assert set(type_filter(around(index, "P607", "P36"), [], "strict").out) == {"P607", "P36"}


def test_closure_removes_what_conflicts(index: Index) -> None:
    assert set(type_filter(around(index, "P607", "P36", conflicts=("P607",)), [STATE], "closure").out) == {"P36"}


def test_the_modes_that_rank_remove_nothing(index: Index) -> None:
    found = around(index, "P607", "P36", conflicts=("P607",))
    assert type_filter(found, [STATE], "demote") == type_filter(found, [STATE], "off") == found


def test_what_is_removed_makes_place_for_what_was_folded(index: Index) -> None:
    found = keeping(around(index, "P607", "P36", "P18", "P571", shown=2), lambda line: line.property.id != "P607")
    assert [edge.property.id for edge in found.ordered.shown] == ["P36", "P18", "P571"]
    assert found.ordered.folded == ()
    assert found.edges == {"seen": 4, "shown": 3, "folded": 0, "demoted": 0, "removed": 1}


def test_what_leads_to_the_answer_stands_further_up_and_nothing_is_lost(index: Index) -> None:
    names = ("P18", "P571", "P17", "P1082", "P36")
    found = preferring(around(index, *names, shown=3), lambda record: record.id == "P36")
    order = [edge.property.id for edge in (*found.ordered.shown, *found.ordered.folded)]
    # From the fifth place to half of it.
    assert order == ["P18", "P571", "P17", "P36", "P1082"]
    assert len(found.ordered.shown) == 3


def test_what_conflicts_is_not_moved_up(index: Index) -> None:
    found = preferring(around(index, "P18", "P571", "P36", conflicts=("P36",)), lambda record: record.id == "P36")
    assert [edge.property.id for edge in found.ordered.shown] == ["P18", "P571", "P36"]
