"""What `keyless` must account for: all words of a question, in six languages, and the kind of answer asked for."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from plugins.nl.strategies.keyless.cues import idle, measured_by, placed, spoken_for, unnamed
from plugins.nl.strategies.keyless.linking import anchors
from plugins.nl.strategies.keyless.reading import read
from plugins.nl.strategies.keyless.thinking import Thoughts, thoughts
from plugins.nl.strategies.keyless.weights import LEAST_CONFIDENCE
from plugins.nl.strategies.keyless.writing import written
from tests.toolbox import Toolbox, demo_index, toolbox

LANGUAGES = ("de", "en", "es", "fr", "ru", "zh")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo_index(tmp_path_factory.mktemp("keyless") / "demo.search")


@pytest.fixture
async def box(demo_store: Path, index: Path) -> AsyncIterator[Toolbox]:
    async with toolbox(demo_store, index) as made:
        yield made


async def thought(box: Toolbox, text: str, language: str) -> Thoughts:
    work = box.work(text, language)
    reading = read(text, work.shape.language)
    return await thoughts(reading, await anchors(reading, work), work)


@pytest.mark.parametrize(
    ("language", "question", "name"),
    [
        ("de", "wo wurde geboren", "place of birth"),
        ("en", "where was born", "place of birth"),
        ("es", "¿dónde nació", "place of birth"),
        ("fr", "où est né", "place of birth"),
        ("ru", "где родился", "place of birth"),
        ("zh", "在哪里出生", "place of birth"),
        ("xx", "where was born", "place of birth"),
    ],
)
def test_each_language_has_its_phrases(language: str, question: str, name: str) -> None:
    assert next(iter(spoken_for(question, language))) == name


def test_a_class_is_asked_for_without_its_name() -> None:
    assert unnamed("what to see in rome", "en") == {"what to see": ("tourist attraction",)}
    assert not unnamed("what is rome", "en")
    assert not unnamed("was gibt es in rom", "de")


async def test_who_has_the_most_is_asked_of_things_only(box: Toolbox) -> None:
    for text in (
        "Is there a country with more than ten official languages?",
        "Which country has the fewest languages?",
    ):
        assert not any(
            each.idea.measure and each.idea.measure.counts for each in (await thought(box, text, "en")).ideas
        )
    second = await thought(box, "Which country has the second most official languages?", "en")
    assert written(second.ideas[0].idea, box.knowledge).endswith("LIMIT 1 OFFSET 1")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("where are the works of", "employer"),
        ("which country did play in", "cast member"),
        ("what is the population in", "cast member"),
        ("what did go through", "country"),
        ("what art museum is in", "movement"),
        ("where was shot", "place of death"),
        ("who are the characters in", "cast member"),
        ("where was the film made", "director"),
    ],
)
def test_phrases_that_say_something_else(text: str, name: str) -> None:
    assert name not in spoken_for(text, "en")


def test_all_words_of_a_cue_that_are_said_speak() -> None:
    assert {"many", "people", "live"} <= spoken_for("how many people live in the capital", "en")["population"].words


def test_every_language_has_idle_words_and_names_are_folded() -> None:
    assert all(idle(language) for language in LANGUAGES)
    assert "country" in placed()
    assert measured_by("height")[0] == "height"
    assert measured_by("") == ()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "What is the melting point of mercury?"),
        ("en", "What is the density of Berlin?"),
        ("en", "Who is Angela Merkel's brother?"),
        ("en", "Who is the dentist of the director of Inception?"),
        ("en", "Who was the first president of the United States?"),
        ("en", "Which films of Christopher Nolan were banned?"),
        ("en", "Where was Albert Einstein murdered?"),
        ("en", "Which of the 12 children of Germany is the oldest?"),
        ("en", "Which is the most widely spoken language of Germany?"),
        ("en", "Who was the 44 president of Germany?"),
        ("de", "Wer ist der Zahnarzt von Angela Merkel?"),
        ("zh", "安格拉·默克尔的哥哥是谁？"),
    ],
)
async def test_a_word_that_nothing_says_leaves_no_answer(box: Toolbox, language: str, text: str) -> None:
    found = await thought(box, text, language)
    assert found.confidence < LEAST_CONFIDENCE, written(found.ideas[0].idea, box.knowledge)


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        (
            "en",
            "When was the author of Animal Farm born?",
            "SELECT DISTINCT ?x WHERE { wd:Q1396889 wdt:P50 ?middle . ?middle wdt:P569 ?x }",
        ),
        (
            "en",
            "Is K2 higher than Mount Everest?",
            "ASK { wd:Q43512 wdt:P2044 ?value . wd:Q513 wdt:P2044 ?other FILTER(?value > ?other) }",
        ),
        (
            "en",
            "Is Angela Merkel older than Helmut Kohl?",
            "ASK { wd:Q567 wdt:P569 ?value . wd:Q2518 wdt:P569 ?other FILTER(?value < ?other) }",
        ),
        (
            "de",
            "Ist der Rhein länger als die Donau?",
            "ASK { wd:Q584 wdt:P2043 ?value . wd:Q1653 wdt:P2043 ?other FILTER(?value > ?other) }",
        ),
        ("en", "Was Max Planck born in Munich?", "ASK { wd:Q9021 wdt:P19 wd:Q1726 }"),
        ("en", "What are the two official languages of Belgium?", "SELECT DISTINCT ?x WHERE { wd:Q31 wdt:P37 ?x }"),
        ("en", "what currency does the us have?", "SELECT DISTINCT ?x WHERE { wd:Q30 wdt:P38 ?x }"),
        ("en", "What do most Germans speak?", "SELECT DISTINCT ?x WHERE { wd:Q183 wdt:P37 ?x }"),
        ("en", "What do Germany call their money?", "SELECT DISTINCT ?x WHERE { wd:Q183 wdt:P38 ?x }"),
        ("en", "where is Albert Einstein from?", "SELECT DISTINCT ?x WHERE { wd:Q937 wdt:P19 ?x }"),
        ("en", "What was Leonardo DiCaprio in?", "SELECT DISTINCT ?x WHERE { ?x wdt:P161 wd:Q38111 }"),
        ("en", "Where is Germany located?", "SELECT DISTINCT ?x WHERE { wd:Q183 wdt:P30 ?x }"),
        (
            "en",
            "How many awards has Marie Curie?",
            "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE { wd:Q7186 wdt:P166 ?x }",
        ),
        (
            "en",
            "How many people live in the capital of Germany?",
            "SELECT DISTINCT ?x WHERE { wd:Q183 wdt:P36 ?middle . ?middle wdt:P1082 ?x }",
        ),
        (
            "en",
            "What are the capitals of all countries in Europe?",
            "SELECT DISTINCT ?x WHERE { ?middle wdt:P31 wd:Q3624078 . ?middle wdt:P30 wd:Q46 . ?middle wdt:P36 ?x }",
        ),
        (
            "en",
            "Who directed the most films?",
            "SELECT ?x WHERE { ?middle wdt:P31/wdt:P279* wd:Q11424 . ?middle wdt:P57 ?x } "
            "GROUP BY ?x ORDER BY DESC(COUNT(DISTINCT ?middle)) LIMIT 1",
        ),
        (
            "en",
            "Which country has the most official languages?",
            "SELECT ?x WHERE { ?x wdt:P31/wdt:P279* wd:Q3624078 . ?x wdt:P37 ?value } "
            "GROUP BY ?x ORDER BY DESC(COUNT(DISTINCT ?value)) LIMIT 1",
        ),
        (
            "en",
            "Which countries have more than two official languages?",
            "SELECT ?x WHERE { ?x wdt:P31/wdt:P279* wd:Q3624078 . ?x wdt:P37 ?value } "
            "GROUP BY ?x HAVING(COUNT(DISTINCT ?value) > 2)",
        ),
        (
            "en",
            "when did Marie Curie last win the Nobel Prize in Physics?",
            "SELECT DISTINCT ?x WHERE { wd:Q7186 p:P166 ?statement . ?statement ps:P166 wd:Q38104 . "
            "?statement pq:P585 ?x } ORDER BY DESC(?x) LIMIT 1",
        ),
        ("fr", "Quelle est la capitale de l'Allemagne ?", "SELECT DISTINCT ?x WHERE { wd:Q183 wdt:P36 ?x }"),
        ("ru", "Кто режиссёр фильма «Титаник»?", "SELECT DISTINCT ?x WHERE { wd:Q44578 wdt:P57 ?x }"),
        ("zh", "珠穆朗玛峰有多高？", "SELECT DISTINCT ?x WHERE { wd:Q513 wdt:P2044 ?x }"),
        (
            "ru",
            "Какая река самая длинная?",
            "SELECT DISTINCT ?x WHERE { ?x wdt:P31/wdt:P279* wd:Q4022 . ?x wdt:P2043 ?value } "
            "ORDER BY DESC(?value) LIMIT 1",
        ),
        (
            "en",
            "How many rivers are longer than 2000 km?",
            "SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE { ?x wdt:P31/wdt:P279* wd:Q4022 . ?x wdt:P2043 ?value "
            "FILTER(?value > 2000) }",
        ),
    ],
)
async def test_all_that_is_said_is_asked(box: Toolbox, language: str, text: str, query: str) -> None:
    found = await thought(box, text, language)
    assert written(found.ideas[0].idea, box.knowledge) == query
    assert found.confidence > LEAST_CONFIDENCE
    queries = [each.idea.query for each in found.ideas]
    assert len(set(queries)) == len(queries)
