"""Random terms, solutions and statements: the awkward ones too."""

from __future__ import annotations

from random import Random

from proxy.results.terms import XSD, Solution, Statement, Term, blank, iri, literal, triple

_TEXTS = (
    *("", "a", "Douglas Adams", "Grüße, 世界", "𝒳 astral 🜚", "tab\tand\nline\r\nends", "quotes \" and '"),
    *("back\\slash \\n", "<b>&amp; ]]> </result>", "SPARQL-QUERY: queryStr=SELECT", "java.lang.Error: no, data"),
    *('"}},{"s":{"type":"uri"', "a,b;c.", "e\u0301 \u202eRTL", " ", "\uffe5\uff0c full width", "#no comment"),
    "@prefix x: <y> .",
)
_TYPES = ("", "", "", XSD + "integer", XSD + "dateTime", "http://www.opengis.net/ont/geosparql#wktLiteral")
_LANGUAGES = ("", "", "en", "zh-hans", "de-CH-1996")


class Graph:
    """Make terms from a seed."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def iri(self) -> Term:
        """Return an IRI."""
        place = self.random.choice(("http://www.wikidata.org/entity/Q", "https://example.org/ü/", "urn:x:"))
        return iri(f"{place}{self.random.randrange(1000)}")

    def literal(self) -> Term:
        """Return a literal of any kind."""
        pick = self.random.choice
        text = pick(_TEXTS) + (pick(_TEXTS) if self.random.random() < 0.3 else "")
        language = pick(_LANGUAGES)
        return literal(text, "" if language else pick(_TYPES), language)

    def term(self) -> Term:
        """Return a term that may be an object."""
        chance = self.random.random()
        if chance < 0.45:
            return self.iri()
        return self.literal() if chance < 0.9 else blank(f"b{self.random.randrange(50)}")

    def solutions(self, columns: int, rows: int) -> tuple[list[str], list[Solution]]:
        """Return variables and rows; a tenth of the cells are unbound."""
        names = [f"v{number}" if number else "item" for number in range(columns)]
        return names, [{name: self.term() for name in names if self.random.random() < 0.9} for _ in range(rows)]

    def statements(self, count: int) -> list[Statement]:
        """Return statements, some about the same subject."""
        found: list[Statement] = []
        while len(found) < count:
            subject = self.iri() if self.random.random() < 0.9 else blank("s1")
            for _ in range(self.random.randrange(1, 5)):
                predicate = iri(f"http://example.org/p{self.random.randrange(9)}")
                found.append((subject, predicate, self.term()))
        return found[:count]

    def triple(self) -> Term:
        """Return a triple term."""
        return triple(self.iri(), self.iri(), self.term())
