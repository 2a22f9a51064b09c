"""RDF/XML: read, checked and counted while it streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin
from xml.sax.saxutils import escape

from proxy.results.bounds import MAX_ROW_BYTES
from proxy.results.rdfxml_names import LABEL, check_name, open_tag
from proxy.results.reader import MalformedError, Reader
from proxy.results.state import State
from proxy.results.terms import LANGUAGE_TAG, RDF, Statement, Term, blank, iri, literal, triple
from proxy.results.xml_parser import XML, Attributes, XmlParser

_NS = RDF + " "
_ITS_DIR = "http://www.w3.org/2005/11/its dir"
_FIRST, _REST, _NIL, _TYPE = (iri(RDF + name) for name in ("first", "rest", "nil", "type"))
_STATEMENT = tuple(iri(RDF + name) for name in ("subject", "predicate", "object"))
# Units: bytes; see json_reader.
_WAIT = 2048

_Kind = Literal["document", "nodes", "node", "property", "collection", "markup", "triple"]


@dataclass(slots=True)
class _Frame:
    """An open element: what it is, what is inherited from it, and what was collected in it."""

    kind: _Kind
    language: str = ""
    direction: str = ""
    base: str = ""
    subject: Term = _NIL
    predicate: Term = _NIL
    object: Term | None = None
    datatype: str = ""
    statement_id: str = ""
    items: int = 0
    texts: list[str] = field(default_factory=list)


class RdfXmlReader(Reader):
    """Read RDF/XML by expat and a stack of elements.

    Source: RDF 1.2 XML Syntax section 6.
    """

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self._parser = XmlParser(self._start, self._end, self._text)
        self._stack = [_Frame("document")]
        self._blanks = 0
        self._captured: list[list[Statement]] = []
        self._size = 0
        self._done = False

    def take_statement(self, statement: Statement) -> None:
        """Take one triple."""

    def advance(self, data: bytes) -> int:
        """Feed expat."""
        if self.patient and len(data) < _WAIT:
            return 0
        self._parser.feed(data)
        return len(data)

    def close(self) -> None:
        """Say whether the last element was closed."""
        self._parser.close()
        if not self._done:
            raise MalformedError("the body holds no graph")

    # Handlers of expat.

    def _start(self, name: str, attributes: Attributes) -> None:
        parent = self._stack[-1]
        frame = _Frame("node", parent.language, parent.direction, parent.base)
        own = self._inherit(frame, attributes)
        self._stack.append(frame)
        if parent.kind == "markup":
            frame.kind = "markup"
            frame.texts = parent.texts
            parent.texts.append(open_tag(name, attributes))
        elif parent.kind == "node":
            self._start_property(frame, parent, name, own)
        elif name == _NS + "RDF":
            self._start_root(frame, parent, own)
        else:
            self._start_node(frame, parent, name, own)

    def _inherit(self, frame: _Frame, attributes: Attributes) -> Attributes:
        """Set language, direction and base, and return the other attributes."""
        own = dict(attributes)
        frame.language = own.pop(XML + "lang", frame.language)
        frame.direction = own.pop(_ITS_DIR, frame.direction)
        if (frame.language and not LANGUAGE_TAG.fullmatch(frame.language)) or frame.direction not in ("", "ltr", "rtl"):
            raise MalformedError("a language or direction is unreadable")
        own.pop("http://www.w3.org/2005/11/its version", None)
        own.pop(_NS + "version", None)
        if (base := own.pop(XML + "base", None)) is not None:
            frame.base = urljoin(frame.base, base)
        return {name: found for name, found in own.items() if not name.startswith(XML)}

    def _start_root(self, frame: _Frame, parent: _Frame, own: Attributes) -> None:
        if parent.kind != "document" or own:
            raise MalformedError("rdf:RDF does not belong here, or has attributes")
        frame.kind = "nodes"

    def _start_node(self, frame: _Frame, parent: _Frame, name: str, own: Attributes) -> None:
        if parent.kind == "property" and parent.object is not None:
            raise MalformedError("a property holds more than one value")
        check_name(name, {"Description"})
        frame.subject = self._subject(frame, own)
        if name != _NS + "Description":
            self._emit(frame.subject, _TYPE, iri(name.replace(" ", "", 1)))
        self._attributes(frame, frame.subject, own)
        if parent.kind == "property":
            parent.object = frame.subject
        elif parent.kind == "collection":
            self._collect(parent, frame.subject)

    def _subject(self, frame: _Frame, own: Attributes) -> Term:
        found = [key for key in ("about", "ID", "nodeID") if _NS + key in own]
        if len(found) > 1:
            raise MalformedError("a node has two names")
        if not found:
            return self._fresh()
        text = own.pop(_NS + found[0])
        if found[0] == "nodeID":
            return self._labelled(text)
        return iri(self._resolve(frame, "#" + text if found[0] == "ID" else text))

    def _start_property(self, frame: _Frame, parent: _Frame, name: str, own: Attributes) -> None:
        frame.kind = "property"
        frame.subject = parent.subject
        if name == _NS + "li":
            parent.items += 1
            name = f"{_NS}_{parent.items}"
        check_name(name, set())
        frame.predicate = iri(name.replace(" ", "", 1))
        if statement_id := own.pop(_NS + "ID", ""):
            frame.statement_id = self._resolve(frame, "#" + statement_id)
        frame.datatype = own.pop(_NS + "datatype", "")
        self._value(frame, own)

    def _value(self, frame: _Frame, own: Attributes) -> None:
        """Read what the attributes of a property element say of its value."""
        kind = own.pop(_NS + "parseType", None)
        if kind == "Resource":
            node = self._fresh()
            self._link(frame, node)
            frame.kind, frame.subject = "node", node
        elif kind == "Collection":
            frame.kind = "collection"
        elif kind == "Triple":
            frame.kind = "triple"
            self._captured.append([])
        elif kind is not None:
            frame.kind = "markup"
            frame.datatype = RDF + "XMLLiteral"
        resource, label = own.pop(_NS + "resource", None), own.pop(_NS + "nodeID", None)
        named = resource is not None or label is not None
        if (named and (kind or frame.datatype)) or (own and (kind or frame.datatype)) or None not in (resource, label):
            raise MalformedError("a property has attributes that do not go together")
        if resource is not None:
            frame.object = iri(self._resolve(frame, resource))
        elif label is not None:
            frame.object = self._labelled(label)
        elif own:
            frame.object = self._fresh()
        if own and frame.object is not None:
            self._attributes(frame, frame.object, own)

    def _text(self, text: str) -> None:
        frame = self._stack[-1]
        if frame.kind == "markup":
            text = escape(text)
        elif frame.kind != "property":
            if text.strip(" \t\r\n"):
                raise MalformedError("found text between the elements")
            return
        self._size += len(text)
        if self._size > MAX_ROW_BYTES:
            raise MalformedError(f"a literal is longer than {MAX_ROW_BYTES} characters")
        frame.texts.append(text)

    def _end(self, name: str) -> None:
        frame = self._stack.pop()
        if frame.kind == "property":
            self._end_property(frame)
        elif frame.kind == "collection":
            self._end_collection(frame)
        elif frame.kind == "markup":
            self._end_markup(frame, name)
        elif frame.kind == "triple":
            self._end_triple(frame)
        self._done = len(self._stack) == 1

    def _end_property(self, frame: _Frame) -> None:
        text = "".join(frame.texts)
        self._size -= len(text)
        if frame.object is None:
            frame.object = literal(text, frame.datatype, "" if frame.datatype else frame.language, frame.direction)
        elif text.strip(" \t\r\n"):
            raise MalformedError("a property holds a node and text")
        self._link(frame, frame.object)

    def _end_collection(self, frame: _Frame) -> None:
        if frame.object is None:
            self._link(frame, _NIL)
        else:
            self._emit(frame.object, _REST, _NIL)

    def _collect(self, frame: _Frame, item: Term) -> None:
        """Add an item to a collection; ``frame.object`` is its last cell."""
        cell = self._fresh()
        if frame.object is None:
            self._link(frame, cell)
        else:
            self._emit(frame.object, _REST, cell)
        self._emit(cell, _FIRST, item)
        frame.object = cell

    def _end_triple(self, frame: _Frame) -> None:
        """Make a term of what was said within; it is not said by the graph."""
        captured = self._captured.pop()
        if len(captured) != 1:
            raise MalformedError("a triple term is not one triple")
        self._link(frame, triple(*captured[0]))

    def _end_markup(self, frame: _Frame, name: str) -> None:
        if frame.predicate is _NIL:
            frame.texts.append(f"</{name.rpartition(' ')[2]}>")
            return
        text = "".join(frame.texts)
        self._size = 0
        self._link(frame, literal(text, frame.datatype))

    # What elements say.

    def _attributes(self, frame: _Frame, subject: Term, own: Attributes) -> None:
        """Emit what property attributes say."""
        for name, text in own.items():
            check_name(name, set())
            found = iri(self._resolve(frame, text)) if name == _NS + "type" else None
            value = found or literal(text, "", frame.language, frame.direction)
            self._emit(subject, iri(name.replace(" ", "", 1)), value)

    def _resolve(self, frame: _Frame, text: str) -> str:
        return urljoin(frame.base, text) if frame.base else text

    def _labelled(self, label: str) -> Term:
        """Return the document's own blank node, which must not meet one of ours."""
        if not LABEL.fullmatch(label):
            raise MalformedError("a blank node's label is no name")
        return blank("anon-" + label if label.startswith("anon-") else label)

    def _fresh(self) -> Term:
        self._blanks += 1
        return blank(f"anon-{self._blanks}")

    def _link(self, frame: _Frame, object_: Term) -> None:
        """Emit the triple of a property element, and its reification if it has an ID."""
        self._emit(frame.subject, frame.predicate, object_)
        if frame.statement_id:
            node = iri(frame.statement_id)
            self._emit(node, _TYPE, iri(RDF + "Statement"))
            for name, part in zip(_STATEMENT, (frame.subject, frame.predicate, object_), strict=True):
                self._emit(node, name, part)

    def _emit(self, subject: Term, predicate: Term, object_: Term) -> None:
        if self._captured:
            self._captured[-1].append((subject, predicate, object_))
            return
        self.state.rows += 1
        self.take_statement((subject, predicate, object_))
