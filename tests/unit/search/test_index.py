"""The index on small graphs: order, languages, scripts, typos, kinds, and text that means harm."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from plugins.search.hit import Hit, Kind
from plugins.search.index import Index
from tests.unit.search.graphs import FREEBASE, RDF, WD, WIKIDATA, built

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
SITELINKS = "http://wikiba.se/ontology#sitelinks"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return asyncio.run(built(tmp_path_factory.mktemp("wikidata"), WIKIDATA, "wikidata"))


def ids(hits: list[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def test_exact_comes_before_prefix_before_fuzzy_and_popularity_decides_within(index: Index) -> None:
    found = [(hit.id, hit.match) for hit in index.find("Berlin")]
    assert found == [("Q64", "exact"), ("Q821244", "exact"), ("Q5086", "prefix"), ("Q99", "fuzzy")]
    scores = [hit.score for hit in index.find("Berlin")]
    assert scores == sorted(scores, reverse=True)


# (text, id that comes first, how)
FIRST = [
    ("берлин", "Q64", "exact"),
    ("柏林", "Q64", "exact"),
    ("frg", "Q183", "exact"),
    ("muller-lodz", "Q1860", "exact"),
    ("Muller Lodz", "Q1860", "exact"),
    ("o'brien", "Q42", "exact"),
    ("c++", "Q43", "exact"),
    ("C", "Q44", "exact"),
    ("US", "Q30", "exact"),
    ("us", "Q30", "exact"),
    ("einstein", "Q45", "prefix"),
    ("albert ein", "Q45", "prefix"),
    ("ein", "Q45", "prefix"),
    ("Эйнштейн", "Q45", "prefix"),
    ("einstien", "Q45", "fuzzy"),
    ("Germny", "Q183", "fuzzy"),
    ("albert einstain", "Q45", "fuzzy"),
    ("alberteinstein", "Q45", "fuzzy"),
    ("Германяи", "Q183", "fuzzy"),
    ("总统", "Q11696", "prefix"),
    ("统", "Q11696", "prefix"),
    ("ベートーヴェン", "Q46", "prefix"),
    ("มหานคร", "Q47", "prefix"),
    ("방콕", "Q47", "exact"),
    ("colour", "Q48", "exact"),
    ("Q64", "Q64", "exact"),
    ("ludwig van beethoven", "Q46", "exact"),
    ("http://www.wikidata.org/entity/Q64", "Q64", "exact"),
    ("country", "Q6256", "exact"),
]


@pytest.mark.parametrize(("text", "first", "match"), FIRST)
def test_it_is_found_by_what_people_type(index: Index, text: str, first: str, match: str) -> None:
    hit = index.find(text)[0]
    assert (hit.id, hit.match, hit.source) == (first, match, "index")


@pytest.mark.parametrize("text", ["柏", "xyzzy", "Q65", "P64", "ber lin wal l of x", "usb", "tsa"])
def test_what_is_far_from_everything_finds_no_exact_name(index: Index, text: str) -> None:
    assert all(hit.match != "exact" for hit in index.find(text))


def test_a_hit_says_what_it_is(index: Index) -> None:
    hit = index.find("Берлин", language="de")[0]
    assert (hit.iri, hit.kind, hit.label, hit.text) == (
        "http://www.wikidata.org/entity/Q64",
        "entity",
        "Berlin",
        "Берлин",
    )
    assert (hit.language, hit.description, hit.popularity) == ("ru", "Hauptstadt Deutschlands", 300)
    assert [(each.id, each.label) for each in hit.classes] == [("Q515", "Stadt")]
    assert not hit.is_class
    assert index.find("city")[0].is_class
    assert index.find("human settlement")[0].is_class


@pytest.mark.parametrize(("kind", "first"), [("entity", "Q6256"), ("property", "P17"), (None, "Q6256")])
def test_kinds_are_told_apart(index: Index, kind: Kind | None, first: str) -> None:
    hits = index.find("country", kind)
    assert hits[0].id == first
    assert kind is None or {hit.kind for hit in hits} == {kind}
    assert index.find("P17", "entity") == []


def test_a_property_counts_its_triples_and_has_aliases(index: Index) -> None:
    hit = index.find("land", "property")[0]
    assert (hit.id, hit.text, hit.label, hit.popularity) == ("P17", "land", "country", 1)
    assert index.find("is a", "property")[0].popularity == 2


def test_the_asked_language_is_preferred(index: Index) -> None:
    assert index.find("Staat", language="de")[0].id == "P17"
    assert index.find("Deutschland", language="zh")[0].label == "德国"
    assert index.find("colour", language="en")[0].label == "colour"


def test_the_limit_holds(index: Index) -> None:
    assert [len(index.find("Berlin", limit=limit)) for limit in (1, 2, 3)] == [1, 2, 3]


def test_mentions_are_exact_names_only(index: Index) -> None:
    words = ["what", "is", "the", "capital", "of", "germany", "and", "the", "us"]
    spans = [" ".join(words[start:end]) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    found = index.mentions(spans)
    assert {text: ids(hits)[0] for text, hits in found.items()} == {"germany": "Q183", "us": "Q30"}
    assert index.mentions(["Berlin"], limit=1)["Berlin"][0].id == "Q64"
    assert index.mentions(["country"], "property")["country"][0].id == "P17"
    assert index.mentions([]) == {}


# (text, what comes first, how): one strange word among known ones, a space that is wrong, two words that are wrong.
MISTYPED = [
    ("albert einstien", "Q45", "fuzzy"),
    ("albret einstein", "Q45", "fuzzy"),
    ("albret einstien", "Q45", "fuzzy"),
    ("albert einst ein", "Q45", "fuzzy"),
    ("alber teinstein", "Q45", "fuzzy"),
    ("berlinwall", "Q5086", "fuzzy"),
    ("berlin wal", "Q5086", "prefix"),
    ("united sates", "Q30", "fuzzy"),
    ("ludwig van bethoven", "Q46", "fuzzy"),
    ("ludwigvan beethoven", "Q46", "fuzzy"),
    ("presidnt of the united states", "Q11696", "fuzzy"),
    ("germany berlin wall", "", ""),
]


@pytest.mark.parametrize(("text", "first", "match"), MISTYPED)
def test_what_is_mistyped_among_several_words_is_found(index: Index, text: str, first: str, match: str) -> None:
    hits = index.find(text)
    assert [(hit.id, hit.match) for hit in hits[:1]] == ([(first, match)] if first else [])


async def test_what_is_left_unread_would_not_have_been_among_the_best(tmp_path: Path) -> None:
    chance = random.Random(5)
    lines = []
    for number in range(1, 36):
        name = chance.choice(["Ber", "Berlin", "Berlin Wall", "Wall Ber", "Bern", "Ber Ber", "ber"])
        predicate = chance.choice([f"<{LABEL}>", f"<{ALIAS}>"])
        lines.append(f'<{WD}Q{number}> {predicate} "{name}"@{chance.choice(["en", "de", "tlh", "mul"])} .')
        lines.append(f'<{WD}Q{number}> <{SITELINKS}> "{int(chance.paretovariate(0.5))}" .')
    index = await built(tmp_path, "\n".join(lines), "wikidata")
    for text in ("ber", "Ber", "berl", "wall ber", "Berlin"):
        for language in ("", "de", "en"):
            every = index.find(text, None, language, 100)
            assert len(every) >= 5
            for limit in (1, 2, 5, 10):
                assert index.find(text, None, language, limit) == every[:limit]


HOSTILE = [
    "",
    " ",
    "\0",
    "\0" * 1000,
    "AND ( : *",
    "NOT OR AND",
    '"',
    "'",
    '"Berlin',
    "words:berlin",
    "kind:entity",
    "*",
    "?",
    "~2",
    "[a TO z]",
    "/.*/",
    "(((((((",
    "\\",
    "Berlin^1000",
    "😀",
    "😀👍🏽",
    "\ud800",
    "‮Berlin",
    "a" * 1_000_000,
    "berlin " * 150_000,
    "柏" * 300_000,
    "\u0301" * 100_000,
    "%s%n{}",
    "<script>",
    "'; DROP TABLE x; --",
    "SELECT * { ?s ?p ?o }",
    "Ignore all instructions",
    "\n\r\t",
    "\u2028",
    "ﷺ" * 1000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_does_harm(index: Index, text: str) -> None:
    assert len(index.find(text, limit=5)) <= 5
    index.mentions([text])


def test_quotes_around_a_name_do_not_hide_it(index: Index) -> None:
    assert index.find('"Berlin"')[0].id == "Q64"
    assert index.find("\u202eBerlin")[0].id == "Q64"


async def test_any_rdf_graph_has_names(tmp_path: Path) -> None:
    index = await built(tmp_path, RDF, "rdf")
    for text, name, kind in (
        ("ada lovelace", "ex:ada", "entity"),
        ("the smoke", "ex:london", "entity"),
        ("computing", "ex:concept", "entity"),
        ("notes on the engine", "ex:book", "entity"),
        ("wrote", "ex:wrote", "property"),
        ("person", "ex:Person", "entity"),
        ("birth place", "ex:birthPlace", "property"),
        ("ex:london", "ex:london", "entity"),
    ):
        hit = index.find(text)[0]
        assert (hit.id, hit.kind) == (name, kind)
    assert index.find("person")[0].is_class
    assert [each.label for each in index.find("ada")[0].classes] == ["person"]
    assert index.find("rdf:type") == []


async def test_freebase_has_names(tmp_path: Path) -> None:
    index = await built(tmp_path, FREEBASE, "freebase")
    for text, name, kind in (
        ("barack obama", "m.02mjmr", "entity"),
        ("obama", "m.02mjmr", "entity"),
        ("gender", "people.person.gender", "property"),
        ("people.person.gender", "people.person.gender", "property"),
        ("height", "base.svocab.person.height", "property"),
        ("vocabulary person", "base.svocab.person", "entity"),
        ("place of birth", "people.person.place_of_birth", "property"),
        ("m.05zppz", "m.05zppz", "entity"),
        ("person", "people.person", "entity"),
    ):
        hit = index.find(text)[0]
        assert (hit.id, hit.kind) == (name, kind)
    assert [each.id for each in index.find("obama")[0].classes] == ["people.person"]
