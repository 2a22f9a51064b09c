"""A small index for tests: a handful of classes and properties, in Wikidata's shape."""

from __future__ import annotations

from plugins.schema.draft import Draft
from plugins.schema.model import ClassInfo, Property, Side
from plugins.schema.shorthand import variants

WD = "http://www.wikidata.org/entity/"
ROOT = f"{WD}Q35120"


def draft() -> Draft:
    """Return a draft: human < person < entity; film < entity; a lost class below nothing; a cycle."""
    made = Draft("wikidata", {WD: ""}, variants("http://www.wikidata.org/"))
    made.roots.add(ROOT)
    for name, label, above in (
        ("Q5", "human", "Q215627"),
        ("Q215627", "person", "Q35120"),
        ("Q11424", "film", "Q35120"),
        ("Q900", "one of a cycle", "Q901"),
        ("Q901", "other of a cycle", "Q900"),
    ):
        made.add_class(ClassInfo(iri=WD + name, id=name, label=label, description=f"what {label} is"))
        made.add_superclass(WD + name, WD + above)
    made.add_class(ClassInfo(iri=f"{WD}Q700", id="Q700", label="lost", mediator=True))
    made.add_property(
        Property(
            id="P569",
            iri=f"{WD}P569",
            label="date of birth",
            labels={"en": "date of birth", "de": "Geburtsdatum", "zh": "出生日期"},
            description="date on which the subject was born",
            aliases=("born on", "DOB"),
            kind="time",
            domain=Side(classes=(f"{WD}Q5",), relation="either", status="mandatory", exceptions=frozenset({f"{WD}Q1"})),
            usage=100,
        )
    )
    made.add_property(
        Property(
            id="P57",
            iri=f"{WD}P57",
            label="director",
            kind="item",
            domain=Side(classes=(f"{WD}Q11424",)),
            range=Side(classes=(f"{WD}Q5",), source="induced", support=50, share=0.8),
            qualifiers=("P580", "P582"),
            inverse="P1",
            usage=7,
        )
    )
    made.add_property(Property(id="P570", iri=f"{WD}P570", label="date of death", kind="time", usage=90))
    made.add_instances(f"{WD}Q5", 20)
    made.add_evidence(f"{WD}Q5", f"{WD}P569", 15)
    return made
