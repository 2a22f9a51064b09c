"""Words learned from questions with queries: what is counted, what is kept, what the file withstands."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from plugins.schema.lexicon import Lexicon
from plugins.schema.model import Property
from plugins.schema.order import Edge, order
from plugins.search import Learned
from plugins.search.learned import FILE, learn, spoken
from plugins.search.lessons import Lessons
from proxy.errors import ConfigError, UsageError

WD = "http://www.wikidata.org/entity/"
PREFIXES = {
    "wd": WD,
    "wdt": "http://www.wikidata.org/prop/direct/",
    "p": "http://www.wikidata.org/prop/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
}

LINES: list[object] = [
    {"question": "Who is the wife of Obama?", "sparql": "SELECT ?x { wd:Q76 wdt:P26 ?x }"},
    {"question": "Name the wife of Lincoln", "query": "SELECT ?x { wd:Q91 p:P26/ps:P26 ?x . ?x rdfs:label ?l }"},
    {
        "question": {"en": "Who was born in Bonn?", "de": "Wer wurde in Bonn geboren?"},
        "sparql": "ASK { ?x wdt:P19 ?y }",
    },
    {"question": {"en": "Who was born in Ulm?", "de": "Wer wurde in Ulm geboren?"}, "sparql": "ASK { ?x wdt:P19 ?y }"},
    {"question": "谁是奥巴马的妻子", "sparql": "SELECT ?x { wd:Q76 wdt:P26 ?x }"},
    {"question": "林肯的妻子是谁", "sparql": "SELECT ?x { wd:Q91 wdt:P26 ?x }"},
    {"question": "How high is Everest?", "sparql": "SELECT ?x { wd:Q513 wdt:P2044 ?x }"},
    {"question": "What is it?"},
    {"sparql": "SELECT * { ?s wdt:P1 ?o }"},
    {"question": "", "sparql": "ASK { ?s wdt:P1 ?o }"},
    {"question": "label?", "sparql": "ASK { ?s rdfs:label ?o }"},
    {"question": "odd", "sparql": "this is no SPARQL"},
    {"question": 5, "sparql": 6},
    [1, 2],
    "text",
    None,
]


def written(path: Path, lines: list[object] = LINES) -> Path:
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines) + b"{broken\n\n\xff\xfe\n"
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def learned(tmp_path: Path) -> Learned:
    return Lessons([written(tmp_path / "q.jsonl")], "wikidata", PREFIXES).learned()


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("who is the wife of the king", "P26"),
        ("Wer wurde in Rom geboren?", "P19"),
        ("who was born in Rome", "P19"),
        ("他的妻子", "P26"),
    ],
)
def test_words_speak_for_properties(learned: Learned, question: str, first: str) -> None:
    assert next(iter(learned.rank(question))) == WD + first


def test_what_was_seen_once_says_nothing(learned: Learned) -> None:
    assert learned.rank("how high is everest") == {}
    assert learned.rank("") == {}
    assert learned.rank("xyzzy") == {}
    assert learned.questions == 9


def test_lines_that_teach_nothing_are_counted(tmp_path: Path) -> None:
    taught = Lessons([written(tmp_path / "q.jsonl.gz")], "wikidata", PREFIXES)
    assert taught.learned().questions == 9
    assert taught.skipped == len(LINES) - 7 + 3


def test_the_weight_is_lift_times_confidence_of_the_four_best_words() -> None:
    pairs = [("alpha beta", frozenset({"a"}))] * 2 + [("alpha gamma", frozenset({"b"}))] * 2
    found = learn(pairs)
    # `beta` and `alpha beta` stand with `a` only: confidence 1, lift 2; `alpha` with both: confidence 1/2, lift 1.
    assert {iri for iri, _ in found.entries["alpha"]} == {"a", "b"}
    assert found.rank("alpha beta")["a"] == pytest.approx(2 + 2 + 0.5)
    assert found.rank("alpha beta")["b"] == pytest.approx(0.5)


def test_it_is_bounded() -> None:
    pairs = [(f"word{number} word{number}", frozenset({f"p{number}"})) for number in range(200) for _ in range(2)]
    kept = learn(pairs, most=50)
    assert sum(map(len, kept.entries.values())) == 50
    many = learn([("word", frozenset({f"p{number}"})) for number in range(500) for _ in range(2)])
    assert len(many.entries["word"]) == 20
    assert len(spoken("a b " * 100_000)) < 500


def test_a_file_is_read_as_it_was_written_and_twice_the_same(learned: Learned, tmp_path: Path) -> None:
    path = learned.write(tmp_path / "out")
    again = Learned.open(tmp_path / "out", "wikidata")
    assert again.rank("the wife") == pytest.approx(learned.rank("the wife"), rel=1e-3)
    assert (again.graph, again.questions) == ("wikidata", 9)
    first = path.read_bytes()
    learned.write(tmp_path / "out")
    assert path.read_bytes() == first


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x",
        gzip.compress(b"[]"),
        gzip.compress(b"{}"),
        gzip.compress(b'{"saga_learned": 2}'),
        gzip.compress(b"\xff"),
        gzip.compress(b'{"saga_learned": 1, "properties": [], "words": {"a": [[5, 1]]}, "graph": "", "questions": 1}'),
        gzip.compress(b'{"saga_learned": 1, "properties": 5, "words": [], "graph": "", "questions": 1}'),
    ],
    ids=range(8),
)
def test_a_file_that_is_damaged_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    with pytest.raises(ConfigError, match="saga search learn"):
        Learned.open(tmp_path)


def test_a_file_that_was_cut_or_changed_is_refused(learned: Learned, tmp_path: Path) -> None:
    path = learned.write(tmp_path)
    whole = path.read_bytes()
    for place in range(10, len(whole), 7):
        path.write_bytes(whole[:place])
        with pytest.raises(ConfigError):
            Learned.open(tmp_path)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        with pytest.raises(ConfigError):
            Learned.open(tmp_path)


def test_a_file_of_another_graph_and_an_absent_one_are_refused(learned: Learned, tmp_path: Path) -> None:
    learned.write(tmp_path)
    with pytest.raises(ConfigError, match="of kind 'wikidata'"):
        Learned.open(tmp_path, "freebase")
    with pytest.raises(ConfigError):
        Learned.open(tmp_path / "none")
    with pytest.raises(UsageError, match="no such file"):
        Lessons([tmp_path / "none"], "wikidata", {})


def test_freebase_and_plain_rdf_properties_are_their_predicates(tmp_path: Path) -> None:
    lines: list[object] = [
        {
            "question": "what gender is x",
            "sparql": "PREFIX ns: <http://rdf.freebase.com/ns/> ASK { ns:m.1 ns:people.person.gender ?x }",
        }
    ] * 2
    found = Lessons([written(tmp_path / "f.jsonl", lines)], "freebase", {"ns": "http://rdf.freebase.com/ns/"}).learned()
    assert list(found.rank("which gender")) == ["http://rdf.freebase.com/ns/people.person.gender"]
    lines = [{"question": "who wrote x", "sparql": "ASK { <urn:x> <http://e.org/wrote> ?x ; a <urn:y> }"}] * 2
    found = Lessons([written(tmp_path / "r.jsonl", lines)], "rdf", {}).learned()
    assert list(found.rank("wrote")) == ["http://e.org/wrote"]


def test_learned_weights_join_the_order_of_properties(learned: Learned) -> None:
    properties = [Property(id=name, iri=WD + name, label=label) for name, label in (("P1", "one"), ("P26", "partner"))]
    question = "name the wife"
    scores = learned.rank(question)
    edges = [Edge(property=each, learned=scores.get(each.iri, 0.0)) for each in properties]
    assert order(edges, question, Lexicon(properties)).shown[0].property.id == "P26"


def test_the_shared_questions_teach(shared: Path) -> None:
    files = [shared / "data" / "benchmarks" / f"{name}.jsonl.gz" for name in ("qald10", "qald9plus")]
    found = Lessons(files, "wikidata", PREFIXES).learned()
    assert next(iter(found.rank("Who is the wife of him?"))) == WD + "P26"
    assert len(found.entries) > 500
