"""How a graph names its things, by the name of its profile: names, classes, and which IRIs stand for what."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from plugins.schema.builders.texts import LANGUAGES
from plugins.schema.vocabulary import vocabulary

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_OWL = "http://www.w3.org/2002/07/owl#"
_SKOS = "http://www.w3.org/2004/02/skos/core#"
_DCT = "http://purl.org/dc/terms/"
_DC = "http://purl.org/dc/elements/1.1/"
_FOAF = "http://xmlns.com/foaf/0.1/"
_SCHEMA = ("http://schema.org/", "https://schema.org/")
_WD = "http://www.wikidata.org/"
_WIKIBASE = "http://wikiba.se/ontology#"
_NS = "http://rdf.freebase.com/ns/"

_LABELS = (
    _RDFS + "label", _SKOS + "prefLabel", _DCT + "title", _DC + "title", _FOAF + "name",
    *(space + "name" for space in _SCHEMA),
)  # fmt: skip
_ALIASES = (
    _SKOS + "altLabel", _SKOS + "hiddenLabel", _FOAF + "nick", _DCT + "alternative",
    *(space + "alternateName" for space in _SCHEMA),
)  # fmt: skip
_DESCRIPTIONS = (
    _RDFS + "comment", _SKOS + "definition", _DCT + "description", _DC + "description",
    *(space + "description" for space in _SCHEMA),
)  # fmt: skip
_PROPERTY_TYPES = (
    _RDF + "Property", _OWL + "ObjectProperty", _OWL + "DatatypeProperty", _OWL + "AnnotationProperty",
    _OWL + "FunctionalProperty", _OWL + "InverseFunctionalProperty", _OWL + "TransitiveProperty",
    _OWL + "SymmetricProperty", _WIKIBASE + "Property", _NS + "type.property",
)  # fmt: skip
_CLASS_TYPES = (_RDFS + "Class", _OWL + "Class", _NS + "type.type")
# Predicates of the language itself: they name nothing that a person would ask for.
_GRAMMAR = (_RDF, _RDFS, _OWL, _SKOS)
# An id is domain, type and property; those of bases and of users have one and two parts before them.
_FREEBASE_PROPERTY = r"(?!(?:base|user|m|g)\.)(?:[^.]+\.){2}[^.]+|base\.(?:[^.]+\.){2}[^.]+|user\.(?:[^.]+\.){3}[^.]+"
_CAMEL = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How one graph names its things.

    Shapes: ``labels``, ``aliases`` and ``descriptions`` are predicates; ``entity`` and ``property`` are patterns of
    whole IRIs, empty where a graph has no rule for its own; ``direct`` maps a namespace of predicates to that of the
    properties they belong to; ``worded`` says that local names are words, so that a property without a label has one;
    ``sitelinks`` is the predicate that counts them; ``namespaces`` map a namespace to what
    stands for it in an id; ``languages`` are preferred, the best first.
    """

    graph: str
    labels: tuple[str, ...] = _LABELS
    aliases: tuple[str, ...] = _ALIASES
    descriptions: tuple[str, ...] = _DESCRIPTIONS
    types: tuple[str, ...] = ()
    superclasses: tuple[str, ...] = ()
    sitelinks: str = ""
    entity: str = ""
    property: str = ""
    direct: Mapping[str, str] = field(default_factory=dict)
    namespaces: Mapping[str, str] = field(default_factory=dict)
    languages: tuple[str, ...] = LANGUAGES
    worded: bool = True

    def extended(
        self,
        *,
        labels: Sequence[str] = (),
        aliases: Sequence[str] = (),
        descriptions: Sequence[str] = (),
        languages: Sequence[str] = (),
        prefixes: Mapping[str, str] | None = None,
    ) -> Profile:
        """Return the profile with further predicates, with other languages, and with prefixes for ids."""
        spaces = dict(self.namespaces)
        if self.graph not in _OWN_IDS:
            spaces.update({space: f"{prefix}:" for prefix, space in (prefixes or {}).items() if prefix})
        return replace(
            self,
            labels=(*labels, *(each for each in self.labels if each not in labels)),
            aliases=(*aliases, *(each for each in self.aliases if each not in aliases)),
            descriptions=(*descriptions, *(each for each in self.descriptions if each not in descriptions)),
            languages=tuple(languages) or self.languages,
            namespaces=spaces,
        )

    def reader(self) -> Reading:
        """Return what a build asks of each triple."""
        return Reading(self)


class Reading:
    """A profile made ready for millions of triples."""

    def __init__(self, profile: Profile) -> None:
        self.profile = profile
        self.labels = frozenset(profile.labels)
        self.aliases = frozenset(profile.aliases)
        self.descriptions = frozenset(profile.descriptions)
        self.texts = self.labels | self.aliases | self.descriptions | {*_LABELS, *_ALIASES, *_DESCRIPTIONS}
        self.types = frozenset(profile.types)
        self.superclasses = frozenset(profile.superclasses)
        self.property_types = frozenset(_PROPERTY_TYPES)
        self.class_types = frozenset(_CLASS_TYPES)
        self._entity = re.compile(profile.entity).fullmatch
        self._property = re.compile(profile.property).fullmatch

    @cached_property
    def anything(self) -> bool:
        """Whether every IRI may be an entity."""
        return not self.profile.entity

    def is_thing(self, iri: str) -> bool:
        """Whether an IRI may stand for an entity or a property, and not for a statement or a page."""
        return self.anything or self._entity(iri) is not None

    def is_property(self, iri: str) -> bool | None:
        """Whether an IRI is by its form that of a property; None where the graph has no such rule."""
        return self._property(iri) is not None if self.profile.property else None

    def property_of(self, predicate: str) -> str | None:
        """Return the IRI of the property that a predicate stands for; None for those that name nothing."""
        if predicate in self.texts:
            return None
        if self.profile.direct:
            cut = predicate.rfind("/") + 1
            space = self.profile.direct.get(predicate[:cut])
            return None if space is None else space + predicate[cut:]
        return None if predicate.startswith(_GRAMMAR) else predicate


def readable(iri: str) -> str:
    """Return the last part of an IRI as words: `birthPlace` is `birth Place`."""
    local = re.split(r"[/#:.]", iri.rstrip("/#"))[-1]
    return " ".join(_CAMEL.sub(" ", local).split())


_GRAPHS = {
    "wikidata": Profile(
        graph="wikidata",
        labels=(_RDFS + "label",),
        aliases=(_SKOS + "altLabel",),
        descriptions=("http://schema.org/description",),
        types=vocabulary("wikidata").types,
        superclasses=vocabulary("wikidata").superclasses,
        sitelinks=_WIKIBASE + "sitelinks",
        entity=re.escape(_WD) + r"entity/[QPLM]\d+",
        property=re.escape(_WD) + r"entity/P\d+",
        direct={_WD + "prop/direct/": _WD + "entity/"},
        namespaces={_WD + "entity/": ""},
        worded=False,
    ),
    "freebase": Profile(
        graph="freebase",
        labels=(_NS + "type.object.name", _RDFS + "label"),
        aliases=(_NS + "common.topic.alias",),
        descriptions=(_NS + "common.topic.description",),
        types=vocabulary("freebase").types,
        entity=re.escape(_NS) + ".+",
        property=f"{re.escape(_NS)}(?:{_FREEBASE_PROPERTY})",
        direct={_NS: _NS},
        namespaces={_NS: ""},
    ),
}
_OWN_IDS = frozenset(_GRAPHS)


def family(graph: str) -> str:
    """Return the built-in profile that a graph's names follow: an index of one family is foreign to another."""
    return graph if graph in _OWN_IDS else "rdf"


def profile(graph: str) -> Profile:
    """Return how a graph names its things; as any RDF graph does, where its profile has no way of its own."""
    rdf = vocabulary(graph)
    return _GRAPHS.get(graph) or Profile(graph=graph, types=rdf.types, superclasses=rdf.superclasses)
