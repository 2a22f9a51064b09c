"""The names that RDF/XML allows for elements and attributes.

Source: RDF 1.1 XML Syntax section 6.1.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from proxy.results.reader import MalformedError
from proxy.results.terms import RDF
from proxy.results.xml_parser import Attributes

# What of RDF's own vocabulary may be the type of a node, and what a property.
_CLASSES = frozenset({"Statement", "List", "Bag", "Seq", "Alt", "Property"})
_PROPERTIES = frozenset({"type", "value", "subject", "predicate", "object", "first", "rest", "reifies"}) | frozenset(
    {"direction", "language"}
)
# A blank node's label.
LABEL = re.compile(r"[^\W\d][\w.\-\u00b7]*")


def check_name(name: str, allowed: set[str]) -> None:
    """Raise MalformedError for a name without a namespace, for syntax in its place, and for one that RDF has not."""
    space, _, local = name.rpartition(" ")
    if not space:
        raise MalformedError(f"the name {local!r} has no namespace")
    known = local in allowed or local in _PROPERTIES or local in _CLASSES
    if space == RDF and not known and not (local[:1] == "_" and local[1:].isdigit()):
        raise MalformedError(f"rdf:{local} does not belong here")


def open_tag(name: str, attributes: Attributes) -> str:
    """Write a start tag again, with its namespace as the default one."""
    space, _, local = name.rpartition(" ")
    pairs = [f" {key.rpartition(' ')[2]}={quoteattr(found)}" for key, found in attributes.items()]
    return f"<{local}" + (f" xmlns={quoteattr(space)}" if space else "") + "".join(pairs) + ">"
