"""`saga check`: a query against the schema index, with the faulty pattern underlined."""

from __future__ import annotations

import argparse
import asyncio
import datetime
import json
import sys
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

import aiohttp

from plugins.schema.commands import WITHOUT
from plugins.schema.facts import Budget, Facts
from plugins.schema.findings import Report, line
from plugins.schema.index import MAX_AGE_DAYS, Index
from plugins.schema.judge import Judgement
from plugins.schema.vocabulary import vocabulary
from proxy.contract import Context
from proxy.errors import BadQuery, UpstreamFailed, UsageError
from proxy.syntax import Syntax, read

OK, NOT_OK, UNAVAILABLE, NOT_CHECKED = 0, 1, 3, 4
# A person waits longer than a query does.
_PATIENT = Budget(types_s=5.0, ask_s=5.0)
_COLOURS = {"block": "\x1b[31m", "warn": "\x1b[33m", "note": "\x1b[36m"}
_PLAIN = "\x1b[0m"
_NO_INDEX = (
    "no schema index: `saga schema build --out FILE` makes one, and the endpoint's `schema` key or --index names it"
)
_ALONE = "the index alone was asked, so the types of constants are unknown; --endpoint names the graph to ask"


def commands(parser: argparse.ArgumentParser) -> None:
    """Add the words of the command."""
    parser.add_argument(
        "file", nargs="?", default="-", metavar="FILE", help="file with the query; - reads it from here"
    )
    parser.add_argument(
        "--endpoint", metavar="NAME", help="an endpoint of the configuration, which is asked to verify; the first one"
    )
    parser.add_argument(
        "--index",
        type=Path,
        metavar="FILE",
        help="another index than that of the endpoint's `schema` key; without --endpoint nothing is verified",
    )
    parser.add_argument("--json", action="store_true", help="print what /validate answers")
    parser.epilog = (
        "example: echo 'SELECT ?d { wd:Q142 wdt:P569 ?d }' | saga check -   (exit code: 0 ok, 1 not ok, 2 bad use, "
        "3 no answer from --server, 4 not or not wholly checked)"
    )
    parser.set_defaults(call=check, without=WITHOUT)


async def check(context: Context, args: argparse.Namespace) -> int:
    """Check one query and print what was found. Raises UsageError, ConfigError for an index that cannot be read."""
    text = await asyncio.to_thread(_text, args.file)
    try:
        document = await _document(context, args, text)
    except UpstreamFailed as error:
        print(f"saga: {error.detail}", file=sys.stderr)
        return UNAVAILABLE
    if args.json:
        print(json.dumps(document, ensure_ascii=False, indent=2))
    else:
        print_report(document, text, sys.stdout)
    if document["checked"] and not document["ok"]:
        return NOT_OK
    # Nothing was found, and perhaps not everything was looked at.
    return NOT_CHECKED if _left_out(document) or not document["checked"] else OK


async def _document(context: Context, args: argparse.Namespace, text: str) -> dict[str, Any]:
    """Return what /validate would. Raises UsageError, ConfigError, UpstreamFailed."""
    if getattr(args, "server", None):
        return await _remote(args.server, args.endpoint, text)
    endpoint = args.endpoint or next(iter(context.endpoints))
    if endpoint not in context.endpoints:
        raise UsageError(f"there is no endpoint {endpoint!r}; there are {', '.join(context.endpoints)}")
    path = args.index or context.tables[endpoint].schema
    if path is None:
        return Report(checked=False, reason=_NO_INDEX).document()
    index = await asyncio.to_thread(Index.open, path)
    try:
        syntax = read(text, prefixes=context.prefixes[endpoint])
    except BadQuery as error:
        return Report(checked=False, reason=error.detail).document()
    note = index.aged(MAX_AGE_DAYS, datetime.datetime.now(datetime.UTC))
    # An index that was named may be of another graph than the configured endpoint, which must not verify it then.
    if args.index and not args.endpoint:
        return replace(await _alone(syntax, index), note=note).document()
    return replace(await _asked(context, endpoint, syntax, index), note=note).document()


async def _alone(syntax: Syntax, index: Index) -> Report:
    """Judge by the index, without an endpoint: nothing is verified."""
    report = await Judgement(syntax, index).schema()
    return replace(report, reason=report.reason or _ALONE)


async def _asked(context: Context, endpoint: str, syntax: Syntax, index: Index) -> Report:
    """Judge with what the endpoint says."""
    facts = Facts(context.run, endpoint, vocabulary(index.graph), _PATIENT, context.clock)
    try:
        judgement = Judgement(syntax, index, facts)
        report = await judgement.absence(await judgement.schema())
    finally:
        await facts.aclose()
    if not report.checked or not report.reason:
        return report
    health = await context.endpoints[endpoint].health()
    return (
        report if health.ok else replace(report, reason=f"the endpoint {endpoint!r} cannot be asked: {health.detail}")
    )


async def _remote(server: str, endpoint: str | None, text: str) -> dict[str, Any]:
    """Let a proxy that runs do it. Raises UsageError, UpstreamFailed where nothing answers."""
    url = f"{server.rstrip('/')}/validate" + (f"/{quote(endpoint, safe='')}" if endpoint else "")
    try:
        async with aiohttp.ClientSession() as session, session.post(url, data={"query": text}) as reply:
            document: dict[str, Any] = await reply.json(content_type=None)
    except (aiohttp.ClientConnectionError, TimeoutError) as error:
        raise UpstreamFailed(f"{url} does not answer: {error}") from None
    except (aiohttp.ClientError, ValueError) as error:
        raise UsageError(f"{url}: {error}") from None
    if not isinstance(document, dict) or "checked" not in document:
        detail = document.get("detail") if isinstance(document, dict) else None
        raise UsageError(f"{url}: {line(str(detail or 'this is no proxy with a guard'), 300)}")
    return document


def _text(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: {error}") from None


def _left_out(document: Mapping[str, Any]) -> str:
    """Return why not all was checked: the reason without the note that is part of it."""
    reason, note = str(document.get("reason", "")), str(document.get("note", ""))
    return reason.removesuffix(note).removesuffix("; ") if note else reason


def print_report(document: Mapping[str, Any], text: str, out: TextIO) -> None:
    """Print findings below the lines that they are about; in colour on a terminal."""
    colours = _COLOURS if out.isatty() else dict.fromkeys(_COLOURS, "")
    lines = text.splitlines() or [""]
    for finding in document["findings"]:
        _print_finding(finding, lines, colours[finding["severity"]], out)
    _print_end(document, out)


def _print_end(document: Mapping[str, Any], out: TextIO) -> None:
    left_out = _left_out(document)
    if not document["checked"]:
        print(f"not checked: {line(left_out, 500)}", file=out)
    elif left_out:
        print(f"not all was checked: {line(left_out, 500)}", file=out)
    elif not document["findings"]:
        print("ok", file=out)
    if note := document.get("note", ""):
        print(f"note: {line(note, 500)}", file=out)


def _print_finding(finding: Mapping[str, Any], lines: Sequence[str], colour: str, out: TextIO) -> None:
    plain = _PLAIN if colour else ""
    below = lines[finding["line"] - 1 :]
    if below:
        column = finding["column"] - 1
        # What the pattern spans of its first line; its text was folded to one line where it spans more.
        length = max(1, min(len(finding["pattern"]), len(below[0]) - column))
        print(f"{finding['line']:>5} | {_shown(below[0])}", file=out)
        before, faulty = _width(below[0][:column]), _width(below[0][column : column + length])
        print(f"      | {' ' * before}{colour}{'^' * max(1, faulty)}{plain}", file=out)
    state = "verified" if finding["verified"] else "not verified"
    print(
        f"{colour}{finding['code']}{plain} ({finding['severity']}, {state}): {line(finding['message'], 2000)}", file=out
    )
    for each in finding["suggestions"]:
        print(f"      {line(each['label'] or each['id'])} ({line(each['id'])}): {line(each['why'], 300)}", file=out)


def _shown(text: str) -> str:
    """Return a line of a query with its columns in place, and nothing in it that a terminal acts on."""
    return "".join(each if each.isprintable() else " " for each in text)


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: Chinese characters and emoji two, accents none."""
    return sum(0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF") for each in text)
