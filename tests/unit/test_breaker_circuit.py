from __future__ import annotations

import pytest

from plugins.breaker.budget import Budget
from plugins.breaker.circuit import Circuit, Mode, Pass


class Clock:
    """Time that passes when it is told."""

    def __init__(self) -> None:
        self.now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def circuit(clock: Clock) -> Circuit:
    return Circuit(3, 10.0, clock)


def _passed(circuit: Circuit) -> Pass:
    given = circuit.enter()
    assert given is not None
    return given


def _mode(circuit: Circuit) -> Mode:
    # A function, since what a property said a moment ago is no longer so.
    return circuit.mode


def _opened(circuit: Circuit) -> None:
    for _ in range(3):
        circuit.failed(_passed(circuit))


def test_so_many_failures_in_a_row_open_it(circuit: Circuit) -> None:
    for _ in range(2):
        circuit.failed(_passed(circuit))
    circuit.worked(_passed(circuit))
    for _ in range(2):
        circuit.failed(_passed(circuit))
    assert _mode(circuit) is Mode.CLOSED
    circuit.failed(_passed(circuit))
    assert _mode(circuit) is Mode.OPEN
    assert circuit.enter() is None


def test_what_says_nothing_neither_counts_nor_clears(circuit: Circuit) -> None:
    for _ in range(2):
        circuit.failed(_passed(circuit))
    for _ in range(50):
        circuit.learned_nothing(_passed(circuit))
    assert _mode(circuit) is Mode.CLOSED
    circuit.failed(_passed(circuit))
    assert _mode(circuit) is Mode.OPEN


def test_after_the_cool_off_one_probe_passes_and_its_answer_closes(circuit: Circuit, clock: Clock) -> None:
    _opened(circuit)
    clock.now += 9.0
    assert (circuit.enter(), circuit.remaining_s) == (None, 1.0)
    clock.now += 1.0
    assert _mode(circuit) is Mode.HALF_OPEN
    probe = _passed(circuit)
    assert probe.probe
    assert circuit.enter() is None
    circuit.worked(probe)
    assert _mode(circuit) is Mode.CLOSED
    assert not _passed(circuit).probe


def test_a_probe_that_fails_starts_the_cool_off_again(circuit: Circuit, clock: Clock) -> None:
    _opened(circuit)
    clock.now += 11.0
    circuit.failed(_passed(circuit))
    assert (_mode(circuit), circuit.remaining_s) == (Mode.OPEN, 10.0)


def test_a_probe_that_learns_nothing_lets_another_one_go(circuit: Circuit, clock: Clock) -> None:
    _opened(circuit)
    clock.now += 11.0
    circuit.learned_nothing(_passed(circuit))
    assert _passed(circuit).probe


def test_who_passed_before_the_opening_says_nothing_about_now(circuit: Circuit, clock: Clock) -> None:
    old = [_passed(circuit) for _ in range(9)]
    _opened(circuit)
    circuit.worked(old[0])
    assert _mode(circuit) is Mode.OPEN
    clock.now += 4.0
    circuit.failed(old[1])
    # The cool-off is not drawn out.
    assert circuit.remaining_s == 6.0
    clock.now += 7.0
    probe = _passed(circuit)
    circuit.learned_nothing(old[2])
    assert circuit.enter() is None
    circuit.worked(probe)
    for each in old[3:]:
        circuit.failed(each)
    assert _mode(circuit) is Mode.CLOSED


def test_doubts_are_reported_and_do_not_open_by_themselves(circuit: Circuit) -> None:
    assert [circuit.doubted(_passed(circuit)) for _ in range(4)] == [False, False, True, True]
    assert _mode(circuit) is Mode.CLOSED
    circuit.forgive()
    assert not circuit.doubted(_passed(circuit))


def test_a_sign_of_life_ends_the_cool_off_for_one_and_the_next_one_for_all(circuit: Circuit) -> None:
    _opened(circuit)
    circuit.revive()
    assert _mode(circuit) is Mode.HALF_OPEN
    circuit.go_silent()
    assert _mode(circuit) is Mode.OPEN
    circuit.revive()
    probe = _passed(circuit)
    assert probe.probe
    assert circuit.enter() is None
    circuit.revive()
    assert _mode(circuit) is Mode.CLOSED
    # The slow probe is no longer asked.
    circuit.failed(probe)
    assert _mode(circuit) is Mode.CLOSED


def test_the_longest_pause_stands(circuit: Circuit, clock: Clock) -> None:
    assert circuit.rest_s == 0.0
    circuit.rest(5.0)
    circuit.rest(2.0)
    assert circuit.rest_s == 5.0
    clock.now += 5.0
    assert circuit.rest_s == 0.0


def test_at_most_the_share_is_sent_twice_and_a_few_can_be_saved_up() -> None:
    budget = Budget(0.1)
    spent = 0
    for _ in range(1000):
        budget.earn()
        spent += budget.spend()
    assert 100 <= spent <= 101
    for _ in range(10_000):
        budget.earn()
    assert sum(budget.spend() for _ in range(100)) == 10


def test_no_share_is_no_retry() -> None:
    budget = Budget(0.0)
    budget.earn()
    assert not budget.spend()
