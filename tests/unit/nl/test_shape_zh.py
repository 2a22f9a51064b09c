"""Shapes of Chinese questions."""

from __future__ import annotations

import pytest

from plugins.nl.contract import Bound, TextMatch
from tests.unit.nl.shape_cases import Row, check

ROWS: list[Row] = [
    ("里斯本是葡萄牙的首都吗？", "ask", {"negated": False, "superlative": "none"}),
    ("居里夫人曾在巴黎教书吗？", "ask", {"span": "ever"}),
    ("冰岛有没有火山？", "ask", {"negated": False}),
    ("冥王星是否是行星？", "ask", {}),
    ("加拿大是不是北约成员？", "ask", {"negated": False}),
    ("保罗·麦卡特尼还活着吗？", "ask", {"negated": True, "polarity": ("alive",)}),
    ("德国比法国大吗？", "ask", {"compare": ("德国", "法国"), "superlative": "max"}),
    ("瑞典赢得了至少四枚奖牌吗？", "ask", {"bound": Bound(comparison=">=", value=4)}),
    ("格拉茨的邮政编码开头是8吗？", "ask", {"text_matches": TextMatch(where="start", text="8")}),
    ("谁画了《格尔尼卡》？", "entity", {"type_label": "person"}),
    ("爱达·勒芙蕾丝在哪里出生？", "entity", {"type_label": "place"}),
    ("英特尔的创始人都是谁？", "list", {"type_label": "person"}),
    ("哪些桥梁跨越多瑙河？", "list", {"type_label": "桥梁"}),
    ("哪条河流经维也纳？", "entity", {}),
    ("智利的首都是什么？", "entity", {}),
    ("列出所有芬兰作曲家", "list", {}),
    ("土星的卫星有哪些？", "list", {"type_label": "卫星"}),
    ("土星有多少颗卫星？", "count", {}),
    ("巴西赢得过几次世界杯？", "count", {}),
    ("格拉茨有多少居民？", "number", {}),
    ("埃菲尔铁塔有多高？", "number", {}),
    ("根特的人口是多少？", "number", {}),
    ("艾伦·图灵什么时候去世？", "date", {"date_part": ""}),
    ("格蕾丝·霍珀何时出生？", "date", {}),
    ("莫扎特是哪个月出生的？", "date", {"date_part": "month"}),
    ("柏林墙是哪一年倒塌的？", "year", {"date_part": "year"}),
    ("慕尼黑用意大利语怎么说？", "label", {"label_language": "it"}),
    ("富士山的日语名称是什么？", "label", {"label_language": "ja"}),
    ("瑞典的格言是什么？", "text", {}),
    ("谁更年长，米克·贾格尔还是保罗·麦卡特尼？", "winner", {
        "compare": ("米克·贾格尔", "保罗·麦卡特尼"), "superlative": "min", "measure": "time",
    }),
    ("莱茵河和易北河哪条更长？", "winner", {"compare": ("莱茵河", "易北河"), "measure": "length"}),
    ("芬兰最大的湖是哪个？", "winner", {"superlative": "max", "measure": "size"}),
    ("非洲第二长的河是什么？", "winner", {"superlative": "max", "place": 2, "measure": "length"}),
    ("秘鲁最高的十座山是哪些？", "list", {"superlative": "max", "top": 10}),
    ("谁是德国第一任总理？", "winner", {"superlative": "min", "measure": "time", "span": "ever"}),
    ("哪个城市的博物馆最多？", "winner", {"superlative": "max", "measure": "count"}),
    ("哪些城市的人口超过200万？", "list", {"bound": Bound(comparison=">", value=2e6)}),
    ("哪些国家从未举办过奥运会？", "list", {"negated": True, "span": "ever"}),
    ("除了威廉和约翰娜，巴赫还有哪些孩子？", "list", {"excluded": ("威廉", "约翰娜")}),
    ("哪些国家没有海岸？", "list", {"negated": True}),
    ("谁是奥斯陆的现任市长？", "entity", {"span": "now"}),
    ("谁在1975年担任奥地利总理？", "entity", {"span": "year", "year": 1975}),
    ("哪些电影在2010年之后上映？", "list", {"since": 2011, "until": None}),
    ("哪些城堡建于1200年至1300年？", "list", {"since": 1200, "until": 1300}),
    ("谁参加了第二次世界大战？", "entity", {"superlative": "none"}),
    ("哪位歐洲作家寫了這本書？", "entity", {}),
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_shape_of_a_chinese_question(row: Row) -> None:
    check("zh", row)
