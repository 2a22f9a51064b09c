"""Verdicts: kept as long as their facts count, within a bound of bytes."""

from __future__ import annotations

from plugins.schema.findings import Finding, Named, Report
from plugins.schema.verdicts import Key, Verdict, Verdicts
from proxy.contract import Dataset
from tests.unit.schema.test_facts import Clock

REPORT = Report(checked=True)


def key(text: str, dataset: tuple[str, ...] = (), source: str = "client") -> Key:
    return Key(text.encode(), Dataset(default=dataset), source)


def finding(number: int) -> Finding:
    return Finding(
        code="domain",
        severity="warn",
        line=1,
        column=1,
        start=number,
        end=number + 1,
        pattern="s p o",
        prop=Named(id="P1"),
        reason="why",
    )


def test_a_verdict_ends_with_the_oldest_answer_below_it() -> None:
    clock = Clock()
    verdicts = Verdicts(clock, 300.0)
    verdicts.keep(key("a"), Verdict(REPORT, whole=True, since=clock.now - 299.0))
    verdicts.keep(key("b"), Verdict(REPORT, whole=True, since=clock.now))
    assert verdicts.get(key("a")) is not None
    clock.now += 1.0
    assert verdicts.get(key("a")) is None
    assert verdicts.get(key("b")) is not None
    verdicts.forget()
    assert verdicts.get(key("b")) is None


def test_a_verdict_below_which_an_answer_is_missing_is_not_kept() -> None:
    verdicts = Verdicts(Clock(), 300.0)
    verdicts.keep(key("a"), Verdict(REPORT, whole=False, since=None))
    assert verdicts.get(key("a")) is None


def test_a_verdict_is_of_one_text_one_dataset_and_one_kind_of_asker() -> None:
    clock = Clock()
    verdicts = Verdicts(clock, 300.0)
    verdicts.keep(key("a"), Verdict(REPORT, whole=False, since=clock.now))
    for other in (key("b"), key("a", ("http://e.org/g",)), key("a", source="nl")):
        assert verdicts.get(other) is None


def test_the_bytes_of_all_verdicts_are_bounded() -> None:
    clock = Clock()
    verdicts = Verdicts(clock, 300.0, kept_bytes=100_000)
    for number in range(1_000):
        verdicts.keep(key(f"{number}"), Verdict(REPORT, whole=False, since=clock.now))
    kept = [number for number in range(1_000) if verdicts.get(key(f"{number}"))]
    assert kept == list(range(1_000 - len(kept), 1_000))
    assert len(kept) <= 100
    large = Report(checked=True, findings=tuple(map(finding, range(100))))
    verdicts.keep(key("large"), Verdict(large, whole=False, since=clock.now))
    assert verdicts.get(key("large")) is None
    assert verdicts.get(key("999")) is not None
