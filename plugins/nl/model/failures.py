"""Everything that can go wrong with a model's server, as one sentence that names the key of the configuration.

Source: the words of OpenAI, vLLM, llama.cpp, Ollama, TGI and hosted services in their error objects.
"""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import math
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any

from plugins.nl.model.contract import ModelUnavailable, TooLong
from plugins.nl.model.options import LlmOptions

_TOO_LONG = re.compile(
    r"context[ _](length|window|size)|maximum context|n_ctx|(prompt|input|request|message)s? (is|are|was) too long"
    r"|too many (input )?tokens|(input|prompt)[ a-z]* exceeds?|reduce the length|max_new_tokens.{0,20} must be"
    r"|maximum number of (input )?tokens|too large for model",
    re.IGNORECASE,
)
_NO_MODEL = re.compile(
    r"model[^.]{0,120}?(does not exist|not exist|not found|is not available)"
    r"|(invalid|unknown|no such|not a valid) model|model_not_found|try pulling it",
    re.IGNORECASE,
)
# Some servers take what they cannot do for a fault of theirs.
_ABILITY = re.compile(r"tool|jinja|response_format|schema|grammar", re.IGNORECASE)
_NO_MONEY = re.compile(r"insufficient_quota|exceeded your current quota|credit|billing|balance", re.IGNORECASE)
_LOADING = re.compile(r"loading model|model is loading", re.IGNORECASE)
_WORD = re.compile(r"\w{3,}")
_MOST_SAID = 300


class Late(ModelUnavailable):
    """The model took too long."""


class Refused(ModelUnavailable):
    """The server is there and takes us, but not this request."""


class Failure(Exception):
    """One attempt failed.

    Shapes: ``error`` is what to raise where it is the last one; ``again``: the same may succeed later.
    Units: ``wait_s`` is the pause that the server asks for, in seconds; None where it did not say.
    """

    def __init__(self, error: ModelUnavailable, *, again: bool = False, wait_s: float | None = None) -> None:
        super().__init__(error.detail)
        self.error = error
        self.again = again
        self.wait_s = wait_s


def gone(error: BaseException) -> Failure:
    """Say why no connection came about, or why it broke."""
    causes = list(_causes(error))
    if any(isinstance(each, ssl.SSLError) or "CERTIFICATE" in str(each) or "SSL" in str(each) for each in causes):
        said = next(str(each) for each in causes if "SSL" in str(each) or isinstance(each, ssl.SSLError))
        return Failure(_unavailable("does not speak TLS as llm.base_url says, or its certificate is not trusted", said))
    if any(isinstance(each, socket.gaierror) or "not known" in str(each) for each in causes):
        return Failure(_unavailable("cannot be found: the host in llm.base_url is not known"))
    if any(isinstance(each, ConnectionRefusedError) or "All connection attempts" in str(each) for each in causes):
        return Failure(_unavailable("cannot be reached: nothing listens at the address in llm.base_url"))
    return Failure(
        _unavailable("broke off its reply; see the log of the server at llm.base_url", str(causes[-1])), again=True
    )


def late(options: LlmOptions) -> Failure:
    """Say that the time of a call is over."""
    return Failure(Late(f"The model's server did not answer within llm.timeout_s ({options.timeout_s:g} s)."))


def far(seconds: float) -> Failure:
    """Say that no connection came about in time."""
    return Failure(Late(f"The model's server cannot be reached at llm.base_url within {seconds:g} s."))


def silent(options: LlmOptions) -> Failure:
    """Say that a reply came to a halt."""
    seconds = f"llm.silence_s ({options.silence_s:g} s)"
    return Failure(Late(f"The model's server fell silent in the middle of a reply, for {seconds}."), again=True)


def no_reply() -> Failure:
    """Say that the server answered, and that nothing was in it."""
    return Failure(_unavailable("answers without a reply; is llm.base_url the address of its chat API?"), again=True)


def no_vectors(options: LlmOptions, status: int, private: str) -> Failure:
    """Say that there are no embeddings."""
    model = f"{options.embedding_model!r} (llm.embedding_model)"
    return Failure(_unavailable(f"makes no embeddings with the model {model} (status {status})", private))


def no_json(media_type: str) -> Failure:
    """Say that something else than such a server answers."""
    said = "a web page" if "html" in media_type else "something else"
    return Failure(_unavailable(f"is none: {said} answers at llm.base_url, which should end in /v1"))


def names_no_model(status: int, said: str) -> bool:
    """Whether a refusal says that there is no such model."""
    return status in (400, 404, 422) and bool(_NO_MODEL.search(said)) and not _TOO_LONG.search(said)


def no_model(options: LlmOptions, known: tuple[str, ...], private: str) -> Failure:
    """Say that there is no such model, and which ones there are."""
    return Failure(_unavailable(f"has no model {options.model!r} (llm.model){_among(known)}", private))


def no_page(advice: str, private: str) -> Failure:
    """Say that the address has no chat API."""
    return Failure(_unavailable(f"knows no page /chat/completions below llm.base_url: {advice}", private))


def refused(options: LlmOptions, status: int, said: str, headers: Mapping[str, str], private: str) -> Failure:
    """Say what a status means.

    Shapes: ``said`` is all text of the error object; ``private`` the part of it that may be logged.
    """
    if status not in (401, 403, 429) and (status == 413 or _TOO_LONG.search(said)):
        return Failure(TooLong("The prompt is longer than the context of the model in llm.model.", private=private))
    wait_s = pause_of(headers)
    if status == 429 and not _NO_MONEY.search(said):
        detail = "is overloaded (429); llm.concurrency says how many calls it gets at once"
        return Failure(_unavailable(detail, private, wait_s), again=True, wait_s=wait_s)
    if fixed := _fixed(options, status):
        return Failure(_unavailable(fixed, private))
    if _is_passing(status) and not (status == 500 and _ABILITY.search(said)):
        detail = "is still loading its model" if _LOADING.search(said) else f"failed (status {status})"
        return Failure(_unavailable(f"at llm.base_url {detail}", private, wait_s), again=True, wait_s=wait_s)
    detail = f"The model's server refuses what llm.mode or another key of [llm] asks for (status {status})."
    return Failure(Refused(detail, private=private))


def _is_passing(status: int) -> bool:
    return status in (408, 409, 425) or (status >= 500 and status not in (501, 505))


def _fixed(options: LlmOptions, status: int) -> str:
    """Return what a status always means; empty for others."""
    key = f"the key in {options.api_key_env} (llm.api_key_env)" if options.api_key_env else "llm.api_key_env"
    if status == 401:
        return f"does not take {key}" if options.api_key_env else f"wants a key: {key} names its variable"
    if status == 403:
        return f"does not let us use the model in llm.model with {key}"
    return f"says that there is no money left; see {key}" if status in (402, 429) else ""


def _among(known: tuple[str, ...]) -> str:
    if not known:
        return ""
    more = f" and {len(known) - 10} more" if len(known) > 10 else ""
    return f"; it has {', '.join(repr(each[:80]) for each in known[:10])}{more}"


def _unavailable(detail: str, private: str = "", wait_s: float | None = None) -> ModelUnavailable:
    headers = {} if wait_s is None else {"Retry-After": str(math.ceil(wait_s))}
    return ModelUnavailable(f"The model's server {detail}.", private=private, headers=headers)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def pause_of(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait: a number or a moment; None where it does not say."""
    exact = headers.get("retry-after-ms", "")
    told = headers.get("retry-after", "").strip()
    with contextlib.suppress(ValueError):
        seconds = float(exact) / 1000 if exact else float(told)
        return max(0.0, seconds) if math.isfinite(seconds) else None
    try:
        moment = email.utils.parsedate_to_datetime(told)
    except (TypeError, ValueError):
        return None
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    return max(0.0, (zoned - datetime.datetime.now(datetime.UTC)).total_seconds())


def loggable(said: str, body: Mapping[str, Any], secret: str) -> str:
    """Return what a server said without the key, and without the words of those who ask."""
    asked = " ".join(str(each.get("content", "")) for each in body.get("messages", ()) if each.get("role") != "system")
    asked = f"{asked} {body.get('input', '')}"
    cleaned = said.replace(secret, "…") if secret else said
    return _WORD.sub(lambda word: "…" if word.group() in asked else word.group(), cleaned[:_MOST_SAID])
