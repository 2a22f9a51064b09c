"""How good an answer is: pure figures over two tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plugins.evaluation.metrics.answer import Answer
from plugins.evaluation.metrics.rowwise import rowwise_f1
from plugins.evaluation.metrics.tuples import common
from plugins.nl.contract import Table

__all__ = ["Scores", "macro_f1_qald", "scores"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """How good one answer is.

    Shapes: ``f1``, ``exact``, ``precision`` and ``recall`` are over sets of tuples; ``column_f1`` and ``column_exact``
    over gold's first column with values and the column of the answer that matches it best; ``rowwise_f1`` pairs rows.
    ``qald_f1`` is ``f1`` with QALD's rules for empty answers; of a run, publish `macro_f1_qald`, which stands on
    ``qald_precision`` and ``qald_recall``, and not the mean of ``qald_f1``.
    Units: shares from 0 to 1.
    """

    f1: float = 0.0
    exact: bool = False
    column_f1: float = 0.0
    column_exact: bool = False
    rowwise_f1: float = 0.0
    qald_f1: float = 0.0
    precision: float = 0.0
    recall: float = 0.0
    qald_precision: float = 0.0
    qald_recall: float = 0.0


def scores(gold: Table, given: Table | None) -> Scores:
    """Compare an answer with gold; None where nothing was answered.

    Give whole tables: rows that a table only counts are not compared. Numbers, dates and texts are equal by what they
    mean (`metrics.values`), rows count once but in ``rowwise_f1``, and the order of columns does not matter
    (`metrics.tuples`). An empty answer has F1 0, also for an empty gold, which a run leaves out.
    Source: SAGA, Eq. 4 and 5, "an empty prediction yields F1 = 0"; for QALD see `macro_f1_qald`.
    """
    wanted, found = Answer.of(gold), Answer.of(given or Table())
    shared, size, other = common(wanted, found)
    column, one, best = _column(wanted, found)
    qald = _qald(shared, size, other)
    return Scores(
        f1=_f1(shared, size, other),
        exact=0 < shared == size == other,
        column_f1=_f1(column, one, best),
        column_exact=0 < column == one == best,
        rowwise_f1=0.0 if given is None else rowwise_f1(wanted, found),
        qald_f1=_f1(shared, size, other) if size or other else 1.0,
        precision=shared / other if other else 0.0,
        recall=shared / size if size else 0.0,
        qald_precision=qald[0],
        qald_recall=qald[1],
    )


def macro_f1_qald(each: Iterable[Scores]) -> float:
    """Return the Macro F1 QALD of a run: the harmonic mean of mean precision and mean recall, not a number for none.

    No answer where gold has one counts as precision 1 and recall 0; none where gold has none as 1 and 1; an answer
    where gold has none as 0 and 0.
    Source: GERBIL QA's F-measure calculator; Usbeck et al., QALD-9 challenge, 2018. The prose of the QALD-10
    challenge says precision 0 for no answer, which would make this the harmonic mean of the plain means.
    """
    taken = [(one.qald_precision, one.qald_recall) for one in each]
    if not taken:
        return float("nan")
    precision, recall = (sum(column) / len(taken) for column in zip(*taken, strict=True))
    return _harmonic(precision, recall)


def _column(gold: Answer, given: Answer) -> tuple[int, int, int]:
    """Return what gold's first column and the best one share, and their sizes."""
    wanted = gold.first
    choices = [(len(wanted & column), len(wanted), len(column)) for column in given.columns]
    return max(choices, key=lambda choice: _f1(*choice), default=(0, len(wanted), 0))


def _f1(shared: int, size: int, other: int) -> float:
    return 2 * shared / (size + other) if shared else 0.0


def _qald(shared: int, size: int, other: int) -> tuple[float, float]:
    if not other:
        return 1.0, float(not size)
    return shared / other, shared / size if size else 0.0


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
