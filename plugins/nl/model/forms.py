"""Objects that a model fills in: a JSON schema made strict, and a reply held against it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plugins.nl.model.contract import Unreadable
from plugins.nl.model.lenient import objects
from plugins.nl.model.reading import without_thinking

_YES, _NO = ("true", "yes", "1", "ja"), ("false", "no", "0", "nein", "")


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose objects have all their members and no others, as servers demand of strict ones."""
    made = {**schema}
    if "properties" in schema:
        properties = {name: strict(each) for name, each in schema["properties"].items()}
        made |= {"properties": properties, "required": list(properties), "additionalProperties": False}
    if isinstance(schema.get("items"), Mapping):
        made["items"] = strict(schema["items"])
    return made


def read_form(text: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the object in a text, as the schema wants it. Raises Unreadable."""
    made = next(objects(without_thinking(text)), None)
    if made is None:
        raise Unreadable("it holds no JSON object")
    return _object(made, schema, "")


def _object(made: Mapping[str, Any], schema: Mapping[str, Any], path: str) -> dict[str, Any]:
    properties: Mapping[str, Any] = schema.get("properties", {})
    needed = schema.get("required", properties)
    if missing := [f"{path}{name}" for name in needed if name not in made]:
        raise Unreadable(f"it lacks {', '.join(missing)}")
    return {name: _value(made[name], each, f"{path}{name}") for name, each in properties.items() if name in made}


def _value(value: Any, schema: Mapping[str, Any], path: str) -> Any:
    """Return a value of the type that is wanted; what is plainly meant is taken."""
    if choices := schema.get("enum"):
        return _choice(value, choices, path)
    kind = schema.get("type")
    if kind in _PLAIN and not isinstance(value, list | Mapping | None):
        return _PLAIN[kind](value, path)
    if kind == "array" and value is not None:
        items = value if isinstance(value, list) else [value]
        return [_value(each, schema.get("items", {}), f"{path}[{n}]") for n, each in enumerate(items)]
    if kind == "object" and isinstance(value, Mapping):
        return _object(value, schema, f"{path}.") if "properties" in schema else value
    if kind is not None:
        raise Unreadable(f"{path} must be of type {kind}")
    return value


def _truth(value: Any, path: str) -> bool:
    word = str(value).strip().lower()
    if word not in (*_YES, *_NO):
        raise Unreadable(f"{path} must be true or false")
    return word in _YES


def _choice(value: Any, choices: list[Any], path: str) -> Any:
    if value in choices:
        return value
    near = [each for each in choices if str(each).strip().lower() == str(value).strip().lower()]
    if not near:
        raise Unreadable(f"{path} must be one of {', '.join(map(str, choices))}")
    return near[0]


def _number(value: Any, path: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise Unreadable(f"{path} must be a number") from None


def _integer(value: Any, path: str) -> int:
    number = _number(value, path)
    if not number.is_integer():
        raise Unreadable(f"{path} must be a whole number")
    return int(number)


def _string(value: Any, path: str) -> str:
    return value if isinstance(value, str) else json.dumps(value)


_PLAIN = {"string": _string, "boolean": _truth, "number": _number, "integer": _integer}
