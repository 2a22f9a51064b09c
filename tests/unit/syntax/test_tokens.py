from __future__ import annotations

import pytest

from proxy.errors import BadQuery, TooLarge
from proxy.syntax import Limits
from proxy.syntax.tokens import Tokens, tokenise


def lex(text: str) -> Tokens:
    return tokenise(text, Limits())


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("?a $b ?1 ?é ?a·b", "variable variable variable variable variable"),
        ("SELECT select SeLeCt", "SELECT SELECT SELECT"),
        ("a A", "a A"),
        ("ex:a : :a ex: a:b:c", "name name name name name"),
        ("ns:people.person.gender", "name"),
        ("ns:a.b. ns:c.", "name . name ."),
        ("ex:a\\,b ex:%41b ex:a\\.", "name name name"),
        ("ex:𐐀x 𐐀:b", "name name"),
        ("_:b _:b.c _:1 _:b.", "blank blank blank blank ."),
        ("1 -1 +1 1.5 .5 1e3 1.e3 1.5E-3 .5e+3", " ".join(["number"] * 9)),
        ("1. 1.}", "number . number . }"),
        ("1 .5", "number number"),
        ("?a-1 ?a - 1", "variable number variable - number"),
        ("<http://e.org/a?b#c>", "iri"),
        ("?a<?b", "variable < variable"),
        ("?a <= ?b>=?c", "variable <= variable >= variable"),
        ("?a<=?b>=?c", "variable iri = variable"),
        ("?a < ?b && ?c > ?d", "variable < variable && variable > variable"),
        ("< a>", "< a >"),
        ("'a' \"a\" '''a'b''c''' \"\"\"a\"b\"\"c\"\"\"", "string string string string"),
        ("'' \"\" '''''' \"\"\"\"\"\"", "string string string string"),
        ("'a\\'b' \"a\\\"b\" 'a\\\\'", "string string string"),
        ('"""a\nb""" "#" \'{\'', "string string string"),
        ("'x'@en 'x'@en-GB 'x'@ar--rtl", "string language string language string language"),
        ("'1'^^ex:int", "string ^^ name"),
        ("<< >> <<( )>> {| |} ~", "<< >> << ( ) >> {| |} ~"),
        ("# SELECT\n?a#b\r?c # end", "variable variable"),
        ("<a#b>#c", "iri"),
        ("\ufeffASK", "ASK"),
        ("true.OPTIONAL", "TRUE . OPTIONAL"),
        ("%name ?x := 1", "solutions variable name = number"),
        ("ſELECT SELECTſ", "ſELECT SELECTſ"),
        ("`", "unknown"),
        ("'a\nb", "unterminated b"),
        ("'''a'\nb", "unterminated"),
        ("ex:p? ?x ex:p?x", "name ? variable name variable"),
    ],
)
def test_kinds(text: str, kinds: str) -> None:
    expected = [kind if kind != "b" else "B" for kind in kinds.split()]
    assert lex(text).kinds == [*expected, "end"]


def test_white_space_of_all_sorts_is_between_tokens() -> None:
    tokens = lex("ASK\t{\r\n?s\r?p\n?o }")
    assert tokens.texts == ["ASK", "{", "?s", "?p", "?o", "}", ""]
    assert tokens.starts == [0, 4, 7, 10, 13, 16, 17]


def test_offsets_are_those_of_the_original_where_escapes_were_undone() -> None:
    text = "\\u0041SK { ?s ?p '\\u00e9' } "
    tokens = lex(text)
    assert tokens.kinds[0] == "ASK"
    assert tokens.texts[4] == "'é'"
    at = slice(tokens.starts[4], tokens.ends[4])
    assert text[at] == "'\\u00e9'"


@pytest.mark.parametrize("text", ["'\\\\u0041'", "'\\uD800'", "'\\U00110000'", "'\\u12'"])
def test_what_is_no_escape_stays(text: str) -> None:
    assert lex(text).texts[0] == text


def test_brackets_are_paired() -> None:
    tokens = lex("{ ( [ ] ) <<( )>> {| |} }")
    assert tokens.closing == {2: 3, 1: 4, 6: 7, 5: 8, 9: 10, 0: 11}
    assert not tokens.faults


@pytest.mark.parametrize(("text", "fault"), [("{ ( }", 2), ("}", 0), ("{ (", 0)])
def test_brackets_without_a_partner_are_faults(text: str, fault: int) -> None:
    assert fault in lex(text).faults


def test_more_open_brackets_than_allowed_are_refused_with_their_place() -> None:
    with pytest.raises(BadQuery, match="More than 3 brackets") as caught:
        tokenise("ASK {\n{{{ }}}}", Limits(max_depth=3))
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_more_tokens_than_allowed_are_refused() -> None:
    with pytest.raises(TooLarge, match="more than 10 tokens"):
        tokenise("ASK { ?s ?p ?o . ?s ?p ?o . }", Limits(max_tokens=10, max_checked_tokens=5))


def test_constants_of_a_long_text_are_one_token() -> None:
    tokens = tokenise('VALUES ?x { wd:Q1 wd:Q2 "SERVICE" <http://e.org/> 5 (1 2) }', Limits(max_checked_tokens=5))
    assert tokens.coarse
    assert tokens.kinds == ["VALUES", "variable", "{", "data", "}", "end"]


def test_words_in_a_long_text_are_still_seen() -> None:
    tokens = tokenise('{ wd:Q1 wd:Q2 wd:Q3 wd:Q4 SERVICE <http://e.org/> "a" "b" }', Limits(max_checked_tokens=5))
    assert "SERVICE" in tokens.kinds
