"""Shapes of Russian questions."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, TextMatch
from tests.unit.nl.shape_cases import Row, check

ROWS: list[Row] = [
    ("Является ли Лиссабон столицей Португалии?", "ask", {"negated": False, "superlative": "none"}),
    ("Есть ли вулканы в Исландии?", "ask", {}),
    ("Преподавала ли Мария Кюри когда-либо в Париже?", "ask", {"span": "ever"}),
    ("Был ли Плутон планетой?", "ask", {}),
    ("Эйнштейн работал в Праге?", "ask", {}),
    ("Жив ли еще Пол Маккартни?", "ask", {"negated": True, "polarity": ("alive",)}),
    ("Больше ли Германия, чем Франция?", "ask", {"compare": ("Германия", "Франция"), "superlative": "max"}),
    ("Выиграла ли Швеция не менее четырех медалей?", "ask", {"bound": Bound(comparison=">=", value=4)}),
    ("Начинается ли индекс Граца с 8?", "ask", {"text_matches": TextMatch(where="start", text="8")}),
    ("Правда ли, что Канада входит в НАТО?", "ask", {}),
    ("Кто написал «Гернику»?", "entity", {"type_label": "person"}),
    ("Где родилась Ада Лавлейс?", "entity", {"type_label": "place"}),
    ("Кто такие основатели Intel?", "list", {"type_label": "person"}),
    ("Какие мосты пересекают Дунай?", "list", {"type_label": "мосты"}),
    ("Какая река протекает через Вену?", "entity", {"type_label": "река"}),
    ("Какие немецкие города стоят на Эльбе?", "list", {"type_label": "немецкие города"}),
    ("Какая столица у Чили?", "entity", {}),
    ("Назови всех композиторов Финляндии.", "list", {"type_label": "композиторов"}),
    ("Перечисли спутники Сатурна", "list", {"type_label": "спутники"}),
    ("Сколько спутников у Сатурна?", "count", {"type_label": "спутников"}),
    ("Сколько раз Бразилия выигрывала чемпионат мира?", "count", {}),
    ("Сколько жителей в Граце?", "number", {}),
    ("Какова высота Эйфелевой башни?", "number", {}),
    ("Каково население Гента?", "number", {}),
    ("Когда умер Алан Тьюринг?", "date", {"date_part": ""}),
    ("Какова дата рождения Грейс Хоппер?", "date", {}),
    ("В каком месяце родился Моцарт?", "date", {"date_part": "month"}),
    ("В каком году пала Берлинская стена?", "year", {"date_part": "year"}),
    ("Как называется Мюнхен на итальянском языке?", "label", {"label_language": "it"}),
    ("Каков девиз Швеции?", "text", {}),
    ("Кто старше, Мик Джаггер или Пол Маккартни?", "winner", {
        "compare": ("Мик Джаггер", "Пол Маккартни"), "superlative": "min", "measure": "time",
    }),
    ("Какая река длиннее: Рейн или Эльба?", "winner", {"compare": ("Рейн", "Эльба"), "measure": "length"}),
    ("Какое самое большое озеро в Финляндии?", "winner", {"superlative": "max", "measure": "size"}),
    ("Какая вторая по длине река Африки?", "winner", {"superlative": "max", "place": 2, "measure": "length"}),
    ("Назови десять самых высоких гор Перу.", "list", {"superlative": "max", "top": 10}),
    ("Кто был первым канцлером Германии?", "winner", {"superlative": "min", "measure": "time", "span": "ever"}),
    ("В каких городах более 2 миллионов жителей?", "list", {"bound": Bound(comparison=">", value=2e6)}),
    ("Какие страны никогда не принимали Олимпийские игры?", "list", {"negated": True, "span": "ever"}),
    ("Кто дети Баха, кроме Вильгельма и Иоганны?", "entity", {"excluded": ("Вильгельма", "Иоганны")}),
    ("Какие страны без выхода к морю?", "list", {"negated": True, "polarity": ("without",)}),
    ("Кто нынешний мэр Осло?", "entity", {"span": "now"}),
    ("Кто был канцлером Австрии в 1975 году?", "entity", {"span": "year", "year": 1975}),
    ("Какие фильмы вышли после 2010 года?", "list", {"since": 2011, "until": None}),
    ("Какие замки построены между 1200 и 1300 годами?", "list", {"since": 1200, "until": 1300}),
    ("Кто воевал во Второй мировой войне?", "entity", {"superlative": "none"}),
    ("Самая высокая гора Перу?", "winner", {"superlative": "max", "measure": "height"}),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_shape_of_a_russian_question(row: Row) -> None:
    check("ru", row)
