"""Words that people use for a property, learned from questions with their queries.

Source: the project's own measurements: a word or a pair of words counts for a property where both were seen together
at least twice; its weight is lift times confidence, and the four best words of a question are summed.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from plugins.schema.container import write
from plugins.schema.words import stem
from plugins.search.folding import fold, runs, wanted
from proxy.errors import ConfigError

FILE = "learned.gz"
VERSION = 1
MOST_ENTRIES = 200_000
_MOST_CHARS = 2_000
_MOST_TERMS = 200
_MOST_PER_TERM = 20
_LEAST_COUNT = 2
_BEST_WORDS = 4
_FILE_BYTES = 64 * 1024 * 1024


class Learned:
    """Weights of words for properties.

    Shapes: ``entries`` are, by word or by two words with a space, pairs of a property's IRI and a weight.
    """

    def __init__(self, entries: Mapping[str, Sequence[tuple[str, float]]], graph: str = "", questions: int = 0) -> None:
        self.entries = entries
        self.graph = graph
        self.questions = questions

    @classmethod
    def open(cls, path: Path, graph: str = "") -> Self:
        """Read a file, or the one in a folder. Raises ConfigError where it cannot be used, or is of another graph."""
        path = path / FILE if path.is_dir() else path
        try:
            found = json.loads(_unpacked(path))
            version = found["saga_learned"]
            if version != VERSION:
                raise _unusable(path, f"it has version {version!r} of the format, this Saga reads version {VERSION}")
            iris: list[str] = [str(iri) for iri in found["properties"]]
            entries = {
                str(words): [(iris[int(number)], float(weight)) for number, weight in pairs]
                for words, pairs in found["words"].items()
            }
            made = cls(entries, str(found["graph"]), int(found["questions"]))
        except OSError as error:
            raise _unusable(path, error.strerror or "it cannot be read") from error
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError, zlib.error) as error:
            raise _unusable(path, "it is damaged, or no such file") from error
        if graph and made.graph and made.graph != graph:
            raise _unusable(path, f"it was learned on a graph of kind {made.graph!r}, this one is {graph!r}")
        return made

    def write(self, folder: Path) -> Path:
        """Write the file into a folder, as a whole or not at all, and return its path. Raises ConfigError."""
        iris = sorted({iri for pairs in self.entries.values() for iri, _ in pairs})
        numbers = {iri: number for number, iri in enumerate(iris)}
        words = {
            each: [[numbers[iri], round(weight, 5)] for iri, weight in self.entries[each]]
            for each in sorted(self.entries)
        }
        head = {"saga_learned": VERSION, "graph": self.graph, "questions": self.questions}
        document = {**head, "properties": iris, "words": words}
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"{folder}: {error.strerror}") from error
        write(folder / FILE, [gzip.compress(json.dumps(document, ensure_ascii=False).encode(), mtime=0)])
        return folder / FILE

    def rank(self, question: str) -> dict[str, float]:
        """Return by IRI the weight of each property that the words of a question speak for, the greatest first."""
        found: dict[str, list[float]] = {}
        for each in spoken(question):
            for iri, weight in self.entries.get(each, ()):
                found.setdefault(iri, []).append(weight)
        scores = {iri: sum(sorted(weights)[-_BEST_WORDS:]) for iri, weights in found.items()}
        return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def learn(pairs: Iterable[tuple[str, frozenset[str]]], graph: str = "", most: int = MOST_ENTRIES) -> Learned:
    """Learn from questions, each with the IRIs of the properties of its query.

    Bounded: of a word the best 20 properties are kept, and of all the ``most`` entries with the greatest weights.
    """
    questions = 0
    words: Counter[str] = Counter()
    properties: Counter[str] = Counter()
    together: Counter[tuple[str, str]] = Counter()
    for question, used in pairs:
        questions += 1
        said = spoken(question)
        words.update(said)
        properties.update(used)
        together.update((each, iri) for each in said for iri in used)
    weights: dict[str, list[tuple[str, float]]] = {}
    for (each, iri), count in together.items():
        if count >= _LEAST_COUNT:
            confidence = count / words[each]
            lift = confidence * questions / properties[iri]
            weights.setdefault(each, []).append((iri, lift * confidence))
    return Learned(_bounded(weights, most), graph, questions)


def spoken(question: str) -> set[str]:
    """Return the stems of a question's words, and those of two words that stand together."""
    single = [stem(word) for word, _ in wanted(runs(_folded(question)))[:_MOST_TERMS]]
    return {*single, *(f"{first} {second}" for first, second in pairwise(single))}


def _folded(text: str) -> str:
    """Fold a text that is longer than a name; of a very long one, its beginning."""
    return " ".join(fold(word) for word in text[:_MOST_CHARS].split())


def _bounded(weights: Mapping[str, list[tuple[str, float]]], most: int) -> dict[str, list[tuple[str, float]]]:
    kept = {
        each: sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:_MOST_PER_TERM] for each, pairs in weights.items()
    }
    if sum(map(len, kept.values())) <= most:
        return kept
    flat = [(-weight, each, iri) for each, pairs in kept.items() for iri, weight in pairs]
    bounded: dict[str, list[tuple[str, float]]] = {}
    for weight, each, iri in sorted(flat)[:most]:
        bounded.setdefault(each, []).append((iri, -weight))
    return bounded


def _unpacked(path: Path) -> bytes:
    with gzip.open(path, "rb") as file:
        data = file.read(_FILE_BYTES + 1)
    if len(data) > _FILE_BYTES:
        raise ValueError("too large")
    return data


def _unusable(path: Path, why: str) -> ConfigError:
    return ConfigError(f"{path}: {why}; `saga search learn FILE.jsonl --out {path.parent}` makes one")


def parsed(line: bytes) -> dict[str, Any] | None:
    """Return a line of JSON that holds an object, or None."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
