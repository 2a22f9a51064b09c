"""What was run, on what: written beside the outcomes, so that figures can be traced and no two runs are mixed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plugins.search.options import SearchOptions
from proxy.contract import Context
from proxy.errors import UsageError

FILE = "manifest.json"
_BLOCK = 1024 * 1024


def manifest(context: Context, endpoint: str, files: Sequence[Path], said: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a run: files by content, endpoint, indexes by content, and what the command line said."""
    table = context.tables[endpoint]
    schema = table.schema
    return {
        "files": {path.name: _digest(path) for path in files},
        "endpoint": {"name": endpoint, "store": str(table.store or ""), "url": table.url, "graph": table.graph},
        "schema": {"file": schema.name, "sha256": _digest(schema)} if schema is not None and schema.is_file() else None,
        "search": _search(context, endpoint),
        **said,
    }


def held(folder: Path, described: Mapping[str, Any], *, resume: bool) -> None:
    """Write the manifest into a folder; of a run that is resumed it must be the same. Raises UsageError."""
    path = folder / FILE
    document = json.dumps(described, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if path.exists() and not resume:
        raise UsageError(f"--out {folder} holds a run already; --resume goes on with it")
    if path.exists() and path.read_text(encoding="utf-8") != document:
        raise UsageError(f"--out {folder} holds a run of other files, another endpoint, index or options: see {path}")
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(document, encoding="utf-8")


def _search(context: Context, endpoint: str) -> dict[str, str] | None:
    """Return the search index by the name of its present version, which changes with every build."""
    options = next((each.options for each in context.plugins if isinstance(each.options, SearchOptions)), None)
    own = options.endpoints.get(endpoint) if options else None
    folder = (own.index if own else None) or getattr(context.tables[endpoint], "search", None)
    if folder is None or not folder.is_dir():
        return None
    lists = sorted(path for path in folder.iterdir() if path.is_file())
    return {"folder": folder.name, "sha256": hashlib.sha256(b"".join(map(_bytes, lists))).hexdigest()}


def _bytes(path: Path) -> bytes:
    return path.read_bytes()


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()
