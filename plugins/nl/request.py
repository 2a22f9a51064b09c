"""What a request to /nl asks for, read and checked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from plugins.search.hit import LANGUAGE
from proxy.errors import BadRequest, NotAcceptable, SlowRequest, TooLarge, UnsupportedMedia

_FIELDS = ("question", "language", "strategy", "conversation", "max_actions", "seconds", "dataset")
_EVENTS, _JSON, _FORM = "text/event-stream", "application/json", "application/x-www-form-urlencoded"
_BODY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked, and how. ``dataset`` is the challenge's name for an endpoint."""

    question: str
    language: str = ""
    strategy: str = ""
    conversation: str = ""
    max_actions: int | None = None
    seconds: float | None = None
    dataset: str | None = None


async def asked(request: web.Request, longest: int) -> Asked:
    """Read a request. Units: ``longest`` in characters. Raises BadRequest, SlowRequest, TooLarge, UnsupportedMedia."""
    return checked(_query(request) if request.method == "GET" else await _body(request), longest)


def checked(fields: Mapping[str, Any], longest: int) -> Asked:
    """Check what a request says. Raises BadRequest."""
    unknown = sorted(set(fields) - set(_FIELDS))
    if unknown:
        raise BadRequest(f"/nl does not know {', '.join(each[:50] for each in unknown[:5])}; it takes {_listed()}.")
    question = _text(fields, "question").strip()
    if not question:
        raise BadRequest("There is no `question`.")
    if len(question) > longest:
        raise BadRequest(f"The question has {len(question):,} characters; at most {longest:,} are taken.")
    language = _text(fields, "language").strip()
    # It goes into queries.
    if language and not LANGUAGE.fullmatch(language):
        raise BadRequest(f"`language` is a tag such as `en` or `zh-hans`, not {language[:50]!r}.")
    return Asked(
        question=question,
        language=language.lower(),
        strategy=_text(fields, "strategy"),
        conversation=_text(fields, "conversation"),
        max_actions=_whole(fields, "max_actions"),
        seconds=_number(fields, "seconds"),
        dataset=_text(fields, "dataset") if "dataset" in fields else None,
    )


def wants_events(request: web.Request) -> bool:
    """Whether the client takes events; `*/*` means JSON. Raises NotAcceptable where it takes neither."""
    accept = ", ".join(request.headers.getall("Accept", ()))
    taken = [part.partition(";")[0].strip().lower() for part in accept.split(",") if part.strip()]
    if _EVENTS in taken:
        return True
    if taken and not {"*/*", "application/*", _JSON}.intersection(taken):
        raise NotAcceptable(f"/nl answers in {_JSON} or {_EVENTS}.")
    return False


def _query(request: web.Request) -> Mapping[str, str]:
    return _once(request.rel_url.query.items())


async def _body(request: web.Request) -> Mapping[str, Any]:
    if request.content_type not in (_FORM, _JSON):
        raise UnsupportedMedia('Send JSON, such as {"question": "..."}, with Content-Type: application/json.')
    try:
        async with asyncio.timeout(_BODY_S):
            body = await request.read()
            if request.content_type == _FORM:
                return _once((name, str(value)) for name, value in (await request.post()).items())
    except TimeoutError:
        raise SlowRequest(f"The body did not come within {_BODY_S:g} s.", headers={"Connection": "close"}) from None
    except web.HTTPRequestEntityTooLarge:
        raise TooLarge("The body is larger than this proxy takes.", headers={"Connection": "close"}) from None
    except (ValueError, LookupError):
        raise BadRequest("The body cannot be read.") from None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("The body is not JSON.") from None
    if not isinstance(found, dict):
        raise BadRequest('The body is not a JSON object, such as {"question": "..."}.')
    return found


def _once(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in fields:
        if name in found:
            raise BadRequest(f"`{name[:50]}` is given more than once.")
        found[name] = value
    return found


def _listed() -> str:
    return ", ".join(_FIELDS)


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"`{name}` is a text.")
    # Half a character of UTF-16, which JSON can say, is none that could be sent on.
    return value.encode(errors="replace").decode()


def _number(fields: Mapping[str, Any], name: str) -> float | None:
    value = fields.get(name)
    if value is None:
        return None
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not 0 < number < float("inf"):
        raise BadRequest(f"`{name}` is a number above 0.")
    return number


def _whole(fields: Mapping[str, Any], name: str) -> int | None:
    number = _number(fields, name)
    if number is not None and number != int(number):
        raise BadRequest(f"`{name}` is a whole number above 0.")
    return None if number is None else int(number)
