"""The parts of `keyless`: words, names, phrases, what may be meant, and the query that comes of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plugins.nl.contract import Turn
from plugins.nl.strategies.keyless.cues import places, sorts, spoken_for
from plugins.nl.strategies.keyless.judging import NAMES
from plugins.nl.strategies.keyless.linking import anchors
from plugins.nl.strategies.keyless.reading import read, singulars, stems_of
from plugins.nl.strategies.keyless.thinking import Thoughts, thoughts
from plugins.nl.strategies.keyless.weights import weights_of
from plugins.nl.strategies.keyless.writing import written
from plugins.schema.words import stem
from plugins.search import Learned
from plugins.search.learned import learn
from tests.toolbox import WD, Toolbox, demo_index, toolbox


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_index(tmp_path_factory.mktemp("keyless") / "demo.search")


@pytest.fixture
async def box(demo_store: Path, index: Path) -> AsyncIterator[Toolbox]:
    async with toolbox(demo_store, index) as made:
        yield made


async def thought(box: Toolbox, text: str, language: str = "en") -> Thoughts:
    work = box.work(text, language)
    reading = read(text, work.shape.language)
    return await thoughts(reading, await anchors(reading, work), work)


async def best(box: Toolbox, text: str, language: str = "en") -> str:
    found = await thought(box, text, language)
    return written(found.ideas[0].idea, box.knowledge) if found.ideas else ""


def spoken(text: str) -> list[str]:
    return [word.text for word in read(text).words if word.speaks]


def test_words_are_cut_where_names_are_not_torn() -> None:
    assert [word.text for word in read("Who is O'Neal's wife?").words] == ["who", "is", "o'neal", "'s", "wife"]
    assert spoken("Is St. Louis in the U.S.?") == ["st", "louis", "u.s."]
    assert spoken("What is the Jean-Luc Picard of it?") == ["jean-luc", "picard"]
    assert spoken("柏林") == ["柏", "林"]
    assert spoken("Quelle est la capitale de l'Allemagne ?") == ["capitale", "allemagne"]
    assert read("").words == ()
    assert len(read("word " * 10_000).words) == 40


def test_a_word_behind_an_article_is_a_name() -> None:
    assert spoken("which countries border the us") == ["countries", "border", "us"]
    assert spoken("who are the Who") == ["who"]
    assert spoken("tell us who it is") == []


def test_what_a_hyphen_joins_counts_as_its_parts_too() -> None:
    (word,) = (word for word in read("spin-offs").words)
    assert stems_of(word) == [stem("spin-offs"), stem("spin"), stem("offs")]


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("rivers", "river"),
        ("countries", "country"),
        ("movies", "movie"),
        ("churches", "church"),
        ("courses", "course"),
        ("buses", "bus"),
        ("wives", "wife"),
        ("women", "woman"),
    ],
)
def test_plurals(plural: str, one: str) -> None:
    assert one in singulars(plural)


@pytest.mark.parametrize("text", ["bus", "gas", "class", "river", "s"])
def test_what_is_no_plural(text: str) -> None:
    assert singulars(text) == ()


def test_what_is_used_is_no_country() -> None:
    assert "us" not in singulars("uses")


@pytest.mark.parametrize(
    ("adjective", "place"),
    [
        ("indian", "india"),
        ("european", "europe"),
        ("brazilian", "brazil"),
        ("italian", "italy"),
        ("chinese", "china"),
        ("french", "France"),
        ("south american", "south america"),
    ],
)
def test_adjectives_are_of_places(adjective: str, place: str) -> None:
    assert place in places(adjective, "en")


def test_no_adjective_is_of_no_place() -> None:
    assert places("river", "en") == ()
    assert places("", "en") == ()
    assert places("indian", "zh") == ()


def test_things_of_a_sort_are_said_by_the_sort_alone() -> None:
    assert "genre" in sorts()


def test_phrases_speak_for_names() -> None:
    assert "place of birth" in spoken_for("where was born")
    assert "date of birth" in spoken_for("when was born")
    assert next(iter(spoken_for("when was born"))) == "date of birth"
    assert next(iter(spoken_for("where was born"))) == "place of birth"
    assert spoken_for("where was born")["place of birth"].words == {"where", "born"}
    assert not spoken_for("xyz")


async def test_the_longest_name_is_meant_before_its_parts(box: Toolbox) -> None:
    found = await anchors(read("Who directed The Dark Knight Rises?"), box.work("Who directed The Dark Knight Rises?"))
    assert found[0].hit.label == "The Dark Knight Rises"
    assert not found[0].inner
    assert all(each.inner for each in found if each.hit.label == "The Dark Knight")


async def test_a_name_with_a_typo_is_found_where_nothing_else_is(box: Toolbox) -> None:
    found = await anchors(read("Who is Angela Merkl?"), box.work("Who is Angela Merkl?"))
    assert [each.iri for each in found][:1] == [f"{WD}Q567"]


async def test_a_question_that_points_back_is_about_what_was_spoken_of(box: Toolbox) -> None:
    turn = Turn(question="Who directed Inception?", labels={f"{WD}Q76": "Barack Obama"})
    text = "And where was he born?"
    reading = read(text)
    work = box.work(text, history=(turn,))
    found = await anchors(reading, work)
    ideas = (await thoughts(reading, found, work)).ideas
    assert written(ideas[0].idea, box.knowledge) == "SELECT DISTINCT ?x WHERE { wd:Q76 wdt:P19 ?x }"
    alone = await anchors(reading, box.work(text))
    assert f"{WD}Q76" not in [each.iri for each in alone]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Where was Angela Merkel born?", "SELECT DISTINCT ?x WHERE { wd:Q567 wdt:P19 ?x }"),
        ("When was Angela Merkel born?", "SELECT DISTINCT ?x WHERE { wd:Q567 wdt:P569 ?x }"),
        ("Who is the wife of Barack Obama?", "SELECT DISTINCT ?x WHERE { wd:Q76 wdt:P26 ?x }"),
        ("Is Berlin the capital of Germany?", "ASK { wd:Q183 wdt:P36 wd:Q64 }"),
        ("Was Angela Merkel born in Munich?", "ASK { wd:Q567 wdt:P19 wd:Q1726 }"),
    ],
)
async def test_what_is_asked_becomes_a_query(box: Toolbox, text: str, query: str) -> None:
    assert await best(box, text) == query


async def test_a_class_in_the_question_constrains_the_answers(box: Toolbox) -> None:
    query = await best(box, "Which films were directed by Christopher Nolan?")
    assert "?x wdt:P57 wd:Q25191" in query
    assert "?x wdt:P31/wdt:P279* wd:Q11424" in query


async def test_a_count_counts_and_a_superlative_orders(box: Toolbox) -> None:
    assert (await best(box, "How many films did Peter Jackson direct?")).startswith("SELECT (COUNT(DISTINCT ?x)")
    assert (await best(box, "What is the longest river?")).endswith("ORDER BY DESC(?value) LIMIT 1")


async def test_one_of_two_is_chosen_by_what_both_have(box: Toolbox) -> None:
    query = await best(box, "Which is higher, K2 or Mount Everest?")
    assert "VALUES ?x" in query
    assert "wd:Q43512" in query
    assert "wd:Q513" in query
    assert query.endswith("?x wdt:P2044 ?value } ORDER BY DESC(?value) LIMIT 1")


async def test_nonsense_about_a_known_thing_is_less_sure_than_sense(box: Toolbox) -> None:
    sense = await thought(box, "Where was Angela Merkel born?")
    nonsense = await thought(box, "What wavelength does Angela Merkel frobnicate?")
    assert sense.confidence > 0.6
    assert nonsense.confidence < sense.confidence / 2


async def test_learned_words_speak_for_a_property(box: Toolbox) -> None:
    text = "Who helmsed Inception?"
    before = await best(box, text)
    box.knowledge.learned = taught()
    after = await best(box, text)
    assert before != after == "SELECT DISTINCT ?x WHERE { wd:Q25188 wdt:P57 ?x }"


def taught() -> Learned:
    directed, born = frozenset({f"{WD}P57"}), frozenset({f"{WD}P19"})
    pairs = [(f"Who helmsed film {number}?", directed) for number in range(5)]
    return learn([*pairs, *((f"Where was person {number} born?", born) for number in range(5))], "wikidata")


def test_both_tables_of_weights_name_all_that_is_judged(box: Toolbox) -> None:
    for learned in (None, taught()):
        box.knowledge.learned = learned
        assert set(weights_of(box.knowledge).ideas) == set(NAMES)
