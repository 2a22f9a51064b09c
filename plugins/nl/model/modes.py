"""How a model is brought to an action or a form, and its reply read: by tool calls, structured output or text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from plugins.nl.model import wording
from plugins.nl.model.contract import Choice, Mode, Offer, Prompt, Unreadable
from plugins.nl.model.forms import read_form, strict
from plugins.nl.model.lenient import objects
from plugins.nl.model.reading import argument_of, checked, read_action
from plugins.nl.model.wire import Again, Call, Format, Said

_THOUGHT = {"type": "string", "description": "one or two sentences that say why"}
# Where a model goes on by itself, it makes up what it would have seen.
_STOP = ("\nObservation", "\nBeobachtung")
_FORM = "answer"
_SHOWN_OF_CUT = 300


class Asking(Protocol):
    """One mode: what it sends, and what it makes of the reply. Reading raises Unreadable."""

    mode: Mode
    format: Format

    def choice(self, prompt: Prompt, offers: Sequence[Offer]) -> Call:
        """Return the call that asks for an action."""

    def chosen(self, said: Said, offers: Sequence[Offer]) -> Choice:
        """Return the action of a reply."""

    def form(self, prompt: Prompt, schema: Mapping[str, Any]) -> Call:
        """Return the call that asks for an object."""

    def filled(self, said: Said, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the object of a reply."""


class Tools:
    """The server's own tool calls."""

    mode: Mode = "tools"
    format: Format = ""

    def choice(self, prompt: Prompt, offers: Sequence[Offer]) -> Call:
        """Offer one tool for each action; the thought is an argument of it, since few models write text beside."""
        return Call(purpose=prompt.purpose, messages=messages(prompt), tools=tuple(map(_tool, offers)))

    def chosen(self, said: Said, offers: Sequence[Offer]) -> Choice:
        """Read the first call of a tool, or the text where there is none."""
        if said.call is None:
            return read_action(said.text, offers)
        name, arguments = said.call
        if arguments.lstrip().startswith('{"') and next(objects(arguments), None) is None:
            raise Unreadable(f"the arguments of {name[:60]} are no JSON object")
        thought, argument = argument_of(arguments)
        return checked(thought or said.text.strip(), name, argument, offers)

    def form(self, prompt: Prompt, schema: Mapping[str, Any]) -> Call:
        """Offer one tool, whose arguments are the form."""
        tool = {"name": _FORM, "description": "Give the answer.", "parameters": strict(schema)}
        return Call(purpose=prompt.purpose, messages=messages(prompt), tools=(tool,))

    def filled(self, said: Said, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the arguments, or the text where there are none."""
        return read_form(said.call[1] if said.call else said.text, schema)


class Json:
    """Structured output, by a schema or at least as an object."""

    mode: Mode = "json"

    def __init__(self, form: Format) -> None:
        self.format: Format = form

    def choice(self, prompt: Prompt, offers: Sequence[Offer]) -> Call:
        """Ask for an object of thought, action and argument."""
        names = {"type": "string", "enum": [each.name for each in offers]}
        action = {"action": names, "argument": {"type": "string"}}
        call = self._call(prompt, wording.in_json(offers), _object({"thought": _THOUGHT, **action}))
        again = Again(forms=wording.small_objects(offers), schema=self._shape(_object(action)))
        return replace(call, again=again)

    def chosen(self, said: Said, offers: Sequence[Offer]) -> Choice:
        """Read the object; what is none may still be readable as text."""
        return read_action(said.text, offers)

    def form(self, prompt: Prompt, schema: Mapping[str, Any]) -> Call:
        """Ask for the object itself."""
        return self._call(prompt, wording.filled(schema), schema)

    def filled(self, said: Said, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the object."""
        return read_form(said.text, schema)

    def _call(self, prompt: Prompt, how: str, schema: Mapping[str, Any]) -> Call:
        shape = self._shape(schema)
        return Call(purpose=prompt.purpose, messages=messages(prompt, how), format=self.format, schema=shape)

    def _shape(self, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        return strict(schema) if self.format == "json_schema" else None


class Text:
    """Plain text, for servers that can do neither."""

    mode: Mode = "text"
    format: Format = ""

    def choice(self, prompt: Prompt, offers: Sequence[Offer]) -> Call:
        """Ask for two lines."""
        asked = messages(prompt, wording.in_text(offers))
        return Call(purpose=prompt.purpose, messages=asked, stop=_STOP, again=Again(forms=wording.lines(offers)))

    def chosen(self, said: Said, offers: Sequence[Offer]) -> Choice:
        """Read the lines."""
        return read_action(said.text, offers)

    def form(self, prompt: Prompt, schema: Mapping[str, Any]) -> Call:
        """Ask for an object in words."""
        return Call(purpose=prompt.purpose, messages=messages(prompt, wording.filled(schema)))

    def filled(self, said: Said, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Read the object."""
        return read_form(said.text, schema)


def asking(mode: Mode, form: Format) -> Asking:
    """Return the way of a mode; ``form`` is the format of structured output that the server can."""
    kinds: Mapping[Mode, Asking] = {"tools": Tools(), "json": Json(form or "json_schema"), "text": Text()}
    return kinds[mode]


def repair(call: Call, said: Said, why: str) -> Call:
    """Return the call that shows the model its reply, and says what is wrong with it."""
    written = said.written or "(nothing)"
    if said.cut and len(written) > _SHOWN_OF_CUT:
        # What was cut may have gone round in circles; all of it shown would lead there again.
        written = f"{written[:_SHOWN_OF_CUT]} ..."
    again = call.again or Again(forms="", schema=call.schema)
    shown = (*call.messages, ("assistant", written), ("user", wording.mend(why, again.forms)))
    return replace(call, purpose="repair", messages=shown, schema=again.schema, varied=said.cut)


def messages(prompt: Prompt, how: str = "") -> tuple[tuple[str, str], ...]:
    """Return the messages of a prompt, with ``how`` it is to be answered."""
    system = "\n\n".join(each for each in (prompt.system.strip(), how) if each)
    return (("system", system), ("user", prompt.user)) if system else (("user", prompt.user),)


def _object(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": members}


def _tool(offer: Offer) -> dict[str, Any]:
    members: dict[str, Any] = {"thought": _THOUGHT}
    if offer.argument:
        members["argument"] = {"type": "string", "description": offer.argument}
    return {"name": offer.name, "description": offer.description, "parameters": strict(_object(members))}
