"""What is run side by side: strategies, and each of them with parts switched off."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

from plugins.nl.contract import Switches
from proxy.errors import UsageError

_WORDS = {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}

Changes = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """A strategy with its switches. ``changed`` are those that differ from the configuration, by name."""

    strategy: str
    switches: Switches
    changed: Changes = ()

    @property
    def name(self) -> str:
        """How tables call it: `saga`, `saga -filter`, `saga coverage=0.25`."""
        return " ".join((self.strategy, *(_word(*each) for each in self.changed)))


def variants(strategies: str, ablations: Sequence[str], known: Iterable[str], switches: Switches) -> list[Variant]:
    """Return what the command line names: every strategy as configured, then with each ablation. Raises UsageError."""
    names = _strategies(strategies, list(known))
    changes: list[Changes] = [(), *(_changes(text) for text in ablations)]
    return [
        Variant(strategy=name, switches=replace(switches, **dict(each)), changed=each)
        for name in names
        for each in dict.fromkeys(changes)
    ]


def _strategies(text: str, known: Sequence[str]) -> list[str]:
    names = [each.strip() for each in text.split(",") if each.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        said = ", ".join(unknown) or "name"
        raise UsageError(f"--strategy: there is no {said}{_nearest(said, known)}; there are {', '.join(known)}")
    return list(dict.fromkeys(names))


def _changes(text: str) -> Changes:
    """Read `filter=off,coverage=0.25`. Raises UsageError."""
    kinds = get_type_hints(Switches)
    found: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in text.split(","))):
        name, sign, value = (each.strip() for each in part.partition("="))
        if name not in kinds:
            known = [each.name for each in fields(Switches)]
            raise UsageError(
                f"--ablate: there is no switch {name!r}{_nearest(name, known)}; there are {', '.join(known)}"
            )
        if not sign:
            raise UsageError(f"--ablate: {name} needs a value, such as {name}={_example(kinds[name])}")
        found[name] = _value(name, value, kinds[name])
    if not found:
        raise UsageError("--ablate: says nothing; it takes NAME=VALUE[,NAME=VALUE], such as filter=off")
    return tuple(found.items())


def _value(name: str, text: str, kind: Any) -> Any:
    if get_origin(kind) is Literal:
        if text in get_args(kind):
            return text
    elif kind is bool:
        if text.lower() in _WORDS:
            return _WORDS[text.lower()]
    else:
        number = _number(text, kind)
        if number is not None:
            return number
    raise UsageError(f"--ablate: {name} takes {_example(kind)}, not {text!r}{_nearest(text, _choices(kind))}")


def _number(text: str, kind: type) -> Any:
    """Return a whole number, or a share between 0 and 1; None for anything else."""
    try:
        number = kind(text)
    except ValueError:
        return None
    return number if kind is int or 0 <= number <= 1 else None


def _choices(kind: Any) -> Sequence[str]:
    return get_args(kind) if get_origin(kind) is Literal else ()


def _example(kind: Any) -> str:
    if choices := _choices(kind):
        return ", ".join(choices)
    examples: Mapping[Any, str] = {bool: "on or off", float: "a number from 0 to 1", int: "a whole number"}
    return examples.get(kind, "a value")


def _nearest(name: str, known: Sequence[str]) -> str:
    found = difflib.get_close_matches(name, known, 1)
    return f" (did you mean {found[0]}?)" if found else ""


def _word(name: str, value: Any) -> str:
    if value is False or value == "off":
        return f"-{name}"
    if value is True:
        return f"+{name}"
    return f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
