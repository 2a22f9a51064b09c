"""What is known of one graph, for all questions about it: its words, its schema, its names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from plugins.schema.index import Index
from plugins.schema.lexicon import Lexicon
from plugins.schema.model import Property
from plugins.schema.vocabulary import Vocabulary, vocabulary
from plugins.search import Learned, Searcher
from plugins.search.profile import readable

# What a local name may look like when it is written behind a prefix, in every dialect.
_PLAIN = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?")


@dataclass(slots=True, kw_only=True)
class Knowledge:
    """The schema, the search and the names of one endpoint's graph. Any of them may be missing.

    Shapes: ``graph`` is the profile's name; ``prefixes`` are those that queries may use without declaring them;
    ``index`` returns the schema index as its file is now; ``coverage`` is the share of it that is used, by ``seed``.
    """

    endpoint: str
    graph: str
    prefixes: Mapping[str, str]
    searcher: Searcher
    index: Callable[[], Index | None] = lambda: None
    learned: Learned | None = None
    coverage: float = 1.0
    seed: int = 0
    _covering: tuple[Index, Index] | None = None
    _lexicon: tuple[Index, Lexicon] | None = None

    @property
    def vocabulary(self) -> Vocabulary:
        """How the graph says type, superclass and label."""
        return vocabulary(self.graph)

    @property
    def schema(self) -> Index | None:
        """The schema index as its file is now, or as much of it as is used."""
        index = self.index()
        if index is None or self.coverage >= 1:
            return index
        if self._covering is None or self._covering[0] is not index:
            self._covering = (index, index.covering(self.coverage, self.seed))
        return self._covering[1]

    @property
    def lexicon(self) -> Lexicon:
        """The weights of words over the names of all properties; made once for an index."""
        index = self.schema
        if index is None:
            return Lexicon(())
        if self._lexicon is None or self._lexicon[0] is not index:
            self._lexicon = (index, Lexicon(index.properties()))
        return self._lexicon[1]

    @property
    def direct(self) -> str:
        """The namespace of properties that lead straight to a value; empty where every property does."""
        return f"{self.vocabulary.properties}direct/" if self.vocabulary.statement_type else ""

    def property(self, iri: str) -> Property | None:
        """Return the property of an IRI where it leads straight to a value; else None."""
        if not iri.startswith(self.direct) or iri in self.vocabulary.labels:
            return None
        index = self.schema
        known = index.role_of(iri) if index else None
        if known is not None:
            return known[0] if known[1] == "direct" else None
        local = iri.removeprefix(self.direct) if self.direct else self.short(iri)
        if self.direct:
            return Property(id=local, iri=f"{self.vocabulary.entities}{local}")
        return Property(id=local, iri=iri, label=readable(iri))

    def step(self, record: Property) -> str:
        """Return how a query writes the step along a property: `wdt:P569`, `ns:people.person.gender`."""
        return self.short(self.direct + record.id if self.direct else record.iri)

    def short(self, iri: str) -> str:
        """Return an IRI as a query may write it: `wd:Q5`, or `<http://...>` where no prefix fits."""
        best = ""
        for name, namespace in self.prefixes.items():
            if iri.startswith(namespace) and len(namespace) > len(self.prefixes.get(best, "")):
                best = name
        local = iri[len(self.prefixes[best]) :] if best else ""
        return f"{best}:{local}" if best and _PLAIN.fullmatch(local) else f"<{iri}>"
