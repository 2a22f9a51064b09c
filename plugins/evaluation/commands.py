"""`saga evaluate`: strategies measured on questions with gold queries; and `lookup` and the guard."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from plugins.nl.strategies import STRATEGIES
from plugins.nl.switches import Switches
from proxy.contract import Context
from proxy.errors import UsageError

_EXAMPLE = """examples:
  saga evaluate run qald10.jsonl.gz --strategy keyless,saga --out runs/qald10 --config wikidata.toml
  saga evaluate run qald10.jsonl.gz --strategy saga --ablate filter=off --ablate coverage=0.5 --out runs/parts
  saga evaluate run qald10.jsonl.gz --strategy keyless --sample 50 --learned five-fold --out runs/taught --resume
  saga evaluate compare runs/before runs/after
  saga evaluate filter qald10.jsonl.gz
  saga evaluate guard qald10.jsonl.gz

Gold queries run on the same endpoint; a question whose gold query finds nothing there is left out, and counted. OUT
holds manifest.json, a file of outcomes for each strategy, traces/, plots/ and report.md. A run that was ended goes on
with --resume, and gives the same report.

exit code: 0 done, 1 nothing could be compared (compare: something changed; guard: a query with rows is blocked),
2 bad use or a full disk, 3 endpoint or model were gone and answers are missing"""
_SWITCHES = [each.name for each in fields(Switches)]
# What needs no model does without questions, too: their options may name a server that is not there.
_WITHOUT = frozenset(("plugins.nl",))


def commands(parser: argparse.ArgumentParser) -> None:
    """Declare the commands."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    each = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _declare_run(each.add_parser("run", help="answer questions, and compare with their gold queries"))
    _declare_compare(each.add_parser("compare", help="two runs: the questions that changed, and which is better"))
    _declare_filter(
        each.add_parser("filter", help="what lookup takes away, and whether it shows what gold queries need")
    )
    _declare_guard(each.add_parser("guard", help="what the guard says of gold queries, with rows and without"))


def _declare(command: argparse.ArgumentParser) -> None:
    # The same two that stand before the action; after it they may be said too.
    where = command.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE")
    where.add_argument("--server", default=argparse.SUPPRESS, metavar="URL")
    command.epilog = _EXAMPLE
    command.formatter_class = argparse.RawDescriptionHelpFormatter


def _declare_questions(command: argparse.ArgumentParser) -> None:
    _declare(command)
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help="questions with gold queries")
    command.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    command.add_argument(
        "--format", default="auto", metavar="F", help="format of the files; found out by their content"
    )
    command.add_argument("--limit", type=int, metavar="N", help="of each file the first N questions")
    command.add_argument("--sample", type=int, metavar="N", help="of each file N questions, drawn with --seed")
    command.add_argument("--seed", type=int, default=0, metavar="S", help="what --sample is drawn with")
    command.add_argument("--language", default="en", metavar="TAG", help="language of the questions")
    command.add_argument("--concurrency", type=int, default=2, metavar="N", help="questions at the same time; 2")


def _declare_run(command: argparse.ArgumentParser) -> None:
    _declare_questions(command)
    command.add_argument("--strategy", default="keyless", metavar="S[,S]", help=f"of {', '.join(STRATEGIES)}")
    command.add_argument(
        "--ablate", action="append", default=[], metavar="NAME=VALUE[,..]",
        help=f"each strategy also with these switches; give it again for another variant; of {', '.join(_SWITCHES)}",
    )  # fmt: skip
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the outcomes")
    command.add_argument("--resume", action="store_true", help="go on with the run that --out holds")
    command.add_argument(
        "--gold", choices=("endpoint", "file"), default="endpoint",
        help="gold answers: found now by the gold query, or as the file has them; endpoint",
    )  # fmt: skip
    command.add_argument("--seconds", type=float, metavar="S", help="for one question; that of `[nl]`")
    command.add_argument(
        "--retries", type=int, default=3, metavar="N",
        help="how often a question is asked again where endpoint or model are gone, after 1, 3, 9 ... seconds; 3",
    )  # fmt: skip
    command.add_argument(
        "--learned", default="none", metavar="HOW",
        help="words for properties: none, a folder of `saga search learn`, or five-fold: from the other questions here",
    )  # fmt: skip
    command.set_defaults(call=run)


def _declare_compare(command: argparse.ArgumentParser) -> None:
    command.epilog = _EXAMPLE
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.add_argument("one", metavar="A", help="folder of a run, or DIR:VARIANT for one of its variants")
    command.add_argument("other", metavar="B", help="the other one; the same folder compares two of its variants")
    # Two folders are all that it reads: no configuration, no endpoint.
    command.set_defaults(start=compared)


def _declare_filter(command: argparse.ArgumentParser) -> None:
    _declare_questions(command)
    command.add_argument("--out", type=Path, metavar="DIR", help="folder for filter.json; the report of a run has it")
    command.set_defaults(call=filtered, without=_WITHOUT)


def _declare_guard(command: argparse.ArgumentParser) -> None:
    _declare_questions(command)
    command.add_argument("--out", type=Path, metavar="DIR", help="folder for guard.jsonl and guard.md")
    command.set_defaults(call=guarded, without=_WITHOUT)


# What asks and counts is loaded only when it is wanted: `--help` must not wait for it.


async def run(context: Context, args: argparse.Namespace) -> int:
    """Answer, write outcomes, print figures. Raises UsageError, ConfigError."""
    from plugins.evaluation.assembly import assembled

    return await assembled(context, args, endpoint(context, args))


def compared(args: argparse.Namespace) -> int:
    """Print what differs between two runs; 1 where anything changed. Raises UsageError."""
    from plugins.evaluation.sidelines import compare

    return compare(args)


async def filtered(context: Context, args: argparse.Namespace) -> int:
    """Print the recall of `lookup` by mode; 1 where nothing could be looked up. Raises UsageError, ConfigError."""
    from plugins.evaluation.sidelines import filtering

    return await filtering(context, args, endpoint(context, args))


async def guarded(context: Context, args: argparse.Namespace) -> int:
    """Print what the guard says; 1 where it blocks a query with rows. Raises UsageError, ConfigError."""
    from plugins.evaluation.sidelines import guarding

    return await guarding(context, args, endpoint(context, args))


def endpoint(context: Context, args: argparse.Namespace) -> str:
    """Return the endpoint that is meant. Raises UsageError."""
    for name, least in (("limit", 1), ("sample", 1), ("concurrency", 1), ("retries", 0)):
        value = getattr(args, name, None)
        if value is not None and value < least:
            raise UsageError(f"--{name} must be at least {least}")
    found: str = args.endpoint or next(iter(context.endpoints))
    if found not in context.endpoints:
        raise UsageError(f"there is no endpoint {found!r}; there are {', '.join(context.endpoints)}")
    return found
