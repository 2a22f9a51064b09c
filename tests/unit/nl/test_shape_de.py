"""Shapes of German questions."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, TextMatch
from tests.unit.nl.shape_cases import Row, check

ROWS: list[Row] = [
    ("Ist Lissabon die Hauptstadt von Portugal?", "ask", {"negated": False, "superlative": "none"}),
    ("Hat Marie Curie jemals in Paris gelehrt?", "ask", {"span": "ever"}),
    ("Gibt es Vulkane auf Island?", "ask", {}),
    ("Unterrichtete Einstein an der Universität von Prag?", "ask", {}),
    ("Lebt Armin Mueller-Stahl noch?", "ask", {"polarity": ("alive",), "negated": True}),
    ("Ist Kanada nicht Mitglied der NATO?", "ask", {"negated": True, "polarity": ("not",)}),
    ("Ist der Gardasee größer als der Comer See?", "ask", {"compare": ("Gardasee", "Comer See"), "superlative": "max"}),
    ("Hat Schweden mindestens vier Medaillen gewonnen?", "ask", {"bound": Bound(comparison=">=", value=4)}),
    ("Beginnt die Postleitzahl von Graz mit 8?", "ask", {"text_matches": TextMatch(where="start", text="8")}),
    ("War Händel Komponist oder Maler?", "entity", {"compare": ()}),
    ("Wer malte Guernica?", "entity", {"type_label": "person"}),
    ("Wo wurde Ada Lovelace geboren?", "entity", {"type_label": "place"}),
    ("Wer waren die Gründer von Intel?", "list", {"type_label": "person"}),
    ("Welche Brücken führen über die Donau?", "list", {"type_label": "Brücken"}),
    ("Welcher Fluss fließt durch Wien?", "entity", {"type_label": "Fluss"}),
    ("Welche deutschen Städte liegen an der Elbe?", "list", {"type_label": "deutschen Städte"}),
    ("Was ist die Hauptstadt von Chile?", "entity", {}),
    ("Nenne alle finnischen Komponisten.", "list", {"type_label": "finnischen Komponisten"}),
    ("Gib mir alle Monde des Saturn", "list", {"type_label": "Monde"}),
    ("Wie viele Monde hat der Saturn?", "count", {"type_label": "Monde"}),
    ("Wie oft wurde Brasilien Weltmeister?", "count", {}),
    ("Wie viele Einwohner hat Graz?", "number", {}),
    ("Wie hoch ist der Eiffelturm?", "number", {}),
    ("Was ist die Einwohnerzahl von Gent?", "number", {}),
    ("Wann starb Alan Turing?", "date", {"date_part": ""}),
    ("Was ist das Geburtsdatum von Grace Hopper?", "date", {}),
    ("In welchem Monat wurde Mozart geboren?", "date", {"date_part": "month"}),
    ("In welchem Jahr fiel die Berliner Mauer?", "year", {"date_part": "year"}),
    ("Wie heißt München auf Italienisch?", "label", {"label_language": "it"}),
    ("Wie lautet das Motto von Schweden?", "text", {}),
    ("Wer ist älter, Mick Jagger oder Paul McCartney?", "winner", {
        "compare": ("Mick Jagger", "Paul McCartney"), "superlative": "min", "measure": "time",
    }),
    ("Ist der Mars oder die Venus größer?", "winner", {"compare": ("Mars", "Venus"), "superlative": "max"}),
    ("Was ist der größte See in Finnland?", "winner", {"superlative": "max", "place": 1}),
    ("Welcher ist der drittlängste Fluss Afrikas?", "winner", {"superlative": "max", "place": 3, "measure": "length"}),
    ("Was sind die zehn höchsten Berge in Peru?", "list", {"superlative": "max", "top": 10}),
    ("Nenne die 5 kleinsten Länder.", "list", {"superlative": "min", "top": 5}),
    ("Wer war der erste Kanzler von Deutschland?", "winner", {"superlative": "min", "measure": "time", "span": "ever"}),
    ("Wie tief ist der tiefste See?", "number", {"superlative": "max", "measure": "depth"}),
    ("Welche Städte haben mehr als 2 Millionen Einwohner?", "list", {"bound": Bound(comparison=">", value=2e6)}),
    ("Welche Türme sind höher als 1.500 Meter?", "list", {"bound": Bound(comparison=">", value=1500)}),
    ("Welche Länder waren nie Gastgeber der Olympischen Spiele?", "list", {"negated": True, "span": "ever"}),
    ("Wer sind die Kinder von Bach außer Wilhelm und Johanna?", "list", {"excluded": ("Wilhelm", "Johanna")}),
    ("Welche Länder sind ohne Küste?", "list", {"negated": True, "polarity": ("without",)}),
    ("Wer ist der aktuelle Bürgermeister von Oslo?", "entity", {"span": "now"}),
    ("Wer war im Jahr 1975 Kanzler von Österreich?", "entity", {"span": "year", "year": 1975}),
    ("Welche Filme erschienen nach 2010?", "list", {"since": 2011, "until": None}),
    ("Welche Burgen wurden zwischen 1200 und 1300 gebaut?", "list", {"since": 1200, "until": 1300}),
    ("Wer kämpfte im Zweiten Weltkrieg?", "entity", {"superlative": "none"}),
    ("Höchster Berg in Peru?", "winner", {"superlative": "max"}),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_shape_of_a_german_question(row: Row) -> None:
    check("de", row)
