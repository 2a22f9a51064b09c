"""What to use instead of a property where the question is known."""

from __future__ import annotations

from collections.abc import Mapping

from plugins.schema.asked import Asked
from plugins.schema.fit import Entity, Subject, Typed
from plugins.schema.lexicon import Lexicon
from plugins.schema.suggestions import Wanted
from tests.unit.schema.demo_schema import DIRECT, demo_index, item

ASKED = Asked(demo_index(), Lexicon(demo_index().properties()))
COUNTRY = Entity(iri=item("Q142"), classes=(item("Q3624078"),))


def ids(
    question: str,
    wrong: str,
    subject: Subject | None,
    *present: str,
    learned: Mapping[str, float] | None = None,
    most: int = 3,
) -> list[str]:
    prop = demo_index().property(wrong)
    assert prop is not None
    wanted = Wanted(property=prop, subject=subject, present=frozenset(DIRECT + each for each in present))
    return [each.id for each in ASKED.instead(question, wanted, learned=learned or {}, most=most)]


def test_the_words_of_the_question_decide() -> None:
    assert ids("What is the capital of France?", "P569", COUNTRY)[0] == "P36"
    assert ids("How many people live in France?", "P569", COUNTRY)[0] == "P1082"


def test_what_stands_on_the_subject_goes_first() -> None:
    assert ids("?", "P569", COUNTRY, "P36")[0] == "P36"


def test_a_misfit_goes_down_and_stays_in_the_list() -> None:
    human = Typed(classes=(item("Q5"),))
    for_people = ids("What is the capital?", "P569", human, most=1_000)
    for_countries = ids("What is the capital?", "P569", COUNTRY, most=1_000)
    assert for_countries.index("P36") == 0
    assert for_people.index("P36") > 0


def test_learned_words_lift_a_property() -> None:
    wanted = item("P36")
    assert ids("seat of the rulers", "P569", COUNTRY, learned={wanted: 0.01})[0] == "P36"


def test_it_never_proposes_what_is_wrong_and_at_most_three() -> None:
    for each in demo_index().properties():
        found = ids("What is it?", each.id, COUNTRY)
        assert each.id not in found
        assert len(found) <= 3
