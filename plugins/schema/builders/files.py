"""Files that a schema is built from: RDF goes into a store that is thrown away, tables are read line by line."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import pyoxigraph
import zstandard

from proxy.errors import UsageError

_TABLES = (".tsv", ".txt")
_COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz")
_SUFFIXES = {".owl": "rdf", ".rdfs": "rdf", ".xml": "rdf", ".ntriples": "nt", ".nquads": "nq", ".turtle": "ttl"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The files of a build, told apart by their names."""

    rdf: tuple[Path, ...]
    tables: tuple[Path, ...]


def given(paths: Sequence[Path]) -> Given:
    """Sort the files. Raises UsageError for one that is absent or of no known kind."""
    rdf: list[Path] = []
    tables: list[Path] = []
    for path in paths:
        if not path.is_file():
            raise UsageError(f"{path}: no such file; --from takes RDF files and the tables named in --help")
        (tables if _bare(path).suffix.lower() in _TABLES else rdf).append(path)
    for path in rdf:
        _format(path)
    return Given(rdf=tuple(rdf), tables=tuple(tables))


@contextlib.contextmanager
def open_bytes(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, decompressed by its name. Raises UsageError where it cannot be read."""
    openers: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": zstandard.open}
    opener = openers.get(path.suffix.lower(), open)
    try:
        with cast("IO[bytes]", opener(path, "rb")) as file:
            yield file
    except (OSError, EOFError, lzma.LZMAError, zstandard.ZstdError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error


def lines(path: Path) -> Iterator[list[str]]:
    """Yield the columns of a table of tab-separated values. Raises UsageError."""
    with open_bytes(path) as file:
        for line in file:
            yield line.decode("utf-8", "replace").rstrip("\r\n").split("\t")


@contextlib.contextmanager
def loaded(paths: Sequence[Path], prefixes: dict[str, str]) -> Iterator[pyoxigraph.Store]:
    """Load RDF files into a store on disk that is gone afterwards; their prefixes are added. Raises UsageError."""
    folder = tempfile.mkdtemp(prefix="saga-schema-")
    try:
        store = pyoxigraph.Store(folder)
        for path in paths:
            with open_bytes(path) as file:
                try:
                    store.bulk_load(input=file, format=_format(path), base_iri=path.absolute().as_uri(), lenient=True)
                except SyntaxError as error:
                    raise UsageError(f"{path} is not the RDF that its name says: {error}") from error
            prefixes.update(_prefixes(path))
        yield store
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _prefixes(path: Path) -> dict[str, str]:
    """Return the prefixes of a file, as far as they are known after its first triple."""
    with open_bytes(path) as file:
        try:
            parser = pyoxigraph.parse(input=file, format=_format(path), base_iri="file:///", lenient=True)
            next(iter(parser), None)
        except SyntaxError:
            return {}
        return dict(parser.prefixes)


def _bare(path: Path) -> Path:
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path


def _format(path: Path) -> pyoxigraph.RdfFormat:
    suffix = _bare(path).suffix.lower()
    found = pyoxigraph.RdfFormat.from_extension(_SUFFIXES.get(suffix, suffix.lstrip(".")))
    if found is None:
        raise UsageError(f"{path}: its name does not tell the format; use .nt, .ttl, .rdf, .nq, .trig, .jsonld or .tsv")
    return found
