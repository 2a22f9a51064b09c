"""What a run stands on, told by its content: files, indexes, stores, code; and options without their secrets."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from plugins.search.options import SearchOptions
from proxy.contract import Context

_ROOT = Path(__file__).parent.parent.parent
_PACKAGE = "saga-sparql-proxy"
_BLOCK = 1024 * 1024
_GIT_S = 20.0
_SECRET = re.compile(r"password|secret|api_?key|authorization|^headers$|^user$|^sha256$", re.I)


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found.update(block)
    return found.hexdigest()


def store(folder: Path) -> str:
    """Return a fingerprint of a store: the names and sizes of its tables, which opening it for reading leaves alone."""
    tables = sorted(f"{path.name} {path.stat().st_size}" for path in folder.glob("*.sst"))
    return hashlib.sha256("\n".join(tables).encode()).hexdigest()


def search(context: Context, endpoint: str) -> dict[str, str] | None:
    """Return the search index by the name of its present version, which changes with every build."""
    options = next((each.options for each in context.plugins if isinstance(each.options, SearchOptions)), None)
    own = options.endpoints.get(endpoint) if options else None
    folder = (own.index if own else None) or context.tables[endpoint].search
    if folder is None or not folder.is_dir():
        return None
    lists = sorted(path for path in folder.iterdir() if path.is_file())
    return {"folder": folder.name, "sha256": hashlib.sha256(b"".join(path.read_bytes() for path in lists)).hexdigest()}


def code() -> dict[str, Any]:
    """Return the commit of a checkout, and whether it was changed since; of an installed package its version."""
    said: dict[str, Any] = {"version": _version()}
    if not (_ROOT / ".git").exists():
        return said
    commit = _git("rev-parse", "HEAD")
    if commit:
        said["commit"] = commit
        said["changed"] = bool(_git("status", "--porcelain", "--untracked-files=no", "--", "proxy", "plugins"))
    return said


def plain(value: Any) -> Any:
    """Return options as JSON can hold them: no secrets, and files by their name, so that a folder may be moved."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if not _SECRET.search(each.name)}
    if isinstance(value, Mapping):
        return {str(name): plain(each) for name, each in sorted(value.items()) if not _SECRET.search(str(name))}
    if isinstance(value, tuple | list | frozenset):
        return [plain(each) for each in value]
    if isinstance(value, Path):
        return value.name
    if isinstance(value, str):
        return _bare(value)
    return value if value is None or isinstance(value, bool | int) else _number(value)


def _number(value: Any) -> Any:
    # Infinity is none of JSON's numbers.
    return value if isinstance(value, float) and abs(value) != float("inf") else str(value)


def _bare(text: str) -> str:
    """Return an address without what may be a secret in it: user, password, and the query."""
    if "://" not in text:
        return text
    try:
        parts = urlsplit(text)
    except ValueError:
        return "an address that cannot be read"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _version() -> str:
    try:
        return metadata.version(_PACKAGE)
    except metadata.PackageNotFoundError:
        return ""


def _git(*words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(_ROOT), *words], capture_output=True, text=True, timeout=_GIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
