"""Shapes of Spanish questions."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, TextMatch
from tests.unit.nl.shape_cases import Row, check

ROWS: list[Row] = [
    ("¿Es Lisboa la capital de Portugal?", "ask", {"negated": False, "superlative": "none"}),
    ("¿Enseñó Marie Curie alguna vez en París?", "ask", {"span": "ever"}),
    ("¿Hay volcanes en Islandia?", "ask", {}),
    ("Es Plutón un planeta", "ask", {}),
    ("¿Lisboa es una ciudad?", "ask", {}),
    ("¿Está vivo Plácido Domingo?", "ask", {"polarity": ("alive",), "negated": True}),
    ("¿Sigue vivo Plácido Domingo?", "ask", {"polarity": ("alive",), "negated": True}),
    ("¿Es Alemania más grande que Francia?", "ask", {"compare": ("Alemania", "Francia"), "superlative": "max"}),
    ("¿Ganó Suecia al menos cuatro medallas?", "ask", {"bound": Bound(comparison=">=", value=4)}),
    ("¿Empieza por 8 el código postal de Graz?", "ask", {"text_matches": TextMatch(where="start", text="8")}),
    ("¿Quién pintó el Guernica?", "entity", {"type_label": "person"}),
    ("¿Dónde nació Ada Lovelace?", "entity", {"type_label": "place"}),
    ("¿Quiénes fundaron Intel?", "list", {"type_label": "person"}),
    ("¿Qué puentes cruzan el Danubio?", "list", {"type_label": "puentes"}),
    ("¿Qué río pasa por Viena?", "entity", {"type_label": "río"}),
    ("¿Cuál es la capital de Chile?", "entity", {}),
    ("Dame todos los compositores de Finlandia.", "list", {"type_label": "compositores"}),
    ("Enumera las lunas de Saturno", "list", {"type_label": "lunas"}),
    ("¿Cuántas lunas tiene Saturno?", "count", {"type_label": "lunas"}),
    ("cuantas lunas tiene Saturno", "count", {}),
    ("¿Cuántas veces ganó Brasil el Mundial?", "count", {}),
    ("¿Cuántos habitantes tiene Graz?", "number", {}),
    ("¿Cuánto mide la Torre Eiffel?", "number", {}),
    ("¿Cuál es la población de Gante?", "number", {}),
    ("¿Cuándo murió Alan Turing?", "date", {"date_part": ""}),
    ("¿Cuál es la fecha de nacimiento de Grace Hopper?", "date", {}),
    ("¿En qué mes nació Mozart?", "date", {"date_part": "month"}),
    ("¿En qué año cayó el Muro de Berlín?", "year", {"date_part": "year"}),
    ("¿Cómo se llama Múnich en italiano?", "label", {"label_language": "it"}),
    ("¿Cuál es el lema de Suecia?", "text", {}),
    ("¿Quién es más joven, Mick Jagger o Paul McCartney?", "winner", {
        "compare": ("Mick Jagger", "Paul McCartney"), "superlative": "max", "measure": "time",
    }),
    ("¿Qué río es más largo, el Rin o el Elba?", "winner", {"compare": ("Rin", "Elba"), "measure": "length"}),
    ("¿Cuál es el lago más grande de Finlandia?", "winner", {"superlative": "max", "measure": "size"}),
    ("¿Cuál es el segundo río más largo de África?", "winner", {"superlative": "max", "place": 2, "measure": "length"}),
    ("¿Cuáles son las diez montañas más altas del Perú?", "list", {"superlative": "max", "top": 10}),
    ("¿Quién fue el primer canciller alemán?", "winner", {"superlative": "min", "measure": "time", "span": "ever"}),
    ("¿Qué ciudad tiene más museos?", "winner", {"superlative": "max", "measure": "count"}),
    ("¿Qué ciudades tienen más de 2 millones de habitantes?", "list", {
        "bound": Bound(comparison=">", value=2e6), "superlative": "none",
    }),
    ("¿Qué países nunca han organizado los Juegos Olímpicos?", "list", {"negated": True, "span": "ever"}),
    ("¿Quiénes son los hijos de Bach excepto Wilhelm y Johanna?", "list", {"excluded": ("Wilhelm", "Johanna")}),
    ("¿Qué países no tienen costa?", "list", {"negated": True, "polarity": ("not",)}),
    ("¿Quién es el actual alcalde de Oslo?", "entity", {"span": "now"}),
    ("¿Quién era canciller de Austria en 1975?", "entity", {"span": "year", "year": 1975}),
    ("¿Qué películas se estrenaron después de 2010?", "list", {"since": 2011, "until": None}),
    ("¿Qué castillos se construyeron entre 1200 y 1300?", "list", {"since": 1200, "until": 1300}),
    ("¿Quién luchó en la Segunda Guerra Mundial?", "entity", {"superlative": "none"}),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_shape_of_a_spanish_question(row: Row) -> None:
    check("es", row)
