"""`saga evaluate`: what strategies answer to questions with gold queries, and what `lookup` shows."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from plugins.nl.strategies import STRATEGIES
from proxy.contract import Context
from proxy.errors import UsageError

_EXAMPLE = """examples:
  saga evaluate run qald10.jsonl.gz --strategy keyless,top_property --out runs/qald10 --config wikidata.toml
  saga evaluate run qald10.jsonl.gz --strategy keyless --learned five-fold --out runs/taught --resume
  saga evaluate filter qald10.jsonl.gz

A file has one JSON object a line, with `question` (a text, or texts by language) and `sparql`; `id`, `dataset` and
`group` where there are any. Gold queries run on the same endpoint; a question whose gold query finds nothing there is
left out. OUT holds manifest.json and one file of outcomes for each strategy."""
# It makes answers of its own, with options that the manifest tells, whatever the configuration says of /nl.
WITHOUT = frozenset(("plugins.nl",))


def commands(parser: argparse.ArgumentParser) -> None:
    """Declare the commands."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(without=WITHOUT)
    each = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _declare_run(each.add_parser("run", help="answer questions, and compare with their gold queries"))
    _declare_filter(each.add_parser("filter", help="whether lookup shows the property that a gold query needs"))


def _declare(command: argparse.ArgumentParser) -> None:
    # The same two that stand before the action; after it they may be said too.
    where = command.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE")
    where.add_argument("--server", default=argparse.SUPPRESS, metavar="URL")
    command.epilog = _EXAMPLE
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help="questions with gold queries")
    command.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    command.add_argument("--limit", type=int, metavar="N", help="of each file the first N questions")
    command.add_argument("--language", default="en", metavar="TAG", help="language of the questions")


def _declare_run(command: argparse.ArgumentParser) -> None:
    _declare(command)
    command.add_argument("--strategy", default="keyless", metavar="S[,S]", help=f"of {', '.join(STRATEGIES)}")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the outcomes")
    command.add_argument("--resume", action="store_true", help="go on with the run that --out holds")
    command.add_argument("--seconds", type=float, default=60.0, metavar="S", help="for one question")
    command.add_argument(
        "--learned", default="none", metavar="HOW",
        help="words for properties: none, a folder of `saga search learn`, or five-fold: from the other questions here",
    )  # fmt: skip
    command.set_defaults(call=run)


def _declare_filter(command: argparse.ArgumentParser) -> None:
    _declare(command)
    command.set_defaults(call=filtered)


async def run(context: Context, args: argparse.Namespace) -> int:
    """Answer, write outcomes, print figures. Raises UsageError, ConfigError; 1 where no question has an answer here."""
    # What asks and counts is loaded only when it is wanted: `--help` must not wait for it.
    from plugins.evaluation.assembly import assembled

    return await assembled(context, args, endpoint(context, args))


async def filtered(context: Context, args: argparse.Namespace) -> int:
    """Print the recall of `lookup` by mode. Raises UsageError, ConfigError; 1 where nothing could be looked up."""
    from plugins.evaluation.filtering import LINES, MODES, Filtering
    from plugins.evaluation.records import records
    from plugins.schema.builders.progress import Progress

    filtering = Filtering(context, endpoint(context, args))
    await filtering.read(records(args.files, args.limit), args.language, Progress())
    head = "".join(f"  recall@{each} (lines)" for each in LINES)
    sys.stdout.write(f"{'mode':8} {'n':>6} {'lines':>6}{head}\n")
    for mode in MODES:
        found = filtering.found[mode]
        figures = "".join(f"  {100 * found.recall(each):6.1f} % ({found.shown(each):4.1f}) " for each in LINES)
        whole = sum(found.lines) / max(1, len(found.lines))
        sys.stdout.write(f"{mode:8} {len(found.places):6,} {whole:6.1f}{figures}\n")
    return 0 if filtering.found["off"].places else 1


def endpoint(context: Context, args: argparse.Namespace) -> str:
    """Return the endpoint that is meant. Raises UsageError."""
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit must be at least 1")
    name: str = args.endpoint or next(iter(context.endpoints))
    if name not in context.endpoints:
        raise UsageError(f"there is no endpoint {name!r}; there are {', '.join(context.endpoints)}")
    return name
