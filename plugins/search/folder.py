"""The folder of an index: a sealed list of its files, and the files in a folder of their own beneath it.

The list, `search.json`, is the index: it names graph, counts and the digest of every file. A new index is written
beside the old one; when it is whole the list is replaced by a rename, and what it named before is deleted.
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.schema.container import write
from plugins.search.profile import family
from proxy.errors import ConfigError

LIST = "search.json"
BUILDING = "building"
VERSION = 1
_DIGEST_BYTES = 16
_STEP_BYTES = 4 * 1024 * 1024
_LARGEST_LIST = 4 * 1024 * 1024
_PARTS = {"graph", "built", "folder", "counts", "languages", "namespaces", "files"}


class SearchDamaged(ConfigError):
    """The index cannot be used: damaged, cut short, foreign, of another version or of another graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """What the list of an index says.

    Shapes: ``folder`` holds the files; ``counts`` are those of the build; ``namespaces`` map a namespace to what stands
    for it in an id.
    """

    graph: str
    built: str
    folder: Path
    counts: Mapping[str, int]
    languages: tuple[str, ...]
    namespaces: Mapping[str, str]


def seal(out: Path, built: Path, graph: str, counts: Mapping[str, int], languages: tuple[str, ...],
         namespaces: Mapping[str, str]) -> Sealed:  # fmt: skip
    """Put finished files in the place of the index in ``out``. Raises ConfigError."""
    files = {path.name: (path.stat().st_size, _digest(path)) for path in sorted(built.iterdir()) if _counts(path)}
    now = datetime.datetime.now(datetime.UTC)
    place = out / f"index-{now:%Y%m%d-%H%M%S-%f}"
    listed = {
        "graph": graph, "built": now.isoformat(), "folder": place.name, "counts": dict(counts),
        "languages": list(languages), "namespaces": dict(namespaces), "files": files,
    }  # fmt: skip
    try:
        built.rename(place)
        document = {"saga_search": VERSION, "check": _check(listed), "index": listed}
        write(out / LIST, [json.dumps(document, ensure_ascii=True, indent=1).encode()])
    except OSError as error:
        raise ConfigError(f"{out}: {error.strerror}") from error
    for old in out.glob("index-*"):
        # Whoever has the old one open keeps it: its files live until they are closed.
        if old != place:
            shutil.rmtree(old, ignore_errors=True)
    return _sealed(out, listed)


def unsealed(out: Path, graph: str = "") -> Sealed:
    """Return what the list of a folder says, after a check of every file. Raises SearchDamaged."""
    try:
        data = (out / LIST).read_bytes()[:_LARGEST_LIST]
    except OSError as error:
        why = "there is no index" if isinstance(error, FileNotFoundError) else str(error.strerror)
        raise _damaged(out, why) from error
    listed = _listed(out, data)
    if graph and family(listed["graph"]) != family(graph):
        raise _damaged(out, f"it is of a graph of kind {listed['graph']!r}, the endpoint's is {graph!r}")
    for name, (size, digest) in listed["files"].items():
        path = out / listed["folder"] / name
        try:
            if path.stat().st_size != size:
                raise _damaged(out, f"its file {name} is cut short")
            if _digest(path) != digest:
                raise _damaged(out, f"its file {name} has changed since it was written")
        except OSError as error:
            raise _damaged(out, f"its file {name} is missing") from error
    return _sealed(out, listed)


@contextlib.contextmanager
def alone(out: Path) -> Iterator[bool]:
    """Hold the right to build in a folder; False where another process builds. Raises ConfigError."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock = open(out / ".lock", "ab")  # noqa: SIM115 - it is held while the caller builds
    except OSError as error:
        raise ConfigError(f"{out}: {error.strerror}: name a folder that can be written") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _listed(out: Path, data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
        version, listed = found["saga_search"], found["index"]
        if version != VERSION:
            raise _damaged(out, f"it has version {version!r} of the format, this Saga reads version {VERSION}")
        whole = found["check"] == _check(listed) and listed.keys() >= _PARTS
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(out, f"its {LIST} is damaged, or not of Saga") from error
    if not whole:
        raise _damaged(out, f"its {LIST} has changed since it was written")
    return dict(listed)


def _sealed(out: Path, listed: dict[str, Any]) -> Sealed:
    return Sealed(
        graph=listed["graph"],
        built=listed["built"],
        folder=out / listed["folder"],
        counts=listed["counts"],
        languages=tuple(listed["languages"]),
        namespaces=listed["namespaces"],
    )


def _damaged(out: Path, why: str) -> SearchDamaged:
    return SearchDamaged(f"{out}: {why}; `saga search build --out {out}` makes the index")


def _check(listed: Mapping[str, Any]) -> str:
    return hashlib.blake2b(json.dumps(listed, sort_keys=True).encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _counts(path: Path) -> bool:
    return path.is_file() and not path.name.endswith(".lock")


def _digest(path: Path) -> str:
    hashed = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    with open(path, "rb") as file:
        while data := file.read(_STEP_BYTES):
            hashed.update(data)
    return hashed.hexdigest()
