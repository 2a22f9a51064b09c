"""What the standard allows is read whole; what it forbids is not. Our own examples, production by production.

The number before a case is that of the production of SPARQL 1.1 (section 19.8) it is about.
"""

from __future__ import annotations

import pytest

from proxy.syntax import read
from tests.oracles.acceptance import pyrudof_accepts, tree_sitter_accepts
from tests.unit.syntax.reading import PREFIXES

_P = "PREFIX : <http://e.org/> PREFIX ex: <http://e.org/> "


def w(pattern: str) -> str:
    return f"{_P}SELECT * {{ {pattern} }}"


def f(expression: str) -> str:
    return w(f"FILTER ({expression})")


ACCEPT: list[tuple[str, str]] = [
    ("2", "SELECT * {} VALUES ?x { 1 }"),
    ("4", "PREFIX a: <b> BASE <http://e.org/> PREFIX c: <d> SELECT * {}"),
    ("5", "BASE <http://e.org/> ASK {}"),
    ("6", "PREFIX : <> ASK { : : : }"),
    ("7", "SELECT ?x FROM <http://g> FROM NAMED <http://h> WHERE {}"),
    ("8", w("{ SELECT ?x { ?x ?p ?o } ORDER BY ?x LIMIT 1 VALUES ?x { 1 } }")),
    ("9", "SELECT DISTINCT * {}"),
    ("9", "select reduced ?x $y where {}"),
    ("9", "SELECT (1 AS ?x) (?x + 1 AS ?y) {}"),
    ("9", "SELECT?x{}"),
    ("10", f"{_P}CONSTRUCT {{ ?s :p ?o }} FROM <g> WHERE {{ ?s ?p ?o }} LIMIT 1"),
    ("10", "CONSTRUCT { } { }"),
    ("10", "CONSTRUCT FROM <g> WHERE { ?s ?p ?o . } ORDER BY ?s"),
    ("10", "CONSTRUCT WHERE { }"),
    ("11", "DESCRIBE *"),
    ("11", f"{_P}DESCRIBE ?x :a <b> FROM <g> WHERE {{ ?x ?p ?o }} LIMIT 1"),
    ("12", "ASK FROM <g> WHERE { ?s ?p ?o }"),
    ("12", "ASK{} GROUP BY ?x"),
    ("15", f"{_P}SELECT * FROM NAMED ex:g {{}}"),
    ("18", "SELECT ?x {} GROUP BY ?x HAVING (?x > 1) ORDER BY ?x LIMIT 1 OFFSET 2"),
    ("20", "SELECT * {} GROUP BY STR(?x) (?x + 1 AS ?y) ?z <f>(?x) (?z)"),
    ("22", "SELECT ?x {} GROUP BY ?x HAVING (?x > 1) (?x < 5) BOUND(?x)"),
    ("24", "SELECT * {} ORDER BY DESC(?x) ASC(?y + 1) ?z (?z) STR(?x) <f>(?x)"),
    ("25", "SELECT * {} OFFSET 2 LIMIT 1"),
    ("26", "SELECT * {} LIMIT 0"),
    ("28", "SELECT * {} VALUES (?x ?y) { (1 UNDEF) ('a'@en <b>) }"),
    ("53", "SELECT * { { } }"),
    ("54", w("?s ?p ?o . FILTER (?o) . ?s ?p ?o OPTIONAL { } ?s ?p ?o .")),
    ("55", w("?s ?p ?o . ?s ?p ?o . ")),
    ("55", w("?s ?p ?o; ?q 1, 2; . ?s ?p ?o")),
    ("57", w("OPTIONAL { OPTIONAL { ?s ?p ?o } }")),
    ("58", w("GRAPH ?g { } GRAPH :g { ?s ?p ?o } GRAPH <g> { }")),
    ("59", w("SERVICE ?s { } SERVICE SILENT <http://e.org> { ?s ?p ?o SERVICE ex:x { } }")),
    ("60", w("BIND (?x AS ?y) BIND(1 + 1 AS ?z)")),
    ("61", w("VALUES ?x { }")),
    ("63", w("VALUES ?x { 1 -1.5 2e3 'a' \"b\"@en 'c'^^ex:t :d <e> true false UNDEF }")),
    ("64", w("VALUES () { () () }")),
    ("64", w("VALUES (?x) { }")),
    ("64", w("VALUES (?x ?y) { (1 2) (UNDEF UNDEF) }")),
    ("66", w("?s ?p ?o MINUS { ?s ?p 1 }")),
    ("67", w("{ } UNION { } UNION { { } UNION { } }")),
    ("68", w("FILTER (?x) FILTER BOUND(?x) FILTER ex:f(?x) FILTER EXISTS { } FILTER NOT EXISTS { }")),
    ("68", w("FILTER REGEX(?x, 'a', \"i\")")),
    ("70", f("ex:f() && <f>(1, 2) && ex:g(DISTINCT ?x)")),
    ("72", f("?x IN () || ?x NOT IN (1, ?y, STR(?z))")),
    ("73", f"{_P}CONSTRUCT {{ ?s :p [ :q (1 2) ] ; :r ?x, ?y . _:b a :C }} WHERE {{ }}"),
    ("77", w("?s :p ?o ; ; ; :q ?o ;")),
    ("78", w("?s a :C")),
    ("83", w("?s ?p ?o ; :a/:b ?o ; a ?c")),
    ("86", w("?s :p/:q ?a, ?b, [ :r ?c ]")),
    ("88", w("?s :p|:q|^:r ?o")),
    ("90", w("?s :p/:q/^:r ?o")),
    ("91", w("?s :p*/:q+/:r? ?o")),
    ("92", w("?s ^(:p/:q) ?o")),
    ("94", w("?s (:p) ?o ; (a|!a) ?x")),
    ("95", w("?s !:p ?o ; !(:p|^:q|a|^a) ?x ; !() ?y")),
    ("98", w("[ ] ?p [ ?p ?o ] . [ ?p ?o ; ?q 1 ] .")),
    ("99", w("[ a :C ] :p ?x")),
    ("102", w("() ?p () . ( ( ) ?x [ ] ) ?p (1)")),
    ("106", w("?s ?p -1 , +1.0 , true , <a> , :a , _:a , 'a' , ()")),
    ("110", f("?a || ?b && ?c || ! ?d")),
    ("112", f("(?a && ?b) || (?c)")),
    ("114", f("?a = 1 && ?b != 2 && ?c < 3 && ?d > 4 && ?e <= 5 && ?f >= 6")),
    ("114", f("?a<?b")),
    ("114", f("?a<?b&&?c>?d")),
    ("114", f("?a<=?b&&?c>=?d")),
    ("116", f("?a + 1 - 2 * 3 / 4")),
    ("116", f("?a -1 +2")),
    ("116", f("?a+1-2*3")),
    ("116", f("1-1 = -1 + -?x * +?y")),
    ("118", f("!?a && -?b = +?c")),
    ("118", f("!(?a) && !BOUND(?b) && !ex:f(?c)")),
    ("121", f("STR(1) = LANG(?x) || LANGMATCHES(LANG(?x), '*') || DATATYPE(?x) = ex:t")),
    ("121", f("IRI('a') = URI('b') && BNODE() = BNODE('x') && RAND() < ABS(-1)")),
    ("121", f("CEIL(1) = FLOOR(1) && ROUND(1) = 1 && CONCAT() = CONCAT('a', 'b', 'c')")),
    ("121", f("STRLEN('a') = 1 && UCASE('a') = LCASE('A') && ENCODE_FOR_URI('a') = 'a'")),
    ("121", f("CONTAINS('a', 'b') || STRSTARTS('a', 'b') || STRENDS('a', 'b')")),
    ("121", f("STRBEFORE('a', 'b') = STRAFTER('a', 'b')")),
    ("121", f("YEAR(?d) = 1 && MONTH(?d) = 2 && DAY(?d) = 3 && HOURS(?d) = 4 && MINUTES(?d) = 5")),
    ("121", f("SECONDS(?d) = 1 && TIMEZONE(?d) = 2 && TZ(?d) = 'Z' && NOW() > ?d")),
    ("121", f("UUID() != STRUUID() && MD5('a') = SHA1('a') && SHA256('a') = SHA384('a') && SHA512('a') = 'a'")),
    ("121", f("COALESCE(?a, ?b, 1) = IF(?a, 1, 2) && STRLANG('a', 'en') = STRDT('a', ex:t)")),
    ("121", f("sameTerm(?a, ?b) && isIRI(?a) && isURI(?a) && isBLANK(?a) && isLITERAL(?a) && isNUMERIC(?a)")),
    ("122", f("REGEX(?a, 'b') || regex(?a, 'b', 'i')")),
    ("123", f("SUBSTR('abc', 1) = SUBSTR('abc', 1, 2)")),
    ("124", f("REPLACE('a', 'b', 'c') = REPLACE('a', 'b', 'c', 'i')")),
    ("125", f("EXISTS { ?s ?p ?o } && NOT EXISTS { } && ! EXISTS { }")),
    ("127", "SELECT (COUNT(*) AS ?a) (COUNT(DISTINCT *) AS ?b) (COUNT(?x) AS ?c) (COUNT(DISTINCT ?x) AS ?d) {}"),
    ("127", "SELECT (SUM(?x) AS ?a) (MIN(DISTINCT ?x) AS ?b) (MAX(?x) AS ?c) (AVG(?x + 1) AS ?d) (SAMPLE(1) AS ?e) {}"),
    ("127", "SELECT (GROUP_CONCAT(?x) AS ?a) (GROUP_CONCAT(DISTINCT ?x ; SEPARATOR = ', ') AS ?b) {}"),
    ("127", "SELECT (SUM(?x) / COUNT(?y) AS ?a) {} GROUP BY ?z HAVING (COUNT(*) > 1) ORDER BY DESC(COUNT(?x))"),
    ("128", f("ex:a = <b> && ex:f(ex:g(1))")),
    ("129", w("?s ?p 'a'@en-GB , \"b\"^^<t> , '''c''' , \"\"\"d\"\"\"@de")),
    ("137", w(":a.b.c ex:d-e_f·g ex:1")),
    ("139", "SELECT * { <http://e.org/é?a=b&c=d#e> ?p <> }"),
    ("141", w("?é ?_1 ?1a")),
    ("142", w("_:a.b ?p _:1")),
    ("156", w("?s ?p 'a\\'b' , \"a\\\"b\" , 'a\\\\'")),
    ("158", w("?s ?p '''a'b''c\n''' , \"\"\"a\"b\"\"c\n\"\"\"")),
    ("169", w("ex:a\\~b ex:\\,\\; ex:%41")),
    ("ws", "SELECT\r\n*\t{\n# a comment { ' \" \n}#"),
    ("1.2", "VERSION \"1.2\" SELECT * { }"),
    ("1.2", w("?s ?p <<( ?a ?b ?c )>> . <<( :a a 1 )>> ?p ?o")),
    ("1.2", w("<< ?a ?b ?c >> ?p ?o . << ?a ?b ?c ~ :r >> . ?s ?p << :a :b << :c :d :e >> ~ >>")),
    ("1.2", w("?s ?p ?o ~ :r {| :a 1 ; :b 2 |} ~ {| :c [] |} , ?x {| :d 1 |} .")),
    ("1.2", w("?s ?p 'x'@ar--rtl")),
    ("1.2", f("TRIPLE(?a, ?b, ?c) = <<( ?a ?b ?c )>> && isTRIPLE(?t) && SUBJECT(?t) = PREDICATE(?t) && OBJECT(?t)")),
    ("1.2", f("LANGDIR(?x) = 'rtl' || hasLANG(?x) || hasLANGDIR(?x) || STRLANGDIR('a', 'en', 'ltr') = ?x")),
    ("1.2", w("VALUES ?t { <<( :a :b 1 )>> }")),
    ("1.2", f("!!?a")),
]  # fmt: skip

REJECT: list[tuple[str, str]] = [
    ("2", "SELECT * {} {}"),
    ("2", "SELECT * {} SELECT * {}"),
    ("4", "SELECT * {} PREFIX a: <b>"),
    ("5", "BASE a: ASK {}"),
    ("6", "PREFIX a <b> ASK {}"),
    ("6", "PREFIX a:b <c> ASK {}"),
    ("6", "PREFIX a: b: ASK {}"),
    ("7", "SELECT ?x"),
    ("7", "SELECT ?x WHERE { ?x ?p ?o"),
    ("7", "SELECT ?x WHERE { ?x ?p ?o }}"),
    ("8", w("{ SELECT }")),
    ("9", "SELECT {}"),
    ("9", "SELECT DISTINCT REDUCED * {}"),
    ("9", "SELECT * ?x {}"),
    ("9", "SELECT (1 AS x) {}"),
    ("9", "SELECT () {}"),
    ("10", "CONSTRUCT { ?s ?p ?o }"),
    ("10", "CONSTRUCT { ?s <p>/<q> ?o } { }"),
    ("10", "CONSTRUCT WHERE { ?s ?p ?o FILTER (?o) }"),
    ("10", "CONSTRUCT WHERE { ?s <p>/<q> ?o }"),
    ("10", "CONSTRUCT { FILTER (1) } {}"),
    ("11", "DESCRIBE { ?s ?p ?o }"),
    ("11", "DESCRIBE 'a'"),
    ("12", "ASK ?x {}"),
    ("13", "SELECT * FROM {}"),
    ("13", "SELECT * {} FROM <g>"),
    ("18", "SELECT * {} LIMIT 1 ORDER BY ?x"),
    ("18", "SELECT * {} ORDER BY ?x GROUP BY ?x"),
    ("19", "SELECT * {} GROUP ?x"),
    ("19", "SELECT * {} GROUP BY"),
    ("21", "SELECT * {} HAVING"),
    ("23", "SELECT * {} ORDER BY"),
    ("26", "SELECT * {} LIMIT"),
    ("26", "SELECT * {} LIMIT -1"),
    ("26", "SELECT * {} LIMIT 1.5"),
    ("26", "SELECT * {} LIMIT ?x"),
    ("28", "SELECT * {} VALUES"),
    ("53", "SELECT * WHERE"),
    ("53", "SELECT * ( )"),
    ("54", w(". ?s ?p ?o")),
    ("54", w("?s ?p ?o . . ?s ?p ?o")),
    ("54", w("FILTER (1) . . FILTER (1)")),
    ("55", w("?s ?p ?o ?s ?p ?o")),
    ("55", w("?s ?p")),
    ("55", w("?s")),
    ("57", w("OPTIONAL ?s ?p ?o")),
    ("58", w("GRAPH { ?s ?p ?o }")),
    ("58", w("GRAPH 'g' { }")),
    ("59", w("SERVICE { }")),
    ("59", w("SERVICE SILENT { }")),
    ("60", w("BIND (?x)")),
    ("60", w("BIND ?x AS ?y")),
    ("60", w("BIND (?x AS 1)")),
    ("62", w("VALUES { 1 }")),
    ("63", w("VALUES ?x { ?y }")),
    ("63", w("VALUES ?x { (1) }")),
    ("64", w("VALUES (?x ?y) { (1) }")),
    ("64", w("VALUES (?x) { (1 2) }")),
    ("64", w("VALUES (?x) { 1 }")),
    ("65", w("VALUES ?x { _:b }")),
    ("66", w("MINUS ?x")),
    ("67", w("UNION { }")),
    ("67", w("{ } UNION ?s ?p ?o")),
    ("67", w("{ } UNION UNION { }")),
    ("68", w("FILTER ?x")),
    ("68", w("FILTER 1")),
    ("68", w("FILTER ex:a")),
    ("68", w("FILTER ()")),
    ("69", w("FILTER NOT { }")),
    ("72", f("?x IN 1")),
    ("72", f("?x NOT (1)")),
    ("77", w("?s ; ?p ?o")),
    ("78", w("?s 'p' ?o")),
    ("78", w("?s _:b ?o")),
    ("78", w("?s A :C")),
    ("79", w("?s ?p ?o ,")),
    ("79", w("?s ?p , ?o")),
    ("84", w("?s ?p/?q ?o")),
    ("89", w("?s :p| ?o")),
    ("90", w("?s :p/ ?o")),
    ("91", w("?s :p** ?o")),
    ("91", w("?s *:p ?o")),
    ("92", w("?s ^^:p ?o")),
    ("94", w("?s () ?o")),
    ("94", w("?s (:p ?o")),
    ("95", w("?s !(:p/:q) ?o")),
    ("95", w("?s !?p ?o")),
    ("99", w("[ ?p ] .")),
    ("99", w("[ :p 1")),
    ("98", w("[]")),
    ("102", w("()")),
    ("102", w("( :p")),
    ("110", f("")),
    ("111", f("?a ||")),
    ("111", f("|| ?a")),
    ("112", f("?a && && ?b")),
    ("114", f("?a = ?b = ?c")),
    ("114", f("?a < ?b < ?c")),
    ("114", f("?a == ?b")),
    ("114", f("?a <> ?b")),
    ("116", f("?a + + ")),
    ("117", f("?a * ")),
    ("118", f("!")),
    ("119", f("?a ?b")),
    ("120", f("(?a")),
    ("121", f("STR()")),
    ("121", f("STR(?a, ?b)")),
    ("121", f("NOW(1)")),
    ("121", f("IF(?a, ?b)")),
    ("121", f("BOUND(1)")),
    ("121", f("STR ?a")),
    ("121", f("UNKNOWN(?a)")),
    ("121", f("LANGMATCHES(?a)")),
    ("122", f("REGEX(?a)")),
    ("124", f("REPLACE(?a, ?b)")),
    ("125", f("EXISTS ?x")),
    ("127", "SELECT (COUNT(?x, AS ?n) {}"),
    ("127", "SELECT (SUM(*) AS ?n) {}"),
    ("127", "SELECT (COUNT(DISTINCT) AS ?n) {}"),
    ("127", "SELECT (GROUP_CONCAT(?x ; SEPARATOR = ?y) AS ?n) {}"),
    ("129", w("?s ?p 'a'^^'b'")),
    ("129", w("?s ?p 'a'^^")),
    ("129", w("?s ?p 'a'@")),
    ("139", w("<a b> ?p ?o")),
    ("139", w("<a{b}> ?p ?o")),
    ("143", w("?-a ?p ?o")),
    ("143", w("? ?p ?o")),
    ("146", w("?s ?p 1 . 5 ")),
    ("156", w("?s ?p 'a")),
    ("156", w("?s ?p 'a\nb'")),
    ("156", w("?s ?p '''a''")),
    ("160", w("?s ?p 'a\\qb'")),
    ("169", w("ex:a\\<b ?p ?o")),
    ("173", w("ex:a~b ?p ?o")),
    ("uc", w("?s ?p '\\uD800'")),
    ("1.2", w("?s ?p <<( ?a ?b )>>")),
    ("1.2", w("?s ?p << ?a ?b ?c )>>")),
    ("1.2", w("?s ?p <<( ?a ?b ?c >>")),
    ("1.2", w("?s ?p ?o {| |}")),
    ("1.2", w("?s ?p ?o {| :a 1 }")),
    ("1.2", w("?s :p/:q ?o {| :a 1 |}")),
    ("1.2", w("<< ?a :b/:c ?d >> ?p ?o")),
    ("1.2", "VERSION 1.2 ASK {}"),
    ("1.2", f("TRIPLE(?a, ?b)")),
]  # fmt: skip


@pytest.mark.parametrize(("production", "text"), ACCEPT)
def test_read_whole(production: str, text: str) -> None:
    syntax = read(text, prefixes=PREFIXES)
    assert syntax.checked, f"[{production}] {text}: {syntax.problem}"


@pytest.mark.parametrize(("production", "text"), REJECT)
def test_not_read_whole(production: str, text: str) -> None:
    syntax = read(text, prefixes=PREFIXES)
    assert not syntax.checked, f"[{production}] {text}"
    assert syntax.problem is not None
    assert syntax.problem.line > 0
    assert syntax.problem.column > 0
    assert syntax.problem.found


# What only we take, with the reason why we do.
OXIGRAPH_REFUSES = {
    "GROUP BY ?x": "it wants no variable out of a group; that is for the endpoint to say",
    "!()": "the empty set is in the grammar",
    ":a.b.c": "dots in local names are in the grammar",
    "DISTINCT ?x)": "DISTINCT in a function call is in the grammar",
    "(?x + 1 AS ?y) ?z": "it wants no star with groups; that is for the endpoint to say",
}
TREE_SITTER_REFUSES = {
    "CONSTRUCT { } { }": "an empty template is in the grammar",
    "CONSTRUCT WHERE { }": "an empty template is in the grammar",
    "<<": "SPARQL 1.2",
    "{|": "SPARQL 1.2",
    "VERSION": "SPARQL 1.2",
    "--rtl": "SPARQL 1.2",
    "LANGDIR": "SPARQL 1.2",
    "!!": "SPARQL 1.2",
}
TREE_SITTER_TAKES = {
    "{} SELECT": "more than one query",
    "LIMIT -1": "a signed number as a limit",
    "VALUES (": "rows of any length",
    "?a = ?b = ?c": "chained comparisons",
    "?a < ?b < ?c": "chained comparisons",
    "'a\nb'": "a line break in a short string",
}


def _unexplained(texts: list[str], reasons: dict[str, str]) -> list[str]:
    return [text for text in texts if not any(part in text for part in reasons)]


def test_oxigraph_agrees() -> None:
    accept = [f"BASE <http://e.org/> {text}" for _, text in ACCEPT]
    answers = pyrudof_accepts(accept)
    assert _unexplained([t for t, ok in zip(accept, answers, strict=True) if not ok], OXIGRAPH_REFUSES) == []
    reject = [text for _, text in REJECT]
    assert [text for text, ok in zip(reject, pyrudof_accepts(reject), strict=True) if ok] == []


def test_tree_sitter_agrees() -> None:
    accept = [text for _, text in ACCEPT]
    answers = tree_sitter_accepts(accept)
    assert _unexplained([t for t, ok in zip(accept, answers, strict=True) if not ok], TREE_SITTER_REFUSES) == []
    reject = [text for _, text in REJECT]
    taken = [text for text, ok in zip(reject, tree_sitter_accepts(reject), strict=True) if ok]
    assert _unexplained(taken, TREE_SITTER_TAKES) == []
