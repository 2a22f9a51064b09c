"""What was run, on what: written beside the outcomes, so that figures can be traced and no two runs are mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from plugins.evaluation import fingerprints
from plugins.evaluation.folder import told, write
from plugins.evaluation.variants import Variant
from plugins.nl.options import NlOptions
from plugins.nl.prompts import digest as prompts
from proxy.contract import Context
from proxy.errors import UsageError

FILE = "manifest.json"
# What may differ between a run and its resumption: how it was run, not what. A code of its own is told in the report.
_HOW = frozenset(("code", "resumed_with", "concurrency", "retries", "triples", "counts"))
_ABSENT = "nothing"
_MOST_VALUE = 80


def manifest(
    context: Context,
    endpoint: str,
    files: Sequence[Path],
    variants: Sequence[Variant],
    options: NlOptions,
    said: Mapping[str, Any],
) -> dict[str, Any]:
    """Describe a run: files, graph and indexes by content, the configuration, and what the command line said."""
    table = context.tables[endpoint]
    schema = table.schema
    return {
        "files": _files(files),
        "endpoint": {"name": endpoint, **fingerprints.plain(table)},
        "graph": fingerprints.store(table.store) if table.store is not None else None,
        "schema": {"file": schema.name, "sha256": fingerprints.digest(schema)} if schema and schema.is_file() else None,
        "search": fingerprints.search(context, endpoint),
        "plugins": {
            type(each).__module__: fingerprints.plain(each.options)
            for each in context.plugins
            if not isinstance(each.options, NlOptions)
        },
        "nl": fingerprints.plain(options),
        "variants": {
            each.name: {"strategy": each.strategy, "switches": fingerprints.plain(each.switches)} for each in variants
        },
        "prompts": prompts() if options.llm.configured else None,
        **said,
    }


def _files(files: Sequence[Path]) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in files:
        name = path.name if path.name not in found else f"{path.parent.name}/{path.name}"
        found[name] = fingerprints.digest(path)
    return found


def begun(folder: Path, described: Mapping[str, Any], *, resume: bool) -> dict[str, Any]:
    """Write the manifest into a folder and return it; a run that is resumed must be the same. Raises UsageError."""
    before = read(folder)
    document = dict(described)
    if before is not None:
        if not resume:
            raise UsageError(f"--out {folder} holds a run already; --resume goes on with it")
        differences = list(_differences(before, json.loads(_text(document))))
        if differences:
            lines = "".join(f"\n  {each}" for each in differences)
            raise UsageError(
                f"--out {folder} holds a run of other files, another endpoint, index or options; what differs:{lines}"
            )
        document = _resumed(before, document)
    write(folder / FILE, _text(document))
    return document


def ended(folder: Path, document: Mapping[str, Any], **more: Any) -> None:
    """Write what is known at the end of a run beside what was known at its beginning. Raises UsageError."""
    write(folder / FILE, _text({**document, **more}))


def read(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder; None where there is none. Raises UsageError for one that cannot be read."""
    path = folder / FILE
    with told(path):
        if not path.exists():
            return None
        text = path.read_text(encoding="utf-8", errors="replace")
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise UsageError(f"{path}: not a manifest of `saga evaluate run`")
    return found


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return what two manifests differ in, key by key, but for how they were run."""
    return list(_differences(one, other, "there", "here"))


def _resumed(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the code that the run was begun with, and every other one it was gone on with."""
    later = [*before.get("resumed_with", [])]
    if now.get("code") not in (before.get("code"), *later):
        later.append(now.get("code"))
    return {**now, "code": before.get("code"), **({"resumed_with": later} if later else {})}


def _differences(
    before: Mapping[str, Any], now: Mapping[str, Any], was: str = "was", present: str = "is now"
) -> Iterator[str]:
    old, new = dict(_flat(before)), dict(_flat(now))
    for name in sorted({*old, *new}):
        if old.get(name, _ABSENT) != new.get(name, _ABSENT):
            yield f"{name}: {was} {_shown(old.get(name, _ABSENT))}, {present} {_shown(new.get(name, _ABSENT))}"


def _flat(document: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in document.items():
        if not before and name in _HOW:
            continue
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _shown(value: Any) -> str:
    text = value if value is _ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MOST_VALUE else f"{text[:_MOST_VALUE]}..."


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"
