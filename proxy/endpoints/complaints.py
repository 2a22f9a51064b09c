"""What a child process complains of, turned into errors that tell a client or an operator what to do."""

from __future__ import annotations

import re

from proxy.contract import Dataset, Query
from proxy.endpoints.answer import Complaint
from proxy.endpoints.child import Gone
from proxy.endpoints.edit import applied, original
from proxy.endpoints.edits import edits
from proxy.endpoints.mistake import in_our_words
from proxy.errors import BadQuery, BadRequest, ProxyError, ResourceLimit, UpstreamBusy, UpstreamFailed
from proxy.syntax import Form

_PLACE = re.compile(r"error at (\d+):(\d+): expected (?:one of )?(.*)", re.DOTALL)
_SENTENCE = re.compile(r"[A-Z][a-z]+ [a-z].*|[A-Z]{2,} [a-z].*|The .*")
_SHOWN = 8
_MESSAGE_CHARACTERS = 500


def explained(error: Complaint | Gone, query: Query) -> ProxyError:
    """Return our error for a query that has no answer."""
    if isinstance(error, Gone):
        return ResourceLimit(
            "The query took more memory or processor time than a reader of this store has, or its process was ended. "
            "Make it smaller: fewer rows, fewer patterns without a shared variable, a LIMIT in a subquery.",
            private=str(error),
        )
    if error.kind == "syntax":
        return _malformed(error.message, query)
    if error.kind == "evaluation":
        return BadQuery(f"The store cannot run this: {_plain(error.message)}.", private=str(error))
    if error.kind == "request":
        return BadRequest(f"A graph or a value of the request is malformed: {_plain(error.message)}.")
    return unusable(error)


def unusable(error: Complaint | Gone) -> ProxyError:
    """Return our error for a store that cannot be opened, read or written."""
    private = str(error)
    if isinstance(error, Gone):
        return UpstreamFailed("The store's process does not start; the log has its last words.", private=private)
    match error.kind:
        case "missing":
            return UpstreamFailed(
                "The store of this endpoint does not exist yet. Its operator fills it with "
                "`saga load FILE... --store FOLDER`.",
                private=private,
            )
        case "busy":
            return UpstreamBusy(
                f"The store is being written by {_plain(error.message)}. Try again in 5 s.",
                private=private,
                headers={"Retry-After": "5"},
            )
        case "memory" | "panic":
            return ResourceLimit(
                "The store could not finish this query within its memory. Make it smaller.", private=private
            )
        case _:
            return UpstreamFailed(
                "The store cannot be read or written. The log says why; its operator can fill a new folder with "
                "`saga load FILE... --store FOLDER`.",
                private=private,
            )


def _malformed(message: str, query: Query) -> BadQuery:
    """Say it in our words where our own reader stumbled too, else in as few of Oxigraph's as help."""
    ours = in_our_words(query, message)
    if ours is not None:
        return ours
    syntax = query.syntax
    unknown = next((name for name in syntax.names if name.prefix in syntax.missing_prefixes), None)
    if unknown is not None and "Prefix not found" in message:
        line, column = syntax.position(unknown.start)
        prefix = f"{unknown.prefix}:"
        return BadQuery(
            f"line {line}, column {column}: the prefix {prefix} is not declared; add `PREFIX {prefix} <...>`.",
            line=line,
            column=column,
            private=message,
        )
    match = _PLACE.match(message)
    if match is None:
        return BadQuery(f"The store calls this malformed: {_plain(message)}.", private=message)
    offset = _offset(query, int(match[1]), int(match[2]))
    line, column = syntax.position(min(offset, len(syntax.text)))
    return BadQuery(f"line {line}, column {column}: {_expected(match[3])}.", line=line, column=column, private=message)


def _expected(items: str) -> str:
    """Cut Oxigraph's list of everything that could have stood there down to what helps."""
    parts = [part.strip() for part in items.split(", ")]
    said = [part for part in parts if _SENTENCE.fullmatch(part)]
    if said:
        return "; ".join(said[:2])
    words = [part for part in parts if "[" not in part and "|" not in part and "\\u" not in part and part]
    if not words:
        return "the query cannot go on like this"
    return "expected " + ", ".join(words[:_SHOWN]) + (" or something else" if len(words) > _SHOWN else "")


def _plain(message: str) -> str:
    return " ".join(message.split())[:_MESSAGE_CHARACTERS].rstrip(".")


def _offset(query: Query, line: int, column: int) -> int:
    r"""Return where in the client's text Oxigraph stumbled. Its lines end at ``\n`` only."""
    changes = edits(query.syntax, query.dataset if query.form is Form.UPDATE else Dataset())
    text = applied(query.text, changes)
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return original(start + column - 1, changes)
