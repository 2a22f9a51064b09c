"""Read what a model wrote: an action in plain text or JSON, however small models garble it.

What is looked for, in this order: the words `Action: name(argument)` behind a thought; the tags by which models call
tools; a JSON object that names an action; the call of a known action somewhere in the text. The first one counts, and
nothing behind it: a model that goes on makes up what it would have seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from plugins.nl.model.argument import bracketed, plain, unfenced
from plugins.nl.model.contract import Choice, Offer, Unreadable
from plugins.nl.model.lenient import objects
from plugins.nl.prompts import unmarked

# The same labels in the languages that models fall into.
_ACTION = "(?:next +)?(?:action|aktion|acción|действие|行动|行動|动作|動作|操作)"
_INPUT = "(?:action +)?(?:input|argument|arguments|parameter|eingabe|entrada|entrée|аргумент|参数|输入)"
_SEEN = "(?:observation|beobachtung|observación|наблюдение|观察|觀察|tool result|result|ergebnis)"
_THOUGHT = "(?:thoughts?|gedanken?|pensamiento|pensée|réflexion|мысль|思考|想法)"


def _label(words: str) -> re.Pattern[str]:
    """Match a label at the start of a line, also in bold, in a list, or with a number."""
    return re.compile(rf"(?im)^[ \t>*#_`-]*+{words}[ \t]*+\d*+[ \t]*+[*_`]*+[ \t]*+[:：][ \t]*+[*_]*+")


_AT_ACTION, _AT_INPUT, _AT_THOUGHT = _label(_ACTION), _label(_INPUT), _label(_THOUGHT)
_AT_ANY = _label(f"(?:{_ACTION}|{_SEEN}|{_THOUGHT})")
_THINK = "(?:think|thinking|thought|reasoning|reflection)"
_THINKING, _THINKING_ENDS = re.compile(rf"(?i)<{_THINK}>"), re.compile(rf"(?i)</{_THINK}>")
_TAG = re.compile(r"(?i)<\|?/?(?:tool_calls?|function_calls?|tools?|function)\|?>|\[/?TOOL_CALLS\]|<\|python_tag\|>")
_NAMED_TAG = re.compile(r"""(?i)<(?:function|tool|invoke)(?:=|\s+name=)["']?([\w.-]+)["']?\s*>""")
_NAMED_TAG_ENDS = re.compile(r"(?i)</(?:function|tool|invoke)>")
_PARAMETER = re.compile(r"""(?is)<parameter(?:=|\s+name=)["']?([\w.-]+)["']?\s*>(.*?)</parameter>""")
_NAME = re.compile(r"[\s*_`\"']*([^\W\d][\w.-]*)[*_`\"']*")
_CALL = re.compile(r"(?<![\w-])([^\W\d][\w-]*+)[*`]*+\(")
_ACTIONS = ("action", "name", "tool", "tool_name", "function", "function_name", "aktion")
_ARGUMENTS = ("argument", "arguments", "action_input", "input", "args", "parameters", "parameter")
_THOUGHTS = ("thought", "thoughts", "reasoning", "gedanke")
_MOST_CHARS = 200_000


class _Found(NamedTuple):
    """An action as it was written."""

    thought: str
    action: str
    argument: str


def without_thinking(text: str) -> str:
    """Return a text without the blocks in which models think aloud, also where only their end was written."""
    kept: list[str] = []
    at = 0
    for end in _THINKING_ENDS.finditer(text):
        start = _THINKING.search(text, at, end.start())
        # A start that is not there stood in the prompt.
        kept = [*kept, text[at : start.start()]] if start else []
        at = end.end()
    return _THINKING.sub("", "".join([*kept, text[at:]])).strip()


def read_action(text: str, offers: Sequence[Offer]) -> Choice:
    """Return the action that a text names. Raises Unreadable."""
    text = without_thinking(text[:_MOST_CHARS])
    if not text:
        raise Unreadable("it is empty")
    names = {_folded(each.name) for each in offers}
    found = _labelled(text) or _tagged(text) or _in_json(text, names) or _called(text, names)
    if found is None:
        raise Unreadable("it names no action")
    return checked(*found, offers)


def checked(thought: str, action: str, argument: str, offers: Sequence[Offer]) -> Choice:
    """Return a choice whose action is on offer. Raises Unreadable."""
    offer = next((each for each in offers if _folded(each.name) == _folded(action)), None)
    # Models copy the marks of what they are shown.
    thought, argument = unmarked(thought), unmarked(argument)
    if offer is None:
        raise Unreadable(f"there is no action {action[:60]!r}; there are {', '.join(each.name for each in offers)}")
    if offer.argument and argument.lower() in ("", "...", offer.argument.lower()):
        # The words that say what it is are not it.
        raise Unreadable(f"{offer.name} needs its argument: {offer.argument}")
    return Choice(thought=thought, action=offer.name, argument=argument if offer.argument else "")


def argument_of(arguments: Any) -> tuple[str, str]:
    """Return thought and argument out of what a tool was called with: an object, a JSON text or a bare value."""
    if isinstance(arguments, str):
        made = next(objects(arguments), None) if arguments.lstrip().startswith("{") else None
        # A query in braces is no object.
        return argument_of(made) if made else ("", plain(arguments))
    if isinstance(arguments, list) and len(arguments) == 1:
        return argument_of(arguments[0])
    if not isinstance(arguments, Mapping):
        return "", _text(arguments)
    thought = _text(next((arguments[name] for name in _THOUGHTS if name in arguments), ""))
    rest = {name: value for name, value in arguments.items() if name not in _THOUGHTS}
    value = next((rest[name] for name in _ARGUMENTS if name in rest), None)
    if value is None:
        value = next(iter(rest.values()), "")
    return thought, argument_of(value)[1]


def _labelled(text: str) -> _Found | None:
    """Find `Action: name(argument)`, or `Action: name` with the argument behind it or on the next line."""
    at = _AT_ACTION.search(text)
    if at is None:
        return None
    rest = text[at.end() :]
    thought = _thought(text[: at.start()])
    inside = next(objects(rest), None) if rest.lstrip("` \njson").startswith("{") else None
    if inside and (found := _named(inside, None)):
        return found._replace(thought=thought or found.thought)
    name = _NAME.match(rest)
    if name is None:
        return None
    return _Found(thought, name[1], _argument(rest[name.end() :]))


def _argument(rest: str) -> str:
    """Return the argument behind the name of an action."""
    opened = re.match(r"\s*\(", rest)
    if opened and (found := bracketed(rest, opened.end() - 1)):
        return _one(found[0])
    if opened:
        # It never closes: what the model went on with is not of it.
        return plain(_before(rest[opened.end() :]).rstrip().removesuffix("```").rstrip().removesuffix(")"))
    if labelled := _AT_INPUT.search(_before(rest)):
        rest = rest[labelled.end() :]
    return _one(_before(rest).lstrip(" :：=-\n").rstrip())


def _one(written: str) -> str:
    """Return an argument, also where it was wrapped in an object or a fence."""
    return argument_of(unfenced(written.strip()))[1]


def _before(text: str) -> str:
    """Return a text up to where the model goes on with something else."""
    further = _AT_ANY.search(text)
    return text[: further.start()] if further else text


def _tagged(text: str) -> _Found | None:
    """Find the tags by which models call tools, where their server left them in the text."""
    if named := _NAMED_TAG.search(text):
        end = _NAMED_TAG_ENDS.search(text, named.end())
        inside = text[named.end() : end.start() if end else None]
        parameters = {name: value.strip() for name, value in _PARAMETER.findall(inside)}
        thought, argument = argument_of(parameters or inside.strip())
        return _Found(thought or _thought(text[: named.start()]), named[1], argument)
    if not (tag := _TAG.search(text)):
        return None
    found = next((found for each in objects(text[tag.end() :]) if (found := _named(each, None))), None)
    return found._replace(thought=found.thought or _thought(text[: tag.start()])) if found else None


def _in_json(text: str, names: set[str]) -> _Found | None:
    """Find an object that names an action."""
    for each in objects(text):
        if found := _named(each, names):
            return found._replace(thought=found.thought or _thought(text.partition("{")[0].rstrip("` \njson")))
    return None


def _named(made: Mapping[str, Any], names: set[str] | None) -> _Found | None:
    """Return the action that an object names; with ``names``, also one such as `{"search": "Obama"}`."""
    keyed = {name.lower(): value for name, value in made.items()}
    inner = next((keyed[name] for name in _ACTIONS if name in keyed), None)
    if isinstance(inner, Mapping):
        return _named(inner, names)
    thought, argument = argument_of({name: value for name, value in keyed.items() if name not in _ACTIONS})
    if isinstance(inner, str):
        behind = _NAME.match(inner)
        written = inner[behind.end() :] if behind else ""
        return _Found(thought, behind[1], argument or _argument(written)) if behind else None
    for name, value in keyed.items():
        if names and _folded(name) in names:
            return _Found(thought, name, argument_of(value)[1])
    return None


def _called(text: str, names: set[str]) -> _Found | None:
    """Find the call of a known action, `search(Obama)`, anywhere."""
    for name in _CALL.finditer(text):
        if _folded(name[1]) in names:
            return _Found(_thought(text[: name.start()]), name[1], _argument(text[name.end() - 1 :]))
    return None


def _thought(text: str) -> str:
    """Return what stands before an action, without its label."""
    return _AT_THOUGHT.sub("", _TAG.sub("", text), count=1).strip("` \n*")


def _text(value: Any) -> str:
    if isinstance(value, str):
        return plain(value)
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _folded(name: str) -> str:
    return re.sub(r"[\s_.-]", "", name).lower()
