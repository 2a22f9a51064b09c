"""Four answers: each rule with a case that says something and a near twin that must not."""

from __future__ import annotations

import pytest

from plugins.schema.draft import Draft
from plugins.schema.fit import Answer, Entity, Typed, fit, strict
from plugins.schema.index import Index
from plugins.schema.model import ClassInfo, GraphKind, Property, Side
from plugins.schema.source import Schema

N = "http://e.org/"


def draft(graph: GraphKind = "rdf") -> Draft:
    """Return thing > {agent > person > poet, place > {country, city}}, and an island that reaches no root."""
    made = Draft(graph, {N: ""})
    made.roots.add(N + "thing")
    above = {
        "agent": "thing",
        "person": "agent",
        "poet": "person",
        "place": "thing",
        "country": "place",
        "city": "place",
    }
    for below, over in {**above, "island": "lost"}.items():
        made.add_superclass(N + below, N + over)
    return made


def schema(made: Draft | None = None) -> Index:
    return (made or draft()).index()


def born(*classes: str, **side: object) -> Property:
    return Property(id="born", iri=N + "born", domain=Side(classes=tuple(N + each for each in classes), **side))  # type: ignore[arg-type]


def thing(*classes: str, present: frozenset[str] | None = None) -> Entity:
    return Entity(iri=N + "it", classes=tuple(N + each for each in classes), present=present)


def typed(*classes: str) -> Typed:
    return Typed(classes=tuple(N + each for each in classes))


def answer(prop: Property, subject: Entity | Typed, index: Schema | None = None) -> Answer:
    return fit(index or schema(), prop, prop.domain, subject, used=prop.iri)


@pytest.mark.parametrize(
    ("domain", "classes", "expected"),
    [
        (["person"], ["person"], Answer.FITS),
        (["person"], ["poet"], Answer.FITS),
        (["agent", "city"], ["poet"], Answer.FITS),
        (["person"], ["country"], Answer.CONFLICTS),
        (["person"], ["country", "poet"], Answer.FITS),
        # Upwards only: an agent need not be a person, and nobody says that this one is none.
        (["person"], ["agent"], Answer.CONFLICTS),
        (["person"], ["island"], Answer.DOUBTFUL),
        (["person"], ["country", "island"], Answer.DOUBTFUL),
        (["person"], ["nowhere"], Answer.DOUBTFUL),
        (["nowhere"], ["country"], Answer.CONFLICTS),
        (["nowhere"], ["nowhere"], Answer.FITS),
        (["person"], [], Answer.UNKNOWN),
    ],
)
def test_a_constant(domain: list[str], classes: list[str], expected: Answer) -> None:
    assert answer(born(*domain), thing(*classes)) is expected


@pytest.mark.parametrize(
    ("domain", "classes", "expected"),
    [
        (["person"], ["poet"], Answer.FITS),
        # Downwards too: an instance of the class may be of a subclass that is in the domain.
        (["person"], ["agent"], Answer.FITS),
        (["poet"], ["thing"], Answer.FITS),
        (["person"], ["country"], Answer.CONFLICTS),
        (["person"], ["country", "agent"], Answer.FITS),
        # For a variable the domain's classes must be known as well.
        (["nowhere"], ["country"], Answer.DOUBTFUL),
        (["person", "island"], ["country"], Answer.DOUBTFUL),
        (["person"], ["island"], Answer.DOUBTFUL),
        (["person"], [], Answer.UNKNOWN),
    ],
)
def test_a_typed_variable(domain: list[str], classes: list[str], expected: Answer) -> None:
    assert answer(born(*domain), typed(*classes)) is expected


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        ({}, Answer.CONFLICTS),
        ({"status": "mandatory"}, Answer.CONFLICTS),
        ({"status": "suggestion"}, Answer.UNKNOWN),
        ({"source": "induced", "support": 50}, Answer.UNKNOWN),
        ({"exceptions": frozenset({N + "it"})}, Answer.UNKNOWN),
        ({"exceptions": frozenset({N + "other"})}, Answer.CONFLICTS),
        # The relation picks the words of the message; it does not narrow the test.
        ({"relation": "subclass"}, Answer.CONFLICTS),
        ({"relation": "either"}, Answer.CONFLICTS),
    ],
)
def test_only_a_declared_side_that_is_no_suggestion_accuses(side: dict[str, object], expected: Answer) -> None:
    assert answer(born("person", **side), thing("country")) is expected


def test_a_property_without_a_side_says_nothing() -> None:
    assert answer(Property(id="born", iri=N + "born"), thing("country")) is Answer.UNKNOWN
    assert answer(born(), thing("country")) is Answer.UNKNOWN


@pytest.mark.parametrize(
    ("having", "instances", "present", "expected"),
    [
        (0, 5_000, frozenset(), Answer.CONFLICTS),
        (5, 5_000, frozenset(), Answer.UNKNOWN),
        (4, 5_000, frozenset(), Answer.CONFLICTS),
        (1, 1_001, frozenset(), Answer.UNKNOWN),
        # Evidence is about other instances: the subject itself is left out.
        (1, 10, frozenset({N + "born"}), Answer.CONFLICTS),
        (2, 10, frozenset({N + "born"}), Answer.UNKNOWN),
        (1, 10, frozenset({N + "died"}), Answer.UNKNOWN),
        (1, 1, frozenset({N + "born"}), Answer.CONFLICTS),
    ],
)
def test_evidence_of_other_instances(having: int, instances: int, present: frozenset[str], expected: Answer) -> None:
    made = draft()
    prop = born("person")
    made.add_property(prop)
    made.add_instances(N + "country", instances)
    made.add_evidence(N + "country", prop.iri, having)
    assert answer(prop, thing("country", present=present), schema(made)) is expected


def test_evidence_turns_a_doubt_into_nothing_too_and_counts_for_variables() -> None:
    made = draft()
    prop = born("person")
    made.add_property(prop)
    made.add_instances(N + "island", 100)
    made.add_evidence(N + "island", prop.iri, 1)
    assert answer(prop, thing("island"), schema(made)) is Answer.UNKNOWN
    assert answer(prop, typed("island"), schema(made)) is Answer.UNKNOWN
    # One of several classes is enough.
    assert answer(prop, thing("country", "island"), schema(made)) is Answer.UNKNOWN


def test_evidence_is_about_subjects_and_never_excuses_a_range() -> None:
    made = draft()
    prop = Property(id="born", iri=N + "born", range=Side(classes=(N + "place",)))
    made.add_property(prop)
    made.add_instances(N + "person", 10)
    made.add_evidence(N + "person", prop.iri, 9)
    assert fit(schema(made), prop, prop.range, thing("person")) is Answer.CONFLICTS


@pytest.mark.parametrize(
    ("domain", "given", "expected"),
    [
        ("actor", ["actor"], Answer.FITS),
        ("actor", ["country"], Answer.UNKNOWN),
        ("performance", ["country"], Answer.CONFLICTS),
        ("actor", ["performance"], Answer.CONFLICTS),
        ("performance", ["tenure"], Answer.CONFLICTS),
        ("performance", ["performance", "country"], Answer.FITS),
        ("actor", ["performance", "country"], Answer.UNKNOWN),
        ("performance", ["nowhere"], Answer.UNKNOWN),
    ],
)
def test_on_freebase_only_a_mediator_clashes(domain: str, given: list[str], expected: Answer) -> None:
    made = draft("freebase")
    for local in ("actor", "country", "performance", "tenure"):
        mediator = local in ("performance", "tenure")
        made.add_class(ClassInfo(iri=N + local, id=local, mediator=mediator))
    assert answer(born(domain), thing(*given), schema(made)) is expected


def test_the_rule_of_the_paper_knows_no_hierarchy() -> None:
    side = Side(classes=(N + "person",))
    assert strict(side, [N + "person", N + "city"])
    assert not strict(side, [N + "poet"])
    assert strict(side, [])
    assert strict(None, [N + "poet"])
    assert strict(Side(classes=(N + "person",), source="induced"), [N + "poet"])


def test_5000_domain_classes_300_types_and_a_cycle_are_judged() -> None:
    made = draft()
    for number in range(5_000):
        made.add_superclass(f"{N}d{number}", N + "person")
    for number in range(300):
        made.add_superclass(f"{N}t{number}", f"{N}t{(number + 1) % 300}")
    made.add_superclass(N + "t7", N + "place")
    wide = born(*(f"d{number}" for number in range(5_000)))
    many = [f"t{number}" for number in range(300)]
    index = schema(made)
    assert answer(wide, thing(*many), index) is Answer.CONFLICTS
    assert answer(wide, typed(*many), index) is Answer.CONFLICTS
    assert answer(wide, thing(*many, "d4999"), index) is Answer.FITS
