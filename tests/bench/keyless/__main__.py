"""Fit the weights of `keyless`, and say how good they are.

    python -m tests.bench.keyless [--store wikidata-fair] [--simple N] [--web N]

On the shared halves of five benchmarks: QALD-7, -9-plus and -10 whole, of SimpleQuestions and WikiWebQuestions a sample
drawn with a fixed seed. Prints by data set the mean F1 of the first idea when its fold of questions was not fitted on,
the best that the enumerated ideas allow, how well confidence is calibrated, and the two tables of
plugins/nl/strategies/keyless/weights.py. They are put there by hand: a change of weights is a change of the code.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Mapping, Sequence

import numpy as np

from plugins.evaluation.lessons import FOLDS
from plugins.evaluation.records import Record, records
from plugins.nl.strategies.keyless.judging import NAMES
from tests.bench.keyless import fitting
from tests.bench.keyless.examples import Example, Examples, Numbers
from tests.bench.keyless.place import opened
from tests.bench.machine import headline
from tests.bench.stores import shared

_SEED = 7
_WHOLE = ("qald7", "qald9plus", "qald10")


def main(arguments: Sequence[str]) -> int:
    """Gather examples, fit twice, print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.keyless", description=__doc__)
    parser.add_argument("--store", default="wikidata-fair", help="a store of data/stores")
    parser.add_argument("--simple", type=int, default=1000, metavar="N", help="questions of SimpleQuestions")
    parser.add_argument("--web", type=int, default=1000, metavar="N", help="questions of WikiWebQuestions")
    options = parser.parse_args(arguments)
    print(headline("keyless: weights fitted on the shared halves"))
    examples = asyncio.run(_gathered(options))
    for name, given in (("without learned words", fitting.untaught(examples)), ("with learned words", examples)):
        print(f"\n{name}")
        _fit(given)
    return 0


async def _gathered(options: argparse.Namespace) -> list[Example]:
    chosen = [record for name in _WHOLE for record in _read(name)]
    for name, most in (("simplequestions-wikidata", options.simple), ("wikiwebquestions", options.web)):
        given = _read(name)
        chosen += random.Random(_SEED).sample(given, min(most, len(given)))
    async with opened(options.store) as context:
        return await Examples(context, chosen).all()


def _read(name: str) -> list[Record]:
    return records([shared() / "data" / "benchmarks" / f"{name}.jsonl.gz"])


def _fit(examples: Sequence[Example]) -> None:
    for dataset, unseen in _unseen(examples).items():
        own = [each for each in examples if each.dataset == dataset]
        best = np.mean([each.right.max() if each.right.size else 0.0 for each in own])
        print(f"  {dataset:26} n {len(own):5}  F1 {100 * unseen:5.1f}  at best {100 * best:5.1f}")
    fitted = fitting.weights(examples)
    coefficients = fitting.sure(examples, fitted)
    _calibration([each for each in examples if each.right.size], fitted, coefficients)
    for title, names, values in (("ideas", NAMES, fitted), ("sure", fitting.SURE, coefficients)):
        print(f"  {title}: " + ", ".join(f'"{key}": {value:.3g}' for key, value in zip(names, values, strict=True)))


def _unseen(examples: Sequence[Example]) -> Mapping[str, float]:
    """Return the mean F1 by data set, each fold under the weights that the others gave."""
    found: dict[str, list[float]] = {}
    for fold in range(FOLDS):
        fitted = fitting.weights([each for each in examples if each.fold != fold])
        for each in examples:
            if each.fold == fold:
                found.setdefault(each.dataset, []).append(fitting.first(each, fitted))
    return {dataset: float(np.mean(values)) for dataset, values in found.items()}


def _calibration(examples: Sequence[Example], fitted: Numbers, coefficients: Numbers) -> None:
    chances = fitting.chances(examples, fitted, coefficients)
    right = np.array([fitting.first(each, fitted) for each in examples])
    for low in np.arange(0, 1, 0.1):
        there = (chances >= low) & (chances < low + 0.1)
        if there.any():
            said = f"said {chances[there].mean():.2f}, is {right[there].mean():.2f}"
            print(f"  confidence {low:.1f} to {low + 0.1:.1f}: {there.sum():5} questions, {said}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
