"""The native formats of the benchmarks: small files in their shapes, with questions of our own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from plugins.evaluation.formats import FORMATS
from plugins.evaluation.records import Record, records
from proxy.errors import UsageError
from proxy.results.terms import XSD, Term, iri, literal

WD, FB = "http://www.wikidata.org/entity/", "http://rdf.freebase.com/ns/"


def uri(value: str) -> dict[str, str]:
    return {"type": "uri", "value": WD + value}


def rows(*values: str) -> tuple[tuple[Term], ...]:
    return tuple((iri(value),) for value in values)


QALD: dict[str, Any] = {
    "dataset": {"id": "mine-7"},
    "questions": [
        {
            "id": 3,
            "answertype": "resource",
            "aggregation": False,
            "question": [
                {"language": "en", "string": "Who paints clouds?", "keywords": "paint, cloud"},
                {"language": "de", "string": "Wer malt Wolken?"},
                {"language": "en", "string": "Clouds are painted by whom?"},
                {"language": "fr", "string": ""},
            ],
            "query": {"sparql": "SELECT ?x { ?x wdt:P1 wd:Q1 }"},
            "answers": [{"head": {"vars": ["x"]}, "results": {"bindings": [{"x": uri("Q7")}, {"x": uri("Q8")}]}}],
        },
        {
            "id": "4",
            "question": [{"language": "en", "string": "Is it raining?"}],
            "query": {"sparql": "ASK { wd:Q1 wdt:P1 wd:Q2 }"},
            "answers": [{"head": {}, "boolean": False}],
        },
        {
            "id": "5",
            "question": [{"language": "en", "string": "How high and since when?"}],
            "query": {},
            "answers": [
                {
                    "head": {"vars": ["h", "d"]},
                    "results": {
                        "bindings": [
                            {
                                "h": {"type": "typed-literal", "value": "12.5", "datatype": f"{XSD}decimal"},
                                "d": {"type": "literal", "value": "Wolke", "xml:lang": "de"},
                            }
                        ]
                    },
                }
            ],
        },
        {
            "id": "6",
            "question": [{"language": "en", "string": "What is nothing?"}],
            "query": {"sparql": ""},
            "answers": [],
        },
    ],
}
LCQUAD2 = [
    {
        "uid": 17,
        "NNQT_question": "What is {colour} of {cloud}?",
        "question": "What colour has a cloud?",
        "paraphrased_question": "Which colour is that of a cloud?",
        "subgraph": "simple question right",
        "template_index": 65,
        "template_id": 1,
        "sparql_wikidata": "SELECT ?answer WHERE { wd:Q1 wdt:P1 ?answer }",
        "sparql_dbpedia18": "SELECT ?answer WHERE { ?s ?p ?answer }",
        "answer": [],
    },
    {
        "uid": 18,
        "NNQT_question": "Is {cloud} {grey}?",
        "question": None,
        "paraphrased_question": [],
        "sparql_wikidata": " ask where { wd:Q1 wdt:P1 wd:Q2 } ",
    },
    {"uid": 19, "NNQT_question": "x", "question": "n/a", "paraphrased_question": "Which?", "sparql_wikidata": "ASK {}"},
]
WWQ = [
    {
        "id": "WebQTrn-1",
        "utterance": "who paints clouds?",
        "sparql": "SELECT DISTINCT ?x WHERE { wd:Q1 wdt:P1 ?x. }",
        "results": [{"x": uri("Q7")}],
    },
    {"id": "WebQTrn-2", "utterance": "is it raining?", "sparql": "ASK {}", "results": True},
    {"id": "WebQTrn-3", "utterance": "who?", "sparql": "SELECT ?x {}"},
]
SPINACH = [
    {
        "id": "dev_1",
        "title": "Clouds with painters",
        "url": "https://example.org/request",
        "question": "Which clouds have painters, and who are these?",
        "sparql": "SELECT ?cloud ?cloudLabel ?painter {\n ?cloud wdt:P1 ?painter\n}",
    },
    {
        "id": "ab12",
        "title": "t",
        "url": "u",
        "question": "Which?",
        "sparql": "SELECT ?x {}",
        "results": [{"x": uri("Q7")}],
    },
]
WEBQSP: dict[str, Any] = {
    "Version": "1.0",
    "FreebaseVersion": "2015-08-09",
    "Questions": [
        {
            "QuestionId": "WebQTest-1",
            "RawQuestion": "who paints clouds?",
            "ProcessedQuestion": "who paints clouds",
            "Parses": [
                {
                    "ParseId": "WebQTest-1.P0",
                    "Sparql": "PREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x { ns:m.1 ns:a.b.c ?x }",
                    "TopicEntityMid": "m.1",
                    "TopicEntityName": "Cloud",
                    "InferentialChain": ["a.b.c"],
                    "Constraints": [],
                    "Answers": [
                        {"AnswerType": "Entity", "AnswerArgument": "m.0abc", "EntityName": "Someone"},
                        {"AnswerType": "Value", "AnswerArgument": "1889-04-20", "EntityName": None},
                    ],
                },
                {"ParseId": "WebQTest-1.P1", "Sparql": "SELECT ?y {}", "Answers": [{"AnswerArgument": "m.other"}]},
            ],
        },
        {"QuestionId": "WebQTest-2", "RawQuestion": "who?", "Parses": []},
        {
            "QuestionId": "WebQTest-3",
            "ProcessedQuestion": "who else",
            "Parses": [{"Sparql": None, "Answers": []}, {"Sparql": "SELECT ?z {}", "Answers": []}],
        },
    ],
}
CWQ = [
    {
        "ID": "WebQTest-1_aa",
        "webqsp_ID": "WebQTest-1",
        "webqsp_question": "who paints clouds?",
        "machine_question": "who paints clouds that are grey",
        "question": "Who paints grey clouds?",
        "compositionality_type": "conjunction",
        "composition_answer": "grey",
        "created": "2018-02-13T02:07:47",
        "sparql": "PREFIX ns: <http://rdf.freebase.com/ns/>\nSELECT DISTINCT ?x { ns:m.1 ns:a.b.c ?x }",
        "answers": [
            {"answer_id": "m.0abc", "answer": "Someone", "aliases": ["Some One"]},
            {"answer_id": None, "answer": "1889"},
        ],
    },
    {
        "ID": "WebQTest-1_bb",
        "webqsp_ID": "WebQTest-1",
        "question": "Who?",
        "sparql": "SELECT ?x {}",
        "answer": ["m.0abc"],
    },
    {
        "ID": "cc",
        "compositionality_type": "composition",
        "question": "Who?",
        "sparql": "",
        "answers": {"answer_id": ["m.7"]},
    },
]
GRAILQA = [
    {
        "qid": 2101960008000,
        "question": "which cloud is painted?",
        "answer": [
            {"answer_type": "Entity", "answer_argument": "m.0abc", "entity_name": "Cloud"},
            {"answer_type": "Value", "answer_argument": f"1978-03^^{XSD}gYearMonth"},
        ],
        "function": "none",
        "num_node": 2,
        "num_edge": 1,
        "graph_query": {"nodes": [], "edges": []},
        "sparql_query": "PREFIX : <http://rdf.freebase.com/ns/> SELECT (?x0 AS ?value) { SELECT ?x0 { ?x0 :a.b :m.1 }}",
        "domains": ["clouds"],
        "level": "i.i.d.",
        "s_expression": "(AND clouds.cloud (JOIN a.b m.1))",
    },
    {"qid": "2", "question": "how many?", "answer": [], "sparql_query": "SELECT (COUNT(?x) AS ?n) {}"},
]
SHAPES: dict[str, Any] = {
    "qald": QALD, "lcquad2": LCQUAD2, "wwq": WWQ, "spinach": SPINACH, "webqsp": WEBQSP, "cwq": CWQ, "grailqa": GRAILQA,
}  # fmt: skip


@pytest.fixture(params=["document", "lines"])
def found(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, list[Record]]:
    """Return the records of each format, found out by content: as published, and with an entry a line."""
    return {name: records([_written(tmp_path, name, shape, request.param)]) for name, shape in SHAPES.items()}


def _written(folder: Path, name: str, shape: Any, how: str) -> Path:
    path = folder / f"my-{name}.json"
    if how == "document":
        path.write_text(json.dumps(shape, indent=2), "utf-8")
    else:
        entries = shape if isinstance(shape, list) else shape[FORMATS[name].wrapper]
        path.write_text("".join(json.dumps(each) + "\n" for each in entries), "utf-8")
    return path


def test_qald(found: dict[str, list[Record]]) -> None:
    first, second, third, fourth = found["qald"]
    assert (first.id, first.dataset) == ("3", "my-qald")
    assert first.questions == {"en": "Who paints clouds?", "de": "Wer malt Wolken?"}
    assert first.sparql == "SELECT ?x { ?x wdt:P1 wd:Q1 }"
    assert first.answers == rows(f"{WD}Q7", f"{WD}Q8")
    assert first.group == "q:who paints clouds"
    assert second.answers == (False,)
    assert third.sparql == ""
    assert third.answers == ((literal("12.5", f"{XSD}decimal"), literal("Wolke", language="de")),)
    assert (fourth.sparql, fourth.answers) == ("", None)


def test_lcquad2(found: dict[str, list[Record]]) -> None:
    first, second, third = found["lcquad2"]
    assert (first.id, first.text("en")) == ("17", "What colour has a cloud?")
    assert first.sparql == "SELECT ?answer WHERE { wd:Q1 wdt:P1 ?answer }"
    assert first.answers is None
    assert second.text("en") == "Is {cloud} {grey}?"
    assert third.text("en") == "Which?"


def test_wwq(found: dict[str, list[Record]]) -> None:
    first, second, third = found["wwq"]
    assert (first.id, first.text("en"), first.group) == ("WebQTrn-1", "who paints clouds?", "webqsp:WebQTrn-1")
    assert first.answers == rows(f"{WD}Q7")
    assert second.answers == (True,)
    assert third.answers is None


def test_spinach(found: dict[str, list[Record]]) -> None:
    first, second = found["spinach"]
    assert (first.id, first.text("en")) == ("dev_1", "Which clouds have painters, and who are these?")
    assert first.sparql.startswith("SELECT ?cloud")
    assert first.answers is None
    assert second.answers == rows(f"{WD}Q7")


def test_webqsp(found: dict[str, list[Record]]) -> None:
    first, second, third = found["webqsp"]
    assert (first.id, first.text("en"), first.group) == ("WebQTest-1", "who paints clouds?", "webqsp:WebQTest-1")
    assert "ns:a.b.c" in first.sparql
    assert first.answers == (*rows(f"{FB}m.0abc"), (literal("1889-04-20"),))
    assert (second.sparql, second.answers) == ("", None)
    assert (third.text("en"), third.sparql, third.answers) == ("who else", "SELECT ?z {}", None)


def test_cwq(found: dict[str, list[Record]]) -> None:
    first, second, third = found["cwq"]
    assert (first.id, first.text("en")) == ("WebQTest-1_aa", "Who paints grey clouds?")
    assert first.answers == (*rows(f"{FB}m.0abc"), (literal("1889"),))
    assert first.group == second.group == "webqsp:WebQTest-1"
    assert second.answers == rows(f"{FB}m.0abc")
    assert third.answers == rows(f"{FB}m.7")
    assert third.group == "q:who"


def test_grailqa(found: dict[str, list[Record]]) -> None:
    first, second = found["grailqa"]
    assert (first.id, first.text("en")) == ("2101960008000", "which cloud is painted?")
    assert first.sparql.endswith(":a.b :m.1 }}")
    assert first.answers == (*rows(f"{FB}m.0abc"), (literal("1978-03", f"{XSD}gYearMonth"),))
    assert second.answers is None


def test_places(found: dict[str, list[Record]]) -> None:
    assert {each.place.rpartition("/")[2] for each in found["webqsp"]} in (
        {"my-webqsp.json#0", "my-webqsp.json#1", "my-webqsp.json#2"},
        {"my-webqsp.json:1", "my-webqsp.json:2", "my-webqsp.json:3"},
    )


def first(shape: Any) -> dict[str, Any]:
    entries = shape if isinstance(shape, list) else next(each for each in shape.values() if isinstance(each, list))
    return dict(entries[0])


MISSING = {
    ("qald", "id"): "has no `id`",
    ("qald", "question"): "has no `question`",
    ("lcquad2", "uid"): "has no `uid` or `id`",
    ("wwq", "utterance"): "has no `utterance`",
    ("wwq", "id"): "has no `id`",
    ("spinach", "question"): "has no `question`",
    ("webqsp", "QuestionId"): "has no `QuestionId`",
    ("webqsp", "Parses"): "has no `Parses`",
    ("cwq", "ID"): "has no `ID`",
    ("cwq", "question"): "has no `question`",
    ("grailqa", "question"): "has no `question`",
    ("grailqa", "qid"): "has no `qid`",
}
GOLD = {
    "qald": ("query", "answers"), "lcquad2": ("sparql_wikidata", "answer"), "wwq": ("sparql", "results"),
    "spinach": ("sparql",), "cwq": ("sparql", "answers"), "grailqa": ("sparql_query", "answer"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "key"), MISSING.keys())
def test_a_missing_key_is_named(tmp_path: Path, name: str, key: str) -> None:
    entry = first(SHAPES[name])
    del entry[key]
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(entry) + "\n", "utf-8")
    with pytest.raises(UsageError) as error:
        records([path], format=name)
    assert f"{path}:1: this question of format {name} {MISSING[name, key]}" in str(error.value)


@pytest.mark.parametrize("name", GOLD.keys())
def test_an_entry_without_any_gold_is_named(tmp_path: Path, name: str) -> None:
    entry = {key: value for key, value in first(SHAPES[name]).items() if key not in GOLD[name]}
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps(entry) + "\n", "utf-8")
    with pytest.raises(UsageError, match="has neither a gold query nor gold answers"):
        records([path], format=name)


WRONG = {
    "a query that is a list": ("qald", {"query": {"sparql": []}}),
    "answers that are a text": ("qald", {"answers": "Q7"}),
    "answers that are texts": ("qald", {"answers": ["Q7"]}),
    "bindings that are damaged": ("qald", {"answers": [{"results": {"bindings": [{"x": {"type": "uri"}}]}}]}),
    "results that are numbers of lists": ("wwq", {"results": [[[1]]]}),
    "parses that are texts": ("webqsp", {"Parses": ["P0"]}),
    "answers of a parse that are texts": ("webqsp", {"Parses": [{"Sparql": "ASK {}", "Answers": ["m.1"]}]}),
    "a query that is a number": ("cwq", {"sparql": 7}),
    "answers that are a number": ("cwq", {"answers": 7}),
    "an answer that is a text": ("grailqa", {"answer": "m.1"}),
}


@pytest.mark.parametrize(("name", "change"), WRONG.values(), ids=WRONG.keys())
def test_what_is_there_but_wrong_is_named(tmp_path: Path, name: str, change: dict[str, Any]) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({**first(SHAPES[name]), **change}) + "\n", "utf-8")
    with pytest.raises(UsageError, match=f"q.jsonl:1: this question of format {name} has "):
        records([path], format=name)
