"""Shapes of English questions."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, TextMatch
from tests.unit.nl.shape_cases import Row, check

ROWS: list[Row] = [
    ("Is Lisbon the capital of Portugal?", "ask", {"negated": False, "superlative": "none"}),
    ("Did Marie Curie ever teach in Paris?", "ask", {"span": "ever"}),
    ("Has Norway joined the European Union", "ask", {}),
    ("Are there volcanoes in Iceland?", "ask", {}),
    ("Tell me whether Pluto is a planet.", "ask", {}),
    ("Is Desmond Morris still alive?", "ask", {"polarity": ("alive",), "negated": True, "span": "now"}),
    ("Was Handel a composer or a painter?", "entity", {"compare": ()}),
    ("Was Handel a composer or not?", "ask", {}),
    ("Did Handel write operas or songs?", "ask", {}),
    ("Isn't Ottawa a capital?", "ask", {"negated": False}),
    ("Is Canada not a member of NATO?", "ask", {"negated": True, "polarity": ("not",)}),
    ("Is Lake Garda larger than Lake Como?", "ask", {"compare": ("Lake Garda", "Lake Como"), "superlative": "max"}),
    ("Did Sweden win at least four gold medals?", "ask", {"bound": Bound(comparison=">=", value=4)}),
    ("Does the postcode of Graz start with 8?", "ask", {"text_matches": TextMatch(where="start", text="8")}),
    ("Can you tell me who wrote Emma?", "entity", {"type_label": "person"}),
    ("Who painted Guernica?", "entity", {"type_label": "person"}),
    ("Where was Ada Lovelace born?", "entity", {"type_label": "place"}),
    ("Who were the founders of Intel?", "list", {"type_label": "person"}),
    ("Which bridges cross the Danube?", "list", {"type_label": "bridges"}),
    ("Which river flows through Vienna?", "entity", {"type_label": "river"}),
    ("What is the capital of Chile?", "entity", {"type_label": "capital"}),
    ("Give me all Finnish composers.", "list", {"type_label": "Finnish composers"}),
    ("List all moons of Saturn", "list", {"type_label": "moons"}),
    ("How many moons does Saturn have?", "count", {"type_label": "moons"}),
    ("How often did Brazil win the World Cup?", "count", {}),
    ("How many inhabitants does Graz have?", "number", {}),
    ("How tall is the Eiffel Tower?", "number", {}),
    ("What is the population of Ghent?", "number", {}),
    ("When did Alan Turing die?", "date", {"date_part": ""}),
    ("What is Grace Hopper's date of birth?", "date", {}),
    ("In which month was Mozart born?", "date", {"date_part": "month"}),
    ("In which year did the Berlin Wall fall?", "year", {"date_part": "year"}),
    ("what year was the telephone invented", "year", {}),
    ("What is Munich called in Italian?", "label", {"label_language": "it"}),
    ("What is the Japanese name of Mount Fuji?", "label", {"label_language": "ja"}),
    ("What is the motto of Sweden?", "text", {}),
    ("Who is older, Mick Jagger or Paul McCartney?", "winner", {
        "compare": ("Mick Jagger", "Paul McCartney"), "superlative": "min", "measure": "time",
    }),
    ("Which is longer, the Rhine or the Elbe?", "winner", {"compare": ("Rhine", "Elbe"), "measure": "length"}),
    ("is mars or venus bigger?", "winner", {"compare": ("mars", "venus"), "superlative": "max"}),
    ("What is the largest lake in Finland?", "winner", {"superlative": "max", "place": 1, "type_label": "lake"}),
    ("What is the third longest river in Africa?", "winner", {"superlative": "max", "place": 3, "measure": "length"}),
    ("Which is the longest-running show on NBC?", "winner", {"superlative": "max", "measure": "length"}),
    ("What are the spin-offs of Cheers?", "list", {"superlative": "none"}),
    ("what time is it in Nebraska", "entity", {}),
    ("What are the ten highest mountains in Peru?", "list", {"superlative": "max", "top": 10}),
    ("Name the 5 smallest countries.", "list", {"superlative": "min", "top": 5, "type_label": "countries"}),
    ("Who was the first chancellor of Germany?", "winner", {"superlative": "min", "measure": "time", "span": "ever"}),
    ("Who was the second president of Brazil?", "winner", {"superlative": "min", "measure": "time", "place": 2}),
    ("How deep is the deepest lake?", "number", {"superlative": "max", "measure": "depth"}),
    ("Which cities have more than 2 million inhabitants?", "list", {"bound": Bound(comparison=">", value=2e6)}),
    ("Which towers are under 50 meters?", "list", {"bound": Bound(comparison="<", value=50)}),
    ("Which islands have exactly three airports?", "list", {"bound": Bound(comparison="=", value=3)}),
    ("Which states have at most 1,500 rivers?", "list", {"bound": Bound(comparison="<=", value=1500)}),
    ("Which countries never hosted the Olympics?", "list", {"negated": True, "polarity": ("never",), "span": "ever"}),
    ("Who are the children of Bach except Wilhelm and Johanna?", "list", {"excluded": ("Wilhelm", "Johanna")}),
    ("Which countries in Europe are without a coast?", "list", {"negated": True, "polarity": ("without",)}),
    ("Who is the current mayor of Oslo?", "entity", {"span": "now"}),
    ("Who was the former owner of Chelsea?", "entity", {"span": "ever"}),
    ("Who was chancellor of Austria in 1975?", "entity", {"span": "year", "year": 1975}),
    ("Which films were released after 2010?", "list", {"since": 2011, "until": None}),
    ("Which castles were built between 1200 and 1300?", "list", {"since": 1200, "until": 1300}),
    ("Which bands split up in the 1980s?", "list", {"since": 1980, "until": 1989}),
    ("Which towns were founded before 1200?", "list", {"since": None, "until": 1199}),
    ('Who directed "The Last Emperor"?', "entity", {"superlative": "none", "type_label": "person"}),
    ("Who sang Never Let Me Go?", "entity", {"negated": False}),
    ("Who fought in the First World War?", "entity", {"superlative": "none"}),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_shape_of_an_english_question(row: Row) -> None:
    check("en", row)
