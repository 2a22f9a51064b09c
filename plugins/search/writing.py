"""Records, written into a folder of tantivy; a writer that was killed goes on behind its last commit."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import tantivy

from plugins.schema.builders.progress import Progress
from plugins.search.folding import has_signs, prefixes, terms
from plugins.search.gather import Gather
from plugins.search.profile import Reading
from plugins.search.records import Record
from proxy.errors import ConfigError

# What is lost by a kill, and how many records one segment begins with.
COMMIT_RECORDS = 250_000
_HEAP_BYTES = 256 * 1024 * 1024
_STEP = 1_000


def schema() -> tantivy.Schema:
    """Return the fields of a record: terms to find it by, its popularity to order by, and itself."""
    fields = tantivy.SchemaBuilder()
    for name in ("iri", "kind", "exact", "exact_signs"):
        fields.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("words", "signs", "prefixes"):
        fields.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    fields.add_unsigned_field("popularity", fast=True)
    fields.add_bytes_field("record", stored=True)
    return fields.build()


class Writer:
    """Writes records one after the other."""

    def __init__(self, folder: Path, commit_records: int = COMMIT_RECORDS) -> None:
        """Open the folder, or make it. Raises ConfigError."""
        self._commit_records = commit_records
        try:
            self._index, self.done = _opened(folder)
            # One thread: a commit then holds a beginning of the records, never a selection.
            self._writer = self._index.writer(_HEAP_BYTES, 1)
        except (OSError, ValueError) as error:
            raise ConfigError(f"{folder}: {error}") from error
        self._pending = 0

    def add(self, record: Record) -> None:
        """Add a record, and commit when it is time."""
        document = tantivy.Document()
        document.add_text("iri", record.iri)
        document.add_text("kind", record.kind)
        for key in exact_keys(record):
            document.add_text(exact_field(key), key)
        words, signs = terms(each.folded for each in record.folded)
        document.add_text("words", " ".join(words))
        document.add_text("signs", " ".join(signs))
        document.add_text("prefixes", " ".join(prefixes(words)))
        document.add_unsigned("popularity", max(0, record.popularity))
        document.add_bytes("record", record.encoded())
        self._writer.add_document(document)
        self._pending += 1
        if self._pending >= self._commit_records:
            self.commit()

    def commit(self) -> None:
        """Keep what was added. Raises ConfigError where the disk is full."""
        try:
            self._writer.commit()
        except (OSError, ValueError) as error:
            raise ConfigError(f"the index cannot be written: {error}") from error
        self.done += self._pending
        self._pending = 0

    def close(self) -> None:
        """Keep what was added, and wait until all parts are in their final form."""
        self.commit()
        self._writer.wait_merging_threads()


def exact_field(key: str) -> str:
    """Return the field of a whole name. Among thousands of signs a search for typos in an alphabet would be lost."""
    return "exact_signs" if has_signs(key) else "exact"


def exact_keys(record: Record) -> set[str]:
    """Return the terms that find a record by a whole name."""
    return {key for each in record.folded for key in (each.folded, each.plain) if key}


class Records:
    """The records of a gather, written in steps that are short enough for a person to wait for."""

    def __init__(self, gather: Gather, reading: Reading, writer: Writer, progress: Progress) -> None:
        self._found = _records(gather, reading)
        self._writer = writer
        self._progress = progress
        self.counts = {"entities": 0, "properties": 0, "classes": 0, "names": 0}
        self._left = writer.done

    def step(self) -> bool:
        """Write some records; False where there are no more."""
        batch = list(itertools.islice(self._found, _STEP))
        for record in batch:
            self.counts["properties" if record.kind == "property" else "entities"] += 1
            self.counts["classes"] += record.is_class
            self.counts["names"] += len(record.names)
            if self._left:
                self._left -= 1
            else:
                self._writer.add(record)
        self._progress.step(len(batch))
        return bool(batch)


def _records(gather: Gather, reading: Reading) -> Iterator[Record]:
    for iri, draft in gather.merged():
        record = draft.record(iri, reading)
        if record is not None:
            yield record


def _opened(folder: Path) -> tuple[tantivy.Index, int]:
    """Return an index, and how many records were committed to it."""
    if folder.is_dir():
        try:
            index = tantivy.Index.open(str(folder))
            index.reload()
            return index, index.searcher().num_docs
        except ValueError:
            # It was killed before its first commit.
            shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return tantivy.Index(schema(), path=str(folder)), 0
