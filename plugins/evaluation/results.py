"""The outcomes of a run by variant and data set: what all tables and plots are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from plugins.evaluation import manifest
from plugins.evaluation.folder import safe
from plugins.evaluation.outcomes import Journal, Outcome
from proxy.errors import UsageError


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Outcomes by the variant's name, each list in the order of the questions, and what was run."""

    outcomes: Mapping[str, Sequence[Outcome]]
    manifest: Mapping[str, Any]

    @property
    def variants(self) -> list[str]:
        """The variants, in the order that they were named in."""
        return list(self.outcomes)

    @property
    def datasets(self) -> list[str]:
        """The data sets, in the order of the questions."""
        return list(dict.fromkeys(each.dataset for each in sorted(self.every(), key=lambda each: each.place)))

    def part(self, variant: str, dataset: str) -> list[Outcome]:
        """Return what counts of a variant and a data set."""
        return [each for each in self.outcomes[variant] if each.dataset == dataset and each.counts]

    def left_out(self, dataset: str) -> Counter[str]:
        """Return how many questions of a data set are left out, by reason; of several variants the most."""
        found: Counter[str] = Counter()
        for outcomes in self.outcomes.values():
            found |= Counter(each.left_out for each in outcomes if each.dataset == dataset and each.left_out)
        return found

    def every(self) -> Iterator[Outcome]:
        """Yield the outcomes of all variants."""
        return chain.from_iterable(self.outcomes.values())

    def unsettled(self) -> list[Outcome]:
        """Return the outcomes that another attempt may change: endpoint or model were gone."""
        return [each for each in self.every() if not each.settled]


def journal(folder: Path, variant: str) -> Path:
    """Return the file of a variant's outcomes."""
    return folder / f"{safe(variant)}.jsonl"


def read(folder: Path) -> Results:
    """Read the results of a folder. Raises UsageError for a folder that holds no run."""
    described = manifest.read(folder)
    if described is None:
        raise UsageError(f"{folder}: no run of `saga evaluate run` is there; it would have a {manifest.FILE}")
    names = described.get("variants")
    if not isinstance(names, Mapping):
        raise UsageError(f"{folder / manifest.FILE}: not a manifest of `saga evaluate run`")
    outcomes = {str(name): Journal(journal(folder, str(name))).outcomes for name in names}
    return Results(outcomes=outcomes, manifest=described)
