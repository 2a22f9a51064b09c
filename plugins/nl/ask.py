"""`saga ask`: one question; steps as they happen, then query, table and time."""

from __future__ import annotations

import argparse
import json
import sys
import uuid
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from typing import Any, TextIO

from plugins.nl import Nl
from plugins.nl.conversations import Conversation
from plugins.nl.grid import grid
from plugins.nl.remote import remote_events
from plugins.nl.request import checked
from plugins.schema.findings import line
from proxy.contract import Caller, Context
from proxy.errors import BadRequest, ProxyError, UsageError

ANSWERED, UNANSWERED, UNAVAILABLE = 0, 1, 3
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"
_MOST_STEP = 160
_EXAMPLE = """examples:
  saga ask "Where was Marie Curie born?"
  saga ask "Wie viele Kinder hat Barack Obama?" --lang de --json
  saga ask "Where was Marie Curie born?" --server http://127.0.0.1:8080

exit code: 0 answered, 1 not or not wholly answered, 2 bad use, 3 endpoint, model or --server unavailable"""


def commands(parser: argparse.ArgumentParser) -> None:
    """Add the words of the command."""
    parser.add_argument("question", metavar="QUESTION")
    parser.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    parser.add_argument("--strategy", default="", metavar="NAME", help="the way to the query; that of `[nl]`")
    parser.add_argument("--lang", default="", metavar="TAG", help="language of the question, such as de; found out")
    parser.add_argument("--json", action="store_true", help="print the answer as /nl gives it, and nothing else")
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(call=ask)


async def ask(context: Context, args: argparse.Namespace) -> int:
    """Ask one question and print what happens. Raises UsageError."""
    fields = {"question": args.question, "language": args.lang, "strategy": args.strategy}
    server = getattr(args, "server", None)
    events = remote_events(server, args.endpoint, fields) if server else _own_events(context, args.endpoint, fields)
    shown = None if args.json else _Steps(sys.stdout)
    answer: dict[str, Any] = {}
    try:
        async with aclosing(events):
            async for event in events:
                if shown is not None:
                    shown.show(event)
                answer = event
    except BadRequest as error:
        raise UsageError(error.detail) from None
    except ProxyError as error:
        if shown is not None:
            shown.close()
        for text in f"saga: {error.detail}".splitlines():
            print(line(text, 500), file=sys.stderr)
        return UNAVAILABLE
    if args.json:
        print(json.dumps({name: answer[name] for name in answer if name not in ("seq", "t", "kind")}, indent=2))
    else:
        print_answer(answer, sys.stdout)
    return {"answered": ANSWERED, "unavailable": UNAVAILABLE}.get(answer["status"], UNANSWERED)


async def _own_events(
    context: Context, endpoint: str | None, fields: Mapping[str, Any]
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the events of a question that is answered in this process. Raises UsageError, ProxyError."""
    plugin = context.plugin(Nl)
    if plugin is None:
        raise UsageError("the configuration does not answer questions; add 'plugins.search', 'plugins.nl' to `enabled`")
    endpoint = endpoint or next(iter(context.endpoints))
    if endpoint not in context.endpoints:
        raise UsageError(f"there is no endpoint {endpoint!r}; there are {', '.join(context.endpoints)}")
    name = uuid.uuid4().hex
    caller = Caller(address="127.0.0.1", rights=frozenset({"query", "nl"}))
    conversation = Conversation(id=name, owner="", endpoint=endpoint)
    inquiry = plugin.office.inquiry(checked(fields, plugin.longest_question), conversation, caller, name)
    async with aclosing(inquiry.events()) as events:
        async for event in events:
            yield event.document()


class _Steps:
    """Print what happens, a line each: an action at once, and what came of it behind it."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._dim, self._plain = (_DIM, _PLAIN) if out.isatty() else ("", "")
        self._pending = False

    def show(self, event: Mapping[str, Any]) -> None:
        """Print one event. What the strategy thinks of an answer is shown with the answer."""
        kind = event["kind"]
        if kind == "observation" and self._pending:
            self._write(f" -> {_first(event['observation'])} ({event['ms']} ms)", "\n")
            self._pending = False
            return
        text = _said(event)
        if text or kind == "answer":
            self.close()
        if text:
            self._pending = kind == "action"
            self._write(text, "" if self._pending else "\n")

    def close(self) -> None:
        """End the line of an action that nothing came of."""
        if self._pending:
            self._write("", "\n")
        self._pending = False

    def _write(self, text: str, end: str) -> None:
        self._out.write(f"{self._dim}{text}{self._plain}{end}" if text else end)
        self._out.flush()


def _said(event: Mapping[str, Any]) -> str:
    """Return an event in one line; nothing for one that says nothing new."""
    match event["kind"]:
        case "thought":
            return line(event["text"], _MOST_STEP)
        case "action":
            return line(f"{event['action']} {event['argument']}", _MOST_STEP)
        case "observation":
            return _first(event["observation"])
        case "candidate":
            return line(f"candidate {event['why'] or event['sparql']}", _MOST_STEP)
        case "gate" if event["verdict"] in ("fix", "ask"):
            return line(f"gate {event['check']}: {event['verdict']}, {event.get('why', '')}", _MOST_STEP)
    return ""


def _first(text: str) -> str:
    """Return the first line of an observation, and how many more there are."""
    lines = text.splitlines() or [""]
    more = f" (+{len(lines) - 1} lines)" if len(lines) > 1 else ""
    return line(lines[0], _MOST_STEP) + more


def print_answer(answer: Mapping[str, Any], out: TextIO) -> None:
    """Print query, table, warnings, status and time."""
    if answer["sparql"]:
        print("", *map(_safe, answer["sparql"].strip().splitlines()), sep="\n", file=out)
    if answer["results"]:
        print("", *grid(answer["results"], answer["labels"]), sep="\n", file=out)
    print(file=out)
    for warning in answer["warnings"]:
        print(f"warning: {line(warning['message'], 500)}", file=out)
    sure = f", confidence {answer['confidence']:.2f}" if "confidence" in answer else ""
    print(f"{answer['status']}{sure}{_spent(answer['usage'])}, {answer['usage']['seconds']:.2f} s", file=out)


def _spent(usage: Mapping[str, float]) -> str:
    """Return what the model was asked for and cost; nothing where none was asked."""
    calls = usage.get("llm_calls", 0)
    if not calls:
        return ""
    tokens = usage["prompt_tokens"] + usage["completion_tokens"]
    cost = f", cost {usage['cost']:.4g}" if "cost" in usage else ""
    return f", {calls} call{'s' * (calls != 1)} of the model with {tokens:,} tokens{cost}"


def _safe(text: str) -> str:
    return "".join(each if each.isprintable() else " " for each in text)
