"""The formats of question sets: ours, and those that the benchmarks are published in."""

from __future__ import annotations

from collections.abc import Mapping

from plugins.evaluation.formats import cwq, grailqa, jsonl, lcquad2, qald, spinach, webqsp, wwq
from plugins.evaluation.formats.layout import Entry, Item, Layout, UnfitError

__all__ = ["AUTO", "FORMATS", "Entry", "Item", "Layout", "UnfitError", "layout_of"]

AUTO = "auto"
# In the order in which they are tried: the ones with the most telling keys first.
_ALL = (each.LAYOUT for each in (qald, webqsp, lcquad2, cwq, grailqa, wwq, spinach, jsonl))
FORMATS: Mapping[str, Layout] = {each.name: each for each in _ALL}


def layout_of(item: Item) -> Layout | None:
    """Return the format that an entry is written in, None where it is in none."""
    return next((each for each in FORMATS.values() if each.fits(item)), None)
