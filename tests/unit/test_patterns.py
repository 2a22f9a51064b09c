from __future__ import annotations

import re

import pytest

from proxy.patterns import compiled, portable
from proxy.results import csv_reader, json_rows, json_tokens, ntriples_reader, tsv_reader, turtle_tokens, xml_rows
from proxy.results.turtle_terms import CELL


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (rb"a*+[b)]++", rb"a*+[b)]++"),
        (rb"(?:ab)?+c", rb"(?>ab|)c"),
        (rb"(ab)?+c", rb"(?>(ab)|)c"),
        (rb"(?:ab|c)*+", rb"(?>(?:ab|c)*)"),
        (rb"(?:a(?:b)++){0,3}+", rb"(?>(?:a(?>(?:b)+)){0,3})"),
        (rb"\((?=[\])*+])(?:\)\))++", rb"\((?=[\])*+])(?>(?:\)\))+)"),
    ],
)
def test_possessive_groups_become_atomic_ones(source: bytes, written: bytes) -> None:
    assert portable(source) == written


@pytest.mark.parametrize(
    "pattern",
    [
        *json_rows.row_patterns(3),
        *filter(None, [json_rows.ordered_pattern(("a", "b"), json_rows.row_patterns(2)[0])]),
        json_rows.OPENING,
        json_tokens.TOKEN,
        json_tokens.NODE,
        ntriples_reader.STATEMENT,
        turtle_tokens.TOKEN,
        turtle_tokens.TRIPLE,
        turtle_tokens.UNFINISHED,
        compiled(CELL),
        *filter(None, [xml_rows.row_pattern(4)]),
    ],
)
def test_both_writings_match_the_same(pattern: re.Pattern[bytes]) -> None:
    other = re.compile(portable(pattern.pattern))
    texts = [
        b'{"a":{"type":"uri","value":"urn:a"},"b":{"type":"literal","xml:lang":"en","value":"x\\n"}},',
        b'{"a":{"type":"uri","value":"urn:a"},"b":{"type":"literal","value":"x',
        b'{"head":{"link":[],"vars":["a","b"]},"results":{"distinct":false,"ordered":true,"bindings":[',
        b'{"@id":"urn:a","urn:p":[{"@value":"x"},[1,2,{}]]},',
        b'<urn:a> <urn:b> "x\\u00e9"^^<urn:d> .\n',
        b'ex:a.b ex:c "x"@en-GB ; # comment\n',
        b'"""long "" text\\n""" .',
        b'<result><binding name="a"><uri>u</uri></binding><binding name="b"><literal>&lt;</literal></binding></result>',
        b"<urn:a> <urn:b> java.lang.Error .\n",
        b"_:b1.2 a ex:T .\n-1.5e3 .",
    ]
    for text in texts:
        for end in range(len(text) + 1):
            for start in (0, end // 2):
                ours, theirs = pattern.match(text[:end], start), other.match(text[:end], start)
                assert (ours and (ours.span(), ours.groups())) == (theirs and (theirs.span(), theirs.groups()))


def test_the_table_patterns_are_made_the_same_way() -> None:
    for module in (csv_reader, tsv_reader):
        assert module.compiled is compiled


def test_text_is_rewritten_as_bytes_are() -> None:
    source = r"(?:[ä-ü]b?c)*+d"
    written = portable(source.encode()).decode()
    assert "(?>" in written
    for text in ("äbcücd", "äbücd", "d", "äbcx"):
        found = re.match(written, text)
        assert (found.group() if found else None) == {"äbcücd": "äbcücd", "d": "d"}.get(text)
