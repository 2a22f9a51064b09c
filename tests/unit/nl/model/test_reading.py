"""What models write where they should name an action: as asked, and in every way that small ones garble it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.nl.model.contract import Unreadable
from plugins.nl.model.reading import argument_of, checked, read_action, without_thinking
from tests.unit.nl.model.offers import OFFERS

QUERY = """PREFIX wdt: <http://www.wikidata.org/prop/direct/>
SELECT ?x (COUNT(?y) AS ?n) WHERE {
  ?x wdt:P31 <http://e.org/Thing_(band)> ; rdfs:label "Smile :)"@en . # a comment (with a bracket
  FILTER(?n < 3 && CONTAINS(STR(?x), "a)b"))
} GROUP BY ?x"""

READ = {
    "as asked": ("Thought: Who is it?\nAction: search(Obama)", "Who is it?", "search", "Obama"),
    "quoted": ('Thought: t\nAction: search("Obama")', "t", "search", "Obama"),
    "single quotes": ("Action: search('Barack Obama')", "", "search", "Barack Obama"),
    "an apostrophe": ("Action: search(Alzheimer's disease)", "", "search", "Alzheimer's disease"),
    "an apostrophe in quotes": ('Action: search("O\'Brien (actor)")', "", "search", "O'Brien (actor)"),
    "brackets": ("Action: search(Genesis (band))", "", "search", "Genesis (band)"),
    "a bracket in quotes": ('Action: search("Smile :)")', "", "search", "Smile :)"),
    "a query over many lines": (f"Thought: t\nAction: execute({QUERY})", "t", "execute", QUERY),
    "a query in quotes": ('Action: execute("ASK { ?a ?b \\"x\\" }")', "", "execute", 'ASK { ?a ?b "x" }'),
    "a query with quotes": ('Action: execute(ASK { ?a ?b "x"@en })', "", "execute", 'ASK { ?a ?b "x"@en }'),
    "a query in triple quotes": ('Action: execute("""ASK { ?a ?b "x" }""")', "", "execute", 'ASK { ?a ?b "x" }'),
    "a query in a fence": ("Action: execute(```sparql\nASK { ?a ?b 1 }\n```)", "", "execute", "ASK { ?a ?b 1 }"),
    "a fence behind the name": ("Action: execute\n```sparql\nASK {}\n```\nThat is it.", "", "execute", "ASK {}"),
    "all in a fence": ("```\nThought: t\nAction: search(Obama)\n```", "t", "search", "Obama"),
    "a fence that never closes": ("Action: execute(```sparql\nASK { ?a ?b 1 }", "", "execute", "ASK { ?a ?b 1 }"),
    "a parameter's name": ('Action: search(query="Obama")', "", "search", "Obama"),
    "an object in brackets": ('Action: search({"argument": "Obama"})', "", "search", "Obama"),
    "no closing bracket": ("Thought: t\nAction: search(Obama\nThought: next", "t", "search", "Obama"),
    "a query that never closes": ("Action: execute(ASK { ?a ?b (1 }", "", "execute", "ASK { ?a ?b (1 }"),
    "marks that were shown": ("Thought: ⟦t⟧\nAction: lookup(⟦Q76⟧)", "t", "lookup", "Q76"),
    "marks within an argument": ("Action: lookup(⟦Q76⟧, ⟦Q30⟧)", "", "lookup", "Q76, Q30"),
    "marks in JSON": ('{"thought": "⟦t⟧", "action": "lookup", "argument": "⟦Q76⟧"}', "t", "lookup", "Q76"),
    "a closing bracket too many": ("Action: search(Obama))", "", "search", "Obama"),
    "several actions": ("Action: search(a)\nAction: lookup(b)", "", "search", "a"),
    "an observation made up": (
        "Thought: t\nAction: search(Obama)\nObservation: Q76\nThought: u\nAction: stop()", "t", "search", "Obama",
    ),
    "an observation behind a bare name": ("Action: search Obama\nObservation: Q76", "", "search", "Obama"),
    "numbered": ("Thought 1: t\nAction 1: lookup(Q76)", "t", "lookup", "Q76"),
    "bold": ("**Thought:** t\n**Action:** `lookup(Q76)`", "t", "lookup", "Q76"),
    "bold name": ("**Action**: **lookup**(Q76)", "", "lookup", "Q76"),
    "a heading": ("### Thought: t\n### Action: lookup(Q76)", "t", "lookup", "Q76"),
    "in a list": ("- Thought: t\n- Action: lookup(Q76)", "t", "lookup", "Q76"),
    "without brackets": ("Action: lookup Q76", "", "lookup", "Q76"),
    "with a colon": ("Action: lookup: Q76", "", "lookup", "Q76"),
    "an input below": ("Action: lookup\nAction Input: Q76\nObservation: x", "", "lookup", "Q76"),
    "an input in JSON": ('Action: lookup\nAction Input: {"id": "Q76"}', "", "lookup", "Q76"),
    "no argument": ("Thought: done\nAction: stop()", "done", "stop", ""),
    "no brackets either": ("Thought: done\nAction: stop", "done", "stop", ""),
    "an argument that is not wanted": ("Action: stop(all is found)", "", "stop", ""),
    "another case": ("action: SEARCH(Obama)", "", "search", "Obama"),
    "German": ("Gedanke: wer?\nAktion: search(Obama)\nBeobachtung: Q76", "wer?", "search", "Obama"),
    "Chinese": ("思考：是谁\n行动：search(Obama)\n观察：Q76", "是谁", "search", "Obama"),
    "Russian": ("Мысль: кто\nДействие: search(Obama)\nНаблюдение: Q76", "кто", "search", "Obama"),
    "a thought without a label": ("Let me look.\nAction: lookup(Q76)", "Let me look.", "lookup", "Q76"),
    "no label at all": ("I will look at him: lookup(Q76).", "I will look at him:", "lookup", "Q76"),
    "only the call": ("lookup(Q76)", "", "lookup", "Q76"),
    "thinking": ("<think>Action: stop()?\nNo.</think>\nAction: lookup(Q76)", "", "lookup", "Q76"),
    "thinking whose start is in the prompt": ("Action: stop()? No.</think>Action: lookup(Q76)", "", "lookup", "Q76"),
    "thinking that never ends": ("<think>Hm.\nAction: lookup(Q76)", "Hm.", "lookup", "Q76"),
    "JSON": ('{"thought": "t", "action": "lookup", "argument": "Q76"}', "t", "lookup", "Q76"),
    "JSON in text": ('Sure!\n```json\n{"action": "lookup", "argument": "Q76"}\n```', "Sure!", "lookup", "Q76"),
    "JSON behind the label": ('Thought: t\nAction: {"action": "lookup", "argument": "Q76"}', "t", "lookup", "Q76"),
    "JSON of a tool call": ('```json\n{"name": "lookup", "arguments": {"argument": "Q76"}}\n```', "", "lookup", "Q76"),
    "JSON in JSON": ('{"name": "lookup", "arguments": "{\\"argument\\": \\"Q76\\"}"}', "", "lookup", "Q76"),
    "a function in JSON": ('{"function": {"name": "lookup", "arguments": {"id": "Q76"}}}', "", "lookup", "Q76"),
    "the name as a key": ('{"thought": "t", "lookup": "Q76"}', "t", "lookup", "Q76"),
    "the call as the action": ('{"thought": "t", "action": "lookup(Q76)"}', "t", "lookup", "Q76"),
    "line ends in JSON": ('{"action": "execute", "argument": "ASK {\n?a ?b 1\n}"}', "", "execute", "ASK {\n?a ?b 1\n}"),
    "a comma too many": ('{"action": "lookup", "argument": "Q76",}', "", "lookup", "Q76"),
    "a brace too few": ('{"action": "lookup", "argument": "Q76"', "", "lookup", "Q76"),
    "two objects": ('{"action": "search", "argument": "a"}\n{"action": "stop"}', "", "search", "a"),
    "tags": ('<tool_call>\n{"name": "lookup", "arguments": {"argument": "Q76"}}\n</tool_call>', "", "lookup", "Q76"),
    "tags behind a thought": ('Hm.\n<tool_call>{"name": "lookup", "arguments": {"x": "Q76"}}', "Hm.", "lookup", "Q76"),
    "Mistral's tag": ('[TOOL_CALLS] [{"name": "lookup", "arguments": {"argument": "Q76"}}]', "", "lookup", "Q76"),
    "a function tag": ('<function=lookup>{"argument": "Q76"}</function>', "", "lookup", "Q76"),
    "a parameter tag": (
        "<tool_call><function=lookup>\n<parameter=argument>\nQ76\n</parameter>\n</function></tool_call>",
        "", "lookup", "Q76",
    ),
    "a number": ('{"action": "search", "argument": 42}', "", "search", "42"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "thought", "action", "argument"), READ.values(), ids=READ.keys())
def test_an_action_is_read(text: str, thought: str, action: str, argument: str) -> None:
    choice = read_action(text, OFFERS)
    assert (choice.thought, choice.action, choice.argument) == (thought, action, argument)


UNREADABLE = {
    "nothing": ("", "it is empty"),
    "nothing but thoughts": ("<think>hm</think>", "it is empty"),
    "prose": ("I do not know who Obama is.", "it names no action"),
    "an action that is not on offer": ("Action: browse(Obama)", "there is no action 'browse'; there are search"),
    "no argument where one is needed": ("Action: search()", "search needs its argument: a name"),
    "the words for the argument": ("Action: search(a name)", "search needs its argument: a name"),
    "dots": ("Action: execute(...)", "execute needs its argument: the query"),
    "a label and nothing": ("Thought: t\nAction:", "it names no action"),
    "a form of something else": ('{"answer": "Obama"}', "it names no action"),
}


@pytest.mark.parametrize(("text", "why"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_what_is_wrong_is_said(text: str, why: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read_action(text, OFFERS)
    assert str(raised.value).startswith(why)


@given(st.text(st.sampled_from("Action: search({[\"'<>`\\n\n)]}aé")) | st.text())
def test_whatever_is_written_it_is_read_or_unreadable(text: str) -> None:
    try:
        choice = read_action(text, OFFERS)
    except Unreadable:
        return
    assert choice.action in {each.name for each in OFFERS}


@pytest.mark.parametrize(
    "text", ["{" * 50_000, "[" * 50_000, "(" * 50_000, 'Action: search([[[{"a":' * 5_000, "<think>" * 20_000]
)
def test_hostile_texts_end(text: str) -> None:
    with pytest.raises(Unreadable):
        read_action(f'{{"action": "search", "argument": {text}', OFFERS[3:])


def test_a_name_is_that_of_an_offer_whatever_its_spelling() -> None:
    assert checked("t", "Look-Up", "Q1", OFFERS).action == "lookup"


@pytest.mark.parametrize(
    ("arguments", "read"),
    [
        ('{"thought": "t", "argument": "a"}', ("t", "a")),
        ({"thought": "t", "q": "a"}, ("t", "a")),
        ("ASK { ?a ?b ?c }", ("", "ASK { ?a ?b ?c }")),
        ("{ ?a ?b ?c }", ("", "{ ?a ?b ?c }")),
        (["a"], ("", "a")),
        (None, ("", "")),
        ({}, ("", "")),
    ],
)
def test_arguments_of_tools_in_any_shape(arguments: object, read: tuple[str, str]) -> None:
    assert argument_of(arguments) == read


def test_thinking_is_left_out_of_texts() -> None:
    assert without_thinking("<think>a\n\nb</think>\n\nYes <thinking>c</thinking>no") == "Yes no"
