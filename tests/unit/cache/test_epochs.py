from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.cache.epochs import Epochs


def test_epochs_only_grow_also_where_the_clock_goes_back() -> None:
    moments = iter([1_000, 500, 500, 2_000])
    epochs = Epochs(["up"], lambda: next(moments))
    assert [epochs.bump("up") for _ in range(4)] == [1_000, 1_001, 1_002, 2_000]


def test_the_greater_one_wins_and_what_others_lack_is_told() -> None:
    epochs = Epochs(["a", "b", "c"], lambda: 1_000)
    mine = epochs.bump("a")
    assert epochs.merge({"a": mine - 1, "b": 7, "c": 0}) == {"a": mine}
    assert [epochs.current(each) for each in "abc"] == [mine, 7, 0]


def test_where_nobody_has_an_epoch_a_new_one_begins() -> None:
    epochs = Epochs(["a"], lambda: 1_000)
    assert epochs.merge({"a": None}) == {"a": 1_000}
    assert epochs.merge({"a": None}) == {"a": 1_000}


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["bump", "look", "lose"])), max_size=40))
def test_workers_agree_in_the_end_and_nobody_goes_back(steps: list[tuple[int, str]]) -> None:
    moment = 0

    def tick() -> int:
        nonlocal moment
        moment += 1
        return moment

    workers = [Epochs(["up"], tick) for _ in range(3)]
    shared: int | None = None
    for which, step in [*steps, *((each, "look") for each in (0, 1, 2, 0, 1, 2))]:
        before = workers[which].current("up")
        if step == "bump":
            workers[which].bump("up")
        elif step == "lose":
            shared = None
        else:
            shared = workers[which].merge({"up": shared}).get("up", shared)
        assert workers[which].current("up") >= before
    assert len({each.current("up") for each in workers} | {shared}) == 1


def test_the_workers_of_one_proxy_share_their_epochs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    one, other = Epochs(["a", "b"]), Epochs(["b", "a"])
    begun = one.bump("a")
    assert [each.current(name) for each in (one, other) for name in "ab"] == [begun, 0, begun, 0]
    later = other.bump("a")
    assert later > begun
    assert one.current("a") == Epochs(["a"]).current("a") == later


def test_without_room_for_a_shared_number_a_worker_has_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "gone"))
    epochs = Epochs(["a"])
    assert epochs.bump("a") == epochs.current("a") > 0
