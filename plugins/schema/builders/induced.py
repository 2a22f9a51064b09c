"""Sides that nobody declared, from samples: they rank and explain, they never accuse."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import replace

from plugins.schema.builders.answers import Answers, iris
from plugins.schema.builders.counts import Shape
from plugins.schema.builders.progress import Progress
from plugins.schema.draft import Draft
from plugins.schema.model import Property, Side

PAIRS = 50
LEAST_SHARE = 0.15
MOST_CLASSES = 5
# The first rows of a property lie together in the index of a store: take more than needed, and choose among them.
_READ = 1_000
_NO_ITEMS = frozenset({"external-id", "time", "quantity", "string", "monolingualtext", "url", "coordinate", "media"})


async def induce(answers: Answers, draft: Draft, shape: Shape, progress: Progress) -> None:
    """Sample every used property that has a side without declared classes. Each costs two short queries."""
    wanted = [each for each in draft.properties.values() if each.usage and _missing(each)]
    progress.part("sampled properties", len(wanted))
    for record in sorted(wanted, key=lambda each: each.iri):
        draft.add_property(await _sampled(answers, record, shape))
        progress.step()
    progress.end()


def _missing(record: Property) -> bool:
    return record.domain is None or (record.range is None and record.kind not in _NO_ITEMS)


async def _sampled(answers: Answers, record: Property, shape: Shape) -> Property:
    predicate = shape.predicate(record)
    found = await answers.ask("sample", f"SELECT ?s ?o {{ ?s <{predicate}> ?o }} LIMIT {_READ}")
    pairs = sorted(((row["s"], row["o"]) for row in found if "s" in row and "o" in row), key=_scatter)[:PAIRS]
    subjects = [subject.value for subject, _ in pairs if subject.kind == "iri"]
    objects = [value.value for _, value in pairs if value.kind == "iri"]
    wanted = list(dict.fromkeys([*subjects, *(objects if record.range is None else [])]))
    types = await _types(answers, wanted, shape)
    domain, range_ = record.domain, record.range
    if domain is None:
        domain = induced_side((types.get(each, ()) for each in subjects), len(pairs))
    if range_ is None:
        range_ = induced_side((types.get(each, ()) for each in objects), len(pairs))
    return replace(record, domain=domain, range=range_)


async def _types(answers: Answers, entities: list[str], shape: Shape) -> dict[str, set[str]]:
    types: dict[str, set[str]] = defaultdict(set)
    listed = iris(entities)
    if listed:
        text = f"SELECT ?x ?type {{ VALUES ?x {{ {listed} }} ?x <{shape.type}> ?type }}"
        for row in await answers.ask("sample types", text):
            if row["type"].kind == "iri":
                types[row["x"].value].add(row["type"].value)
    return types


def induced_side(typed: Iterable[Iterable[str]], sampled: int) -> Side | None:
    """Return the types that 15 % or more of the sample have, at most five; None where there is no such type."""
    each_types = [frozenset(types) for types in typed]
    counted = Counter(iri for types in each_types for iri in types)
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    chosen = [iri for iri, count in ranked if count >= LEAST_SHARE * sampled][:MOST_CLASSES]
    if not chosen:
        return None
    covered = sum(not types.isdisjoint(chosen) for types in each_types)
    share = round(covered / sampled, 3)
    return Side(classes=tuple(chosen), source="induced", support=sampled, share=share)


def _scatter(pair: tuple[object, ...]) -> bytes:
    # The same sample at every build, and not the first rows.
    return hashlib.blake2b(repr(pair).encode("utf-8", "replace"), digest_size=8).digest()
