"""What a command line says of a run, put together: records, strategies, lessons, journals."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from plugins.evaluation.answering import Answering
from plugins.evaluation.lessons import FiveFold
from plugins.evaluation.manifest import held, manifest
from plugins.evaluation.outcomes import Journal
from plugins.evaluation.records import Record, records
from plugins.evaluation.runner import Lessons, Runner
from plugins.evaluation.tables import report
from plugins.nl.options import NlOptions
from plugins.nl.strategies import STRATEGIES
from plugins.schema.builders.progress import Progress
from plugins.search.learned import Learned
from proxy.contract import Context
from proxy.errors import UsageError


async def assembled(context: Context, args: argparse.Namespace, endpoint: str) -> int:
    """Run as the command line says. Raises UsageError, ConfigError."""
    strategies = _strategies(args.strategy)
    options = NlOptions(seconds=args.seconds)
    answering = Answering(context, endpoint, options)
    given = records(args.files, args.limit)
    lessons = _lessons(args.learned, context, endpoint, given)
    said = {name: getattr(args, name) for name in ("limit", "language", "learned", "seconds")}
    held(args.out, manifest(context, endpoint, args.files, said), resume=args.resume)
    journals = {name: Journal(args.out / f"{name}.jsonl") for name in strategies}
    await Runner(answering, args.language, Progress(), lessons).run(given, journals)
    lines = list(report(journals))
    (args.out / "report.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write("\n".join(lines) + "\n")
    return 0 if any(each.counts for journal in journals.values() for each in journal.outcomes.values()) else 1


def _strategies(text: str) -> list[str]:
    names = [each.strip() for each in text.split(",") if each.strip()]
    unknown = [name for name in names if name not in STRATEGIES]
    if unknown or not names:
        raise UsageError(f"--strategy: there is no {', '.join(unknown) or 'name'}; there are {', '.join(STRATEGIES)}")
    return list(dict.fromkeys(names))


def _lessons(how: str, context: Context, endpoint: str, given: list[Record]) -> Lessons:
    """Return what is known of words for each record. Raises UsageError, ConfigError."""
    if how == "none":
        return lambda record: None
    if how == "five-fold":
        return FiveFold(given, context, endpoint)
    path = Path(how)
    if not path.exists():
        raise UsageError(f"--learned takes none, five-fold or a folder of `saga search learn`; {how} is none of them")
    learned = Learned.open(path, context.tables[endpoint].graph)
    return lambda record: learned
