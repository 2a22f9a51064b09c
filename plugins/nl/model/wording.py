"""The words by which a model is told how to answer, where its server does not do that; they are prompts like others."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from plugins.nl.model.contract import Offer
from plugins.nl.prompts import prompt


def in_text(offers: Sequence[Offer]) -> str:
    """Say how an action is named in plain text."""
    return prompt("act_text", "other", offers=offers).system


def in_json(offers: Sequence[Offer]) -> str:
    """Say how an action is named in an object."""
    return prompt("act_json", "other", offers=offers).system


def filled(schema: Mapping[str, Any]) -> str:
    """Say what object is wanted."""
    return prompt("form", "other", schema=json.dumps(schema, ensure_ascii=False)).system


def lines(offers: Sequence[Offer]) -> str:
    """Show each action alone, as it is named in plain text."""
    return prompt("one_line", "other", offers=offers).system


def small_objects(offers: Sequence[Offer]) -> str:
    """Show each action alone, as it is named in an object."""
    return prompt("one_object", "other", offers=offers).system


def mend(why: str, forms: str) -> str:
    """Say what is wrong with a reply, and what it should look like."""
    return prompt("repair", "repair", why=why, forms=forms).user
