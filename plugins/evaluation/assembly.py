"""What a command line says of a run, put together: questions, variants, lessons, journals, and the report."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from plugins.evaluation import fingerprints, results
from plugins.evaluation.answerers import Answerers, inside, lessons_of, options_of, outside
from plugins.evaluation.folder import held
from plugins.evaluation.manifest import begun, ended, manifest
from plugins.evaluation.oracle import Oracle, Truths
from plugins.evaluation.outcomes import Journal, Outcome
from plugins.evaluation.patience import Patience
from plugins.evaluation.records import Record, records
from plugins.evaluation.reporting.report import written
from plugins.evaluation.runner import Contestant, Runner
from plugins.evaluation.scoreboard import Scoreboard
from plugins.evaluation.variants import Variant, variants
from plugins.nl.options import NlOptions
from plugins.nl.strategies import STRATEGIES
from plugins.schema.findings import line
from proxy.contract import Context
from proxy.errors import UsageError

OK, NO_ANSWERS, UNAVAILABLE = 0, 1, 3
_SAID = ("limit", "sample", "seed", "format", "language", "gold", "learned")
_MOST_PROBLEM = 200


async def assembled(context: Context, args: argparse.Namespace, endpoint: str) -> int:
    """Run as the command line says. Raises UsageError, ConfigError."""
    options = options_of(context, args.seconds)
    chosen = variants(args.strategy, args.ablate, _known(args, options), options.switches)
    given = records(args.files, args.limit, format=args.format, sample=args.sample, seed=args.seed)
    if not given:
        raise UsageError("there are no questions in these files")
    described = manifest(context, endpoint, args.files, chosen, options, _said(args, given))
    async with _answerers(context, args, endpoint, options, chosen, given) as answerers:
        with held(args.out):
            document = begun(args.out, {**described, **await _how(context, args, endpoint)}, resume=args.resume)
            contestants = [
                Contestant(
                    variant=each,
                    journal=Journal(results.journal(args.out, each.name)),
                    asking=answerers[each.name],
                    patience=Patience(args.retries),
                )
                for each in chosen
            ]
            await _run(context, args, endpoint, given, contestants)
            return await asyncio.to_thread(_reported, args.out, document)


@asynccontextmanager
async def _answerers(
    context: Context,
    args: argparse.Namespace,
    endpoint: str,
    options: NlOptions,
    chosen: Sequence[Variant],
    given: Sequence[Record],
) -> AsyncIterator[Answerers]:
    if args.server:
        yield outside(context, args, chosen)
        return
    lessons = lessons_of(args.learned, context, endpoint, given)
    async with inside(context, endpoint, options, chosen, lessons, given[0]) as answerers:
        yield answerers


async def _run(
    context: Context,
    args: argparse.Namespace,
    endpoint: str,
    given: Sequence[Record],
    contestants: Sequence[Contestant],
) -> None:
    oracle = Oracle(context, endpoint)
    runner = Runner(
        folder=args.out,
        contestants=contestants,
        oracle=oracle,
        truth=Truths(oracle, args.gold).of,
        language=args.language,
        scoreboard=Scoreboard(),
        concurrency=args.concurrency,
        patience=Patience(args.retries),
    )
    try:
        await runner.run(given)
    except asyncio.CancelledError:
        sys.stderr.write(f"stopped; what is done is in {args.out}, and --resume goes on with it\n")
        raise


def _reported(folder: Path, document: dict[str, Any]) -> int:
    """Write the report, print the short table, and return the exit code. Raises UsageError."""
    found = results.read(folder)
    counted = sum(each.counts for each in found.every())
    left_out = {name: dict(found.left_out(name)) for name in found.datasets}
    ended(folder, document, counts={"outcomes": counted, "left_out": left_out})
    sys.stdout.write("\n".join(written(folder)) + "\n")
    if faults := [each for each in found.every() if each.problem and each.settled and each.counts]:
        sys.stderr.write(f"saga: {len(faults):,} answers met a fault: {line(faults[0].problem, _MOST_PROBLEM)}\n")
    if unsettled := found.unsettled():
        sys.stderr.write(_missing(unsettled) + "\n")
        return UNAVAILABLE
    return OK if counted else NO_ANSWERS


def _missing(unsettled: Sequence[Outcome]) -> str:
    """Say how many answers are missing, and the commonest reason."""
    (problem, _), *_ = Counter(each.problem for each in unsettled).most_common(1)
    why = line(problem, _MOST_PROBLEM) or "endpoint or model were gone"
    return f"saga: {len(unsettled):,} answers are missing, --resume asks again: {why}"


def _known(args: argparse.Namespace, options: NlOptions) -> list[str]:
    """Return the strategies that may be named; of a proxy that runs, only it knows."""
    if args.server:
        return [each.strip() for each in args.strategy.split(",") if each.strip()]
    return [*STRATEGIES, *options.strategies]


def _said(args: argparse.Namespace, given: Sequence[Record]) -> dict[str, Any]:
    """Return what the command line says of what is run, and the questions that come of it, in their order."""
    said = {name: getattr(args, name) for name in _SAID}
    path = Path(args.learned)
    if path.exists():
        files = sorted(each for each in (path.iterdir() if path.is_dir() else (path,)) if each.is_file())
        said["learned"] = {each.name: fingerprints.digest(each) for each in files}
    keys = json.dumps([(each.dataset, each.id) for each in given])
    return {**said, "questions": {"count": len(given), "sha256": hashlib.sha256(keys.encode()).hexdigest()}}


async def _how(context: Context, args: argparse.Namespace, endpoint: str) -> dict[str, Any]:
    """Return how the questions are run, and what is only noted: a graph that is not ours may grow meanwhile."""
    remote = context.tables[endpoint].store is None
    return {
        "code": await asyncio.to_thread(fingerprints.code),
        "concurrency": args.concurrency,
        "retries": args.retries,
        "triples": await Oracle(context, endpoint).triples() if remote else None,
    }
