"""SPARQL text, read: form, patterns with places and scopes, targets, prefixes, normal form.

One regular expression cuts the text into tokens (``tokens.py``); a recursive descent over them reads SPARQL 1.1 and 1.2
queries and updates and the dialects of Blazegraph, Virtuoso and Jena (``query.py``, ``update.py`` and the layers
below). It inspects, it never judges: text that it cannot read is unchecked, not refused.
"""

from proxy.syntax.limits import UNLIMITED, Limits
from proxy.syntax.names import Name, add_prefixes, expand_dotted
from proxy.syntax.parts import Part, PartKind
from proxy.syntax.patterns import Binding, TriplePattern
from proxy.syntax.prefixes import Prefixes
from proxy.syntax.problems import Position, Problem
from proxy.syntax.reader import read
from proxy.syntax.scopes import Scope, ScopeKind
from proxy.syntax.syntax import Form, Syntax
from proxy.syntax.targets import Service, Source
from proxy.syntax.terms import (
    Alternative,
    Blank,
    Inverse,
    Iri,
    Literal,
    NegatedSet,
    Path,
    Predicate,
    Repeat,
    Sequence,
    Step,
    Term,
    TripleTerm,
    Variable,
    nullable,
    steps,
)
from proxy.syntax.tokens import spoken

__all__ = [
    "UNLIMITED",
    "Alternative",
    "Binding",
    "Blank",
    "Form",
    "Inverse",
    "Iri",
    "Limits",
    "Literal",
    "Name",
    "NegatedSet",
    "Part",
    "PartKind",
    "Path",
    "Position",
    "Predicate",
    "Prefixes",
    "Problem",
    "Repeat",
    "Scope",
    "ScopeKind",
    "Sequence",
    "Service",
    "Source",
    "Step",
    "Syntax",
    "Term",
    "TriplePattern",
    "TripleTerm",
    "Variable",
    "add_prefixes",
    "expand_dotted",
    "nullable",
    "read",
    "spoken",
    "steps",
]
