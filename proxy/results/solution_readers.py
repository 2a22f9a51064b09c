"""Readers that keep the solutions they read, until somebody takes them."""

from __future__ import annotations

import json
import re
from typing import Protocol

from proxy.results.formats import Format
from proxy.results.json_reader import JsonReader
from proxy.results.json_terms import plain_solution
from proxy.results.state import State
from proxy.results.terms import Solution, blank, iri, literal
from proxy.results.tsv_reader import TsvReader
from proxy.results.turtle_terms import term_of
from proxy.results.xml_reader import XmlReader


class SolutionReader(Protocol):
    """A reader whose solutions are taken after each chunk. ``columns`` is None until the header was read."""

    state: State
    solutions: list[Solution]

    @property
    def header(self) -> list[str] | None:
        """The names of the variables, once they are known."""

    def feed(self, chunk: bytes) -> None:
        """Read one more chunk."""

    def hurry(self) -> None:
        """Read what waits for the next chunk."""

    def finish(self) -> None:
        """Judge the end."""


class JsonSolutions(JsonReader):
    """Keep the solutions of JSON results."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.solutions: list[Solution] = []

    @property
    def header(self) -> list[str] | None:
        """The names of the variables, once they are known."""
        return self.columns

    def take_span(self, data: bytes, start: int, end: int) -> None:
        """Keep rows that were swallowed."""
        rows = json.loads(b"[" + data[start:end].rstrip(b" \t\r\n,") + b"]")
        self.solutions.extend(map(plain_solution, rows))

    def take_row(self, row: Solution) -> None:
        """Keep one row."""
        self.solutions.append(row)


_BINDING = re.compile(
    r'<binding name="([^"]*)">\s*<(uri|bnode|literal)(?: xml:lang="([^"]*)"| datatype="([^"]*)")?(?: ?/>|>([^<]*)<)'
)
_REFERENCE = re.compile("&([^;]*);")
_REFERENCES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"} | {
    f"#{mark}": char for char, marks in (("\t", "9 x9"), ("\n", "10 xa"), ("\r", "13 xd")) for mark in marks.split()
}
# A raw line end is one character to an XML parser, whatever it was made of.
_LINE_END = re.compile(r"\r\n?")


def _plain(text: str) -> str:
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    return _REFERENCE.sub(lambda found: _REFERENCES[found[1].lower()], text) if "&" in text else text


class XmlSolutions(XmlReader):
    """Keep the solutions of XML results."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.solutions: list[Solution] = []

    @property
    def header(self) -> list[str] | None:
        """The names of the variables, once they are known."""
        return self.columns if "head" in self.seen else None

    def take_match(self, found: re.Match[bytes]) -> None:
        """Keep one row that was swallowed."""
        row: Solution = {}
        for name, kind, language, datatype, text in _BINDING.findall(found[0].decode()):
            value = _plain(text)
            if kind == "uri":
                row[name] = iri(value)
            elif kind == "bnode":
                row[name] = blank(value.removeprefix("_:"))
            else:
                row[name] = literal(value, _plain(datatype), _plain(language))
        self.solutions.append(row)

    def take_row(self, row: Solution) -> None:
        """Keep one row."""
        self.solutions.append(row)


class TsvSolutions(TsvReader):
    """Keep the solutions of TSV results."""

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self.solutions: list[Solution] = []

    @property
    def header(self) -> list[str] | None:
        """The names of the variables, once they are known."""
        return None if self.pattern is None else self.columns

    def take_match(self, found: re.Match[bytes]) -> int:
        """Keep one row that was swallowed."""
        cells = found[0].decode().rstrip("\r\n").split("\t")
        self.solutions.append({name: term_of(cell) for name, cell in zip(self.columns, cells, strict=False) if cell})
        return 1

    def take_row(self, row: Solution) -> None:
        """Keep one row."""
        self.solutions.append(row)


SOLUTION_READERS: dict[Format, type[JsonSolutions | XmlSolutions | TsvSolutions]] = {
    Format.JSON: JsonSolutions,
    Format.XML: XmlSolutions,
    Format.TSV: TsvSolutions,
}
