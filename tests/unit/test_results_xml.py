from __future__ import annotations

import pytest

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State

NS = "http://www.w3.org/2005/sparql-results#"
ROW = '<result><binding name="s"><uri>urn:a</uri></binding><binding name="o"><literal>x</literal></binding></result>'


def check(body: str | bytes, size: int = 1 << 30, fmt: Format = Format.XML) -> State:
    data = body.encode() if isinstance(body, str) else body
    state = State()
    checker = checker_for(fmt, state)
    for start in range(0, len(data), size):
        checker.feed(data[start : start + size])
    checker.finish()
    return state


def document(*rows: str, before: str = "<?xml version='1.0'?>\n") -> str:
    head = '<head><variable name="s"/><variable name="o"/></head>'
    return f'{before}<sparql xmlns="{NS}">{head}<results>{"".join(rows)}</results></sparql>'


def bound(term: str) -> str:
    return f'<result><binding name="s">{term}</binding></result>'


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        (document(), 0),
        (document("<result/>", "<result></result>"), 2),
        (document(*[ROW] * 30), 30),
        (
            document(ROW, before="<?xml version='1.0' encoding='utf-8'?><?xml-stylesheet href='/x.xsl'?><!-- made -->"),
            1,
        ),
        (document(ROW, before="\ufeff"), 1),
        (document(ROW, "<!-- <result> -->", ROW, "\r\n\t", ROW), 3),
        (document(ROW, bound("<literal xml:lang='en'><![CDATA[</result><result>]]></literal>"), ROW), 3),
        (document(ROW, bound("<literal>a &amp; &#x1F600; &gt; &#13;\uffe5\uff0c</literal>"), ROW), 3),
        (document(ROW, bound("<literal datatype='urn:d'/>"), bound("<bnode>b1</bnode>"), ROW), 4),
        (document(ROW).replace("<results>", '<results distinct="false" ordered="true">'), 1),
        (document(ROW).replace("</head>", '<link href="urn:l"/></head>'), 1),
        (document(ROW).replace("<sparql ", '<sparql xmlns:x="urn:x" x:schemaLocation="urn:l" '), 1),
        (
            document(ROW, ROW)
            .replace("<", "<r:")
            .replace("<r:/", "</r:")
            .replace("xmlns", "xmlns:r")
            .replace("<r:?", "<?"),
            2,
        ),
        (
            document(
                ROW,
                bound(
                    '<literal xmlns:its="http://www.w3.org/2005/11/its" its:version="2.0" its:dir="rtl" xml:lang="ar">'
                    "x</literal>"
                ),
            ),
            2,
        ),
    ],
)
def test_whole_bodies_pass_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 5, 100, 1 << 30):
        assert check(body, size).rows == rows


def test_triple_terms_pass() -> None:
    uri = "<uri>urn:a</uri>"
    triple = uri
    for _ in range(3):
        triple = f"<triple><subject>{uri}</subject><predicate>{uri}</predicate><object>{triple}</object></triple>"
    assert check(document(ROW, bound(triple), ROW)).rows == 3


def test_an_ask_gives_its_boolean() -> None:
    text = f'<sparql xmlns="{NS}"><head/><boolean> true </boolean></sparql>'
    assert check(text).boolean is True
    assert check(text.replace("true", "false"), 3).boolean is False


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>504</body></html>",
        f'<sparql xmlns="{NS}"></sparql>',
        f'<sparql xmlns="{NS}"><head/></sparql>',
        f'<sparql xmlns="{NS}"><results/></sparql>',
        f'<sparql xmlns="{NS}"><head/><boolean>maybe</boolean></sparql>',
        f'<sparql xmlns="{NS}"><head/><boolean>true</boolean><results/></sparql>',
        "<sparql><head/><boolean>true</boolean></sparql>",
        document(ROW) + document(ROW),
        document(ROW) + "java.lang.Error",
        document(ROW, "java.lang.Error: timeout"),
        document(ROW, "java.lang.Error: timeout", ROW),
        document(ROW.replace("</binding>", "</binding>oops", 1)),
        document(document(before="")),
        document(ROW.replace('name="s"', 'name="o"')),
        document(ROW.replace('name="s"', 'name="x"')),
        document(ROW.replace('name="s"', "")),
        document(bound("")),
        document(bound("<uri>urn:a</uri><uri>urn:a</uri>")),
        document(bound("<url>urn:a</url>")),
        document(bound("<literal lang='en'>a</literal>")),
        document(bound("<literal>a]]>b</literal>")),
        document(bound("<literal>\ufffe</literal>")),
        document(bound("<literal>&#1;</literal>")),
        document(bound("<literal>&nbsp;</literal>")),
        document(bound("<triple><subject><uri>urn:a</uri></subject></triple>")),
        document(ROW, before='<!DOCTYPE sparql [<!ENTITY a "b">]>'),
        document(ROW, before='<!DOCTYPE sparql SYSTEM "file:///etc/passwd">'),
        document(ROW, before="<?xml version='1.0' encoding='ISO-8859-1'?>"),
        document(
            ROW, before="<?xml version='1.0'?><?xml-stylesheet hr<?xml version='1.0'?><?xml-stylesheet href='x'?>"
        ),
        document(ROW).replace("</results>", "</results><results></results>"),
        f'<r:sparql xmlns:r="{NS}" xmlns="urn:other">' + document(ROW, before="").partition(">")[2],
    ],
)
def test_what_is_not_whole_or_not_an_answer_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 7, 1 << 30):
        with pytest.raises(Truncated):
            check(body, size)


def test_every_cut_is_noticed() -> None:
    body = document(ROW, ROW, ROW).encode()
    for end in range(len(body)):
        with pytest.raises(Truncated):
            check(body[:end])


def test_rows_of_a_foreign_default_namespace_are_not_swallowed() -> None:
    inner = ROW.replace("<result>", f'<result xmlns="{NS}">')
    head = '<r:head><r:variable name="s"/><r:variable name="o"/></r:head>'
    body = f'<r:sparql xmlns:r="{NS}" xmlns="urn:x">{head}<r:results>{inner}{ROW}</r:results></r:sparql>'
    with pytest.raises(Truncated, match="after 1 whole row"):
        check(body)


def test_depth_and_tags_are_bounded() -> None:
    with pytest.raises(Truncated, match="nested"):
        check(document(bound("<triple><subject>" * 200)))
    with pytest.raises(Truncated, match="longer than"):
        check(document(f"<!-- {'x' * 600_000}"), 1 << 16)
    with pytest.raises(Truncated, match="longer than"):
        check(document(bound("<literal>" + "x" * (17 << 20))), 1 << 16)
