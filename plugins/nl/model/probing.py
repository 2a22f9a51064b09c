"""What a server can do, found out by asking it: claims are not believed, replies are looked at."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from plugins.nl.model.contract import Mode
from plugins.nl.model.failures import Refused
from plugins.nl.model.forms import strict
from plugins.nl.model.wire import Call, Format, Said

log = logging.getLogger("saga")

# Begins every request that only looks at what a server can do.
MARK = "This is a check of the connection."
_FEW_TOKENS = 60
_COLOURS = ("red", "green", "blue")
_COLOUR = {"type": "object", "properties": {"colour": {"type": "string", "enum": list(_COLOURS)}}}
_REPORT = {"name": "report", "description": "Report a colour.", "parameters": strict(_COLOUR)}
Ask = Callable[[Call], Awaitable[Said]]


async def probed(ask: Ask) -> tuple[Mode, Format]:
    """Return the best mode that the server really does, and the format of its structured output.

    Raises ModelUnavailable where the server is gone, or refuses us altogether.
    """
    tried: dict[str, str] = {}
    mode, form = await _found(ask, tried)
    log.info("llm.mode", extra={"fields": {"mode": mode, "format": form, **tried}})
    return mode, form


async def _found(ask: Ask, tried: dict[str, str]) -> tuple[Mode, Format]:
    if await _does("tools", ask, _call("Report the colour blue.", tools=(_REPORT,)), _is_call, tried):
        return "tools", ""
    # Nobody would answer this in JSON who was not made to.
    hello = _call("Say hello, in plain words.", format="json_schema", schema=strict(_COLOUR))
    if await _does("json_schema", ask, hello, _is_colour, tried):
        return "json", "json_schema"
    if await _does("json_object", ask, _call("Name a colour, as JSON.", format="json_object"), _is_object, tried):
        return "json", "json_object"
    return "text", ""


def _call(words: str, **more: Any) -> Call:
    return Call(purpose="probe", messages=(("user", f"{MARK} {words}"),), most_tokens=_FEW_TOKENS, **more)


async def _does(name: str, ask: Ask, call: Call, fits: Callable[[Said], bool], tried: dict[str, str]) -> bool:
    """Whether the server does something; what it did instead goes to ``tried``."""
    try:
        said = await ask(call)
        if said.cut and (said.thinking or not said.written):
            # It thinks first, aloud or not, for longer than others talk.
            said = await ask(replace(call, most_tokens=None))
    except Refused:
        tried[name] = "refused"
        return False
    tried[name] = "done" if fits(said) else "ignored"
    return fits(said)


def _is_call(said: Said) -> bool:
    return said.call is not None and said.call[0] == "report" and _colour(said.call[1])


def _is_colour(said: Said) -> bool:
    return _colour(said.text)


def _is_object(said: Said) -> bool:
    return isinstance(_read(said.text), dict)


def _colour(text: str) -> bool:
    made = _read(text)
    return isinstance(made, dict) and made.get("colour") in _COLOURS


def _read(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
