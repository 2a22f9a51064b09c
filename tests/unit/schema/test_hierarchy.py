"""The class hierarchy: closures, what is known, cycles, and bounds."""

from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from plugins.schema.container import Container, pack
from plugins.schema.hierarchy import MOST_SUPERCLASSES, Hierarchy, pack_hierarchy, reaching
from tests.unit.schema.small import WD, draft


def hierarchy(parents: list[list[int]], roots: list[int], closure_bytes: int = 2**20) -> Hierarchy:
    iris = [f"urn:{number}" for number in range(len(parents))]
    data = b"".join(pack({}, pack_hierarchy(iris, parents, reaching(roots, parents))))
    return Hierarchy(Container(memoryview(data), "a test"), closure_bytes)


def test_up_holds_the_class_and_all_above_it() -> None:
    found = draft().index().hierarchy
    assert {found.iri(number) for number in found.up(f"{WD}Q5")} == {WD + name for name in ("Q5", "Q215627", "Q35120")}
    assert found.is_under(f"{WD}Q5", f"{WD}Q215627")
    assert not found.is_under(f"{WD}Q215627", f"{WD}Q5")
    assert found.is_under(f"{WD}Q5", f"{WD}Q5")
    assert found.parents(f"{WD}Q5") == (f"{WD}Q215627",)


def test_a_class_is_known_where_a_path_reaches_the_root() -> None:
    found = draft().index().hierarchy
    assert found.known(f"{WD}Q5")
    assert found.known(f"{WD}Q35120")
    assert not found.known(f"{WD}Q900")
    assert not found.known(f"{WD}Q700")
    assert not found.known(f"{WD}Q1")


def test_one_path_is_enough() -> None:
    # 3 -> 1 -> 0 is a path to the root, 3 -> 2 ends nowhere.
    found = hierarchy([[], [0], [], [1, 2]], [0])
    assert found.known("urn:3")
    assert not found.known("urn:2")


def test_a_class_that_is_not_there_is_under_itself_only() -> None:
    found = draft().index().hierarchy
    assert found.number("urn:absent") is None
    assert found.up("urn:absent") == frozenset()
    assert found.is_under("urn:absent", "urn:absent")
    assert not found.is_under("urn:absent", f"{WD}Q35120")
    assert not found.is_under(f"{WD}Q5", "urn:absent")


def test_cycles_end() -> None:
    found = hierarchy([[2], [0], [1]], [])
    assert found.up("urn:0") == {0, 1, 2}
    assert not found.known("urn:0")
    assert hierarchy([[2], [0], [1]], [1]).known("urn:0")


def test_a_chain_without_end_is_cut_and_not_known() -> None:
    size = 3 * MOST_SUPERCLASSES
    found = hierarchy([[], *([number] for number in range(size))], [0])
    started = time.perf_counter()
    assert not found.known(f"urn:{size}")
    assert len(found.up(f"urn:{size}")) == MOST_SUPERCLASSES + 1
    assert time.perf_counter() - started < 1
    assert found.known(f"urn:{MOST_SUPERCLASSES - 1}")


def test_closures_stay_within_their_bytes() -> None:
    size = 700
    found = hierarchy([[], *([number] for number in range(size))], [0], closure_bytes=200_000)
    for number in range(size):
        assert len(found.up(f"urn:{number}")) == number + 1
    assert 0 < found._closures.currsize <= 200_000


parents = st.lists(st.lists(st.integers(0, 11), max_size=3), min_size=12, max_size=12)


@given(parents, st.sets(st.integers(0, 11), max_size=2))
def test_it_agrees_with_the_plain_definition(above: list[list[int]], roots: set[int]) -> None:
    found = hierarchy(above, sorted(roots))
    for number in range(12):
        closure = {number}
        for _ in range(12):
            closure |= {parent for each in closure for parent in above[each]}
        assert found.up(f"urn:{number}") == closure
        assert found.known(f"urn:{number}") == bool(closure & roots)


def test_ancestors_fill_only_where_superclasses_reach_no_root() -> None:
    made = draft()
    made.add_ancestors(f"{WD}Q700", [f"{WD}Q215627"])
    made.add_ancestors(f"{WD}Q5", [f"{WD}Q11424"])
    made.fill_gaps()
    found = made.index().hierarchy
    assert found.known(f"{WD}Q700")
    assert found.is_under(f"{WD}Q700", f"{WD}Q35120")
    assert not found.is_under(f"{WD}Q5", f"{WD}Q11424")


def test_ancestors_join_everywhere_where_asked() -> None:
    made = draft()
    made.add_ancestors(f"{WD}Q5", [f"{WD}Q11424"])
    made.join_ancestors()
    assert made.index().hierarchy.is_under(f"{WD}Q5", f"{WD}Q11424")
