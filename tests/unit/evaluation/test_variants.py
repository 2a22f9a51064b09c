"""What --strategy and --ablate name."""

from __future__ import annotations

import pytest

from plugins.evaluation.variants import variants
from plugins.nl.contract import Switches
from proxy.errors import UsageError

KNOWN = ("keyless", "saga")


def names(strategies: str, *ablations: str) -> list[str]:
    return [each.name for each in variants(strategies, ablations, KNOWN, Switches())]


def test_each_strategy_stands_beside_its_variants() -> None:
    assert names("saga, keyless,saga") == ["saga", "keyless"]
    assert names("saga", "filter=off", "type_state=off,gate=no", "coverage=0.25", "mode=paper") == [
        "saga",
        "saga -filter",
        "saga -type_state -gate",
        "saga coverage=0.25",
        "saga mode=paper",
    ]
    assert names("saga,keyless", "gate=off", "gate=false") == ["saga", "saga -gate", "keyless", "keyless -gate"]


def test_switches_are_those_of_the_configuration_with_what_is_changed() -> None:
    configured = Switches(gate=False, coverage=0.5)
    base, other = variants("saga", ["filter=strict,hierarchy=off,gate=on,seed=7"], KNOWN, configured)
    assert base.switches == configured
    assert other.switches == Switches(filter="strict", hierarchy=False, gate=True, coverage=0.5, seed=7)
    assert other.name == "saga filter=strict -hierarchy +gate seed=7"


@pytest.mark.parametrize(
    ("strategies", "ablation", "said"),
    [
        ("sage", "", "did you mean saga"),
        ("saga,guess", "", "no guess"),
        ("", "", "there is no name"),
        ("saga", "typestate=off", "did you mean type_state"),
        ("saga", "filter=dmote", "did you mean demote"),
        ("saga", "gate=perhaps", "on or off"),
        ("saga", "coverage=1.5", "from 0 to 1"),
        ("saga", "coverage=nan", "from 0 to 1"),
        ("saga", "coverage=much", "from 0 to 1"),
        ("saga", "seed=1.5", "a whole number"),
        ("saga", "gate", "needs a value"),
        ("saga", "=off", "no switch ''"),
        ("saga", ",", "says nothing"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(strategies: str, ablation: str, said: str) -> None:
    with pytest.raises(UsageError) as error:
        names(strategies, *([ablation] if ablation else []))
    assert said in str(error.value)
