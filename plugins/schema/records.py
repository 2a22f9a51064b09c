"""Properties and classes as the records of a file: JSON, with what is usual left out."""

from __future__ import annotations

import json
from typing import Any

from plugins.schema.model import Property, Side


def encode_property(record: Property) -> str:
    """Return the record of a property."""
    data: dict[str, Any] = {"id": record.id, "iri": record.iri}
    for key in ("label", "description", "kind", "inverse", "usage"):
        if value := getattr(record, key):
            data[key] = value
    for key in ("aliases", "qualifiers"):
        if value := getattr(record, key):
            data[key] = list(value)
    if record.labels:
        data["labels"] = dict(record.labels)
    for key in ("domain", "range"):
        side = getattr(record, key)
        if side is not None:
            data[key] = _encode_side(side)
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def decode_property(text: str) -> Property:
    """Read the record of a property."""
    data = json.loads(text)
    for key in ("aliases", "qualifiers"):
        data[key] = tuple(data.get(key, ()))
    for key in ("domain", "range"):
        if key in data:
            data[key] = _decode_side(data[key])
    return Property(**data)


def _encode_side(side: Side) -> dict[str, Any]:
    data: dict[str, Any] = {"classes": list(side.classes)}
    usual = Side(classes=())
    for key in ("relation", "status", "source", "support", "share"):
        if (value := getattr(side, key)) != getattr(usual, key):
            data[key] = value
    if side.exceptions:
        data["exceptions"] = sorted(side.exceptions)
    return data


def _decode_side(data: dict[str, Any]) -> Side:
    data["classes"] = tuple(data["classes"])
    data["exceptions"] = frozenset(data.get("exceptions", ()))
    return Side(**data)
