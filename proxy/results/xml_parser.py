"""Expat, set up for bodies from outside: UTF-8 only, no document type, no entities."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.parsers import expat

from proxy.results.bounds import MAX_ATTRIBUTES, MAX_DEPTH, MAX_PREFIXES, MAX_TAG_BYTES
from proxy.results.reader import MalformedError

XML = "http://www.w3.org/XML/1998/namespace "
_NOT_IN_IRI = re.compile(r'[\x00-\x20<>"{}|^`\\]')
Attributes = dict[str, str]


class XmlParser:
    """Feed an XML document in pieces; the three handlers get names as `namespace local`.

    Raises: MalformedError for what is not well-formed, and for document types, other encodings and excess.
    """

    def __init__(
        self,
        start: Callable[[str, Attributes], None],
        end: Callable[[str], None],
        text: Callable[[str], None],
    ) -> None:
        self._start, self._end = start, end
        self._fed = 0
        self._depth = 0
        self._open_prefixes = 0
        # The default namespaces declared so far, the first two of them.
        self.defaults: list[str | None] = []
        self._parser = parser = expat.ParserCreate("UTF-8", namespace_separator=" ")
        parser.buffer_text = True
        parser.StartElementHandler = self._on_start
        parser.EndElementHandler = self._on_end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._on_doctype
        parser.StartNamespaceDeclHandler = self._on_prefix
        parser.EndNamespaceDeclHandler = self._on_prefix_end
        parser.ProcessingInstructionHandler = self._on_instruction
        parser.XmlDeclHandler = self._on_declaration

    @property
    def event_index(self) -> int:
        """Where the tag that is being handled starts, counted in bytes fed."""
        return self._parser.CurrentByteIndex

    def feed(self, data: bytes) -> None:
        """Parse one more piece."""
        self._fed += len(data)
        try:
            self._parser.Parse(data, False)
        except expat.ExpatError as error:
            raise MalformedError(f"not well-formed XML ({expat.ErrorString(error.code)})") from None
        if self._fed - max(self.event_index, 0) > MAX_TAG_BYTES:
            raise MalformedError(f"a tag or comment is longer than {MAX_TAG_BYTES} bytes")

    def close(self) -> None:
        """Say that the document ends here."""
        try:
            self._parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise MalformedError(f"not well-formed XML at its end ({expat.ErrorString(error.code)})") from None

    def _on_start(self, name: str, attributes: Attributes) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH or len(attributes) > MAX_ATTRIBUTES:
            raise MalformedError("XML elements are nested too deeply or have too many attributes")
        self._start(name, attributes)

    def _on_end(self, name: str) -> None:
        self._depth -= 1
        self._end(name)

    def _on_doctype(self, *_: object) -> None:
        raise MalformedError("XML with a document type or entities is refused")

    def _on_instruction(self, target: str, data: str) -> None:
        # One that was cut takes in whatever follows, up to the end of another one.
        if "<?" in data:
            raise MalformedError("an instruction was cut")

    def _on_prefix(self, prefix: str | None, uri: str | None) -> None:
        if prefix is None and len(self.defaults) < 2:
            self.defaults.append(uri)
        if uri is not None and _NOT_IN_IRI.search(uri):
            raise MalformedError("a namespace is no IRI")
        self._open_prefixes += 1
        if self._open_prefixes > MAX_PREFIXES:
            raise MalformedError("too many namespace declarations")

    def _on_prefix_end(self, _: object) -> None:
        self._open_prefixes -= 1

    def _on_declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding is not None and encoding.lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
            raise MalformedError("XML in another encoding than UTF-8 is refused")
