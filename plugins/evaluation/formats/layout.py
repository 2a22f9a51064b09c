"""What a format of questions is: how one of its entries is known, and what it says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plugins.evaluation.gold import Answers

Item = Mapping[str, Any]
_NO_WORD = re.compile(r"\W+")


class UnfitError(Exception):
    """An entry is not what its format says; the text tells what is wrong with it, without its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One question as a file has it, before it is known in which data set it is.

    Shapes: ``questions`` by language; ``sparql`` is empty and ``answers`` None where the file holds none; ``group`` is
    empty where nothing says which questions are variants of each other; ``dataset`` is empty where only the file's
    name tells.
    """

    id: str
    questions: Mapping[str, str]
    sparql: str = ""
    answers: Answers | None = None
    group: str = ""
    dataset: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """One format.

    Shapes: ``looks`` says in words what an entry has; ``wrapper`` is the key of the list of entries, where the whole is
    an object; ``fits`` tells an entry of this format by its keys; ``entry`` reads one, and raises UnfitError.
    """

    name: str
    looks: str
    fits: Callable[[Item], bool]
    entry: Callable[[Item], Entry]
    wrapper: str = ""


def identity(item: Item, *keys: str) -> str:
    """Return the first id that is there. Raises UnfitError."""
    for key in keys:
        found = item.get(key)
        if isinstance(found, str | int) and not isinstance(found, bool) and str(found).strip():
            return str(found).strip()
    raise UnfitError(f"has no {_listed(keys)}")


def text(item: Item, *keys: str) -> str:
    """Return the first text that is there. Raises UnfitError."""
    for key in keys:
        found = item.get(key)
        if isinstance(found, str) and found.strip():
            return found.strip()
    raise UnfitError(f"has no {_listed(keys)}")


def query(item: Item, *keys: str) -> str:
    """Return the first gold query that is there, empty where a key is there without one.

    Raises UnfitError where something that is no text stands there.
    """
    for key in keys:
        found = item.get(key)
        if isinstance(found, str) and found.strip():
            return found
        if not (found is None or isinstance(found, str)):
            raise UnfitError(f"has a `{key}` that is no text")
    return ""


def need(item: Item, *keys: str) -> None:
    """Raise UnfitError where an entry has none of the keys that gold may stand under."""
    if not any(key in item for key in keys):
        raise UnfitError(f"has neither a gold query nor gold answers: no {_listed(keys)}")


def wording(question: str) -> str:
    """Return the group of a question that only its words tell: the same for the same words."""
    return "q:" + _NO_WORD.sub(" ", question.lower()).strip()


def _listed(keys: tuple[str, ...]) -> str:
    *first, last = (f"`{key}`" for key in keys)
    return f"{', '.join(first)} or {last}" if first else last
