"""Queries by chance: lists of tokens from a small grammar, and ways to lay them out."""

from __future__ import annotations

from hypothesis import strategies as st

Tokens = tuple[str, ...]

_VARIABLES = st.sampled_from(["?a", "?b", "?c", "$a"])
_IRIS = st.sampled_from(["ex:a", "ex:b.c", ":d", "ns:people.person.gender", "<http://e.org/x#y>", "<http://e.org/>"])
_LITERALS = st.sampled_from(
    ["'x'", '"a # b"', "'SELECT'", '"""q"\n  r"""', "'x'@en", '"1"^^ex:t', "1", "-2.5", "3e0", "true", "'\\n\\''"]
)
_SUBJECTS = st.one_of(_VARIABLES, _IRIS, st.sampled_from(["_:n", "_:m.k"])).map(lambda t: (t,))
_OBJECTS = st.one_of(_VARIABLES, _IRIS, _LITERALS, st.just("_:n")).map(lambda t: (t,))


def joined(*parts: st.SearchStrategy[Tokens] | str) -> st.SearchStrategy[Tokens]:
    """Put parts one after the other."""
    strategies = [st.just((part,)) if isinstance(part, str) else part for part in parts]
    return st.tuples(*strategies).map(lambda found: tuple(token for part in found for token in part))


def separated(part: st.SearchStrategy[Tokens], by: str, most: int) -> st.SearchStrategy[Tokens]:
    """Repeat a part, with a token between."""
    return st.lists(part, min_size=1, max_size=most).map(
        lambda found: tuple(token for n, each in enumerate(found) for token in ((by,) if n else ()) + each)
    )


_STEP = st.one_of(_IRIS.map(lambda t: (t,)), st.just(("a",)))
_PATH = st.recursive(
    _STEP,
    lambda path: st.one_of(
        joined("(", path, ")", st.sampled_from([("*",), ("+",), ("?",)])),
        joined("(", separated(path, "/", 3), ")"),
        joined("(", separated(path, "|", 3), ")"),
        joined("(", "^", path, ")"),
        joined("!", "(", _STEP, "|", "^", _STEP, ")"),
    ),
    max_leaves=4,
)
_PREDICATES = st.one_of(_STEP, _VARIABLES.map(lambda t: (t,)), _PATH)
_NODES = st.recursive(
    _OBJECTS,
    lambda node: st.one_of(
        joined("[", _STEP, node, "]"), joined("(", node, node, ")"), st.sampled_from([("[", "]"), ("(", ")")])
    ),
    max_leaves=4,
)
_TRIPLES = joined(
    _SUBJECTS, separated(joined(_PREDICATES, separated(_NODES, ",", 2)), ";", 2), st.sampled_from([(".",)])
)
_EXPRESSIONS = st.recursive(
    st.one_of(_VARIABLES, _LITERALS).map(lambda t: (t,)),
    lambda inner: st.one_of(
        joined("(", inner, st.sampled_from([("<",), ("=",), (">=",), ("!=",)]), inner, ")"),
        joined("(", inner, st.sampled_from([("&&",), ("||",), ("+",), ("*",)]), inner, ")"),
        joined("!", "(", inner, ")"),
        joined("STR", "(", inner, ")"),
        joined("IF", "(", inner, ",", inner, ",", inner, ")"),
        joined("(", inner, "IN", "(", inner, ",", inner, ")", ")"),
    ),
    max_leaves=5,
)


def _groups(inner: st.SearchStrategy[Tokens]) -> st.SearchStrategy[Tokens]:
    return st.one_of(
        joined("OPTIONAL", "{", inner, "}"),
        joined("{", inner, "}", "UNION", "{", inner, "}"),
        joined("MINUS", "{", inner, "}"),
        joined("GRAPH", "?g", "{", inner, "}"),
        joined("FILTER", "EXISTS", "{", inner, "}"),
        joined("FILTER", "(", _EXPRESSIONS, ")"),
        joined("{", "SELECT", "*", "WHERE", "{", inner, "}", "LIMIT", "3", "}"),
        joined("VALUES", "?v", "{", _IRIS.map(lambda t: (t,)), "'x'", "}"),
        joined(inner, _TRIPLES),
    )


PATTERNS = st.recursive(_TRIPLES, _groups, max_leaves=4)
PROLOGUE = ("PREFIX", ":", "<http://e.org/>", "PREFIX", "ex:", "<http://e.org/ex/>", "PREFIX", "ns:", "<http://ns/>")
_COUNT = ("SELECT", "DISTINCT", "?a", "(", "COUNT", "(", "*", ")", "AS", "?n", ")")
QUERIES = st.one_of(
    joined("SELECT", "*", "WHERE", "{", PATTERNS, "}"),
    joined(st.just(_COUNT), "{", PATTERNS, "}", "GROUP", "BY", "?a"),
    joined("ASK", "{", PATTERNS, "}"),
    joined("SELECT", "*", "{", PATTERNS, "}", "ORDER", "BY", "DESC", "(", "?a", ")", "LIMIT", "5"),
).map(lambda tokens: PROLOGUE + tokens)

_GAPS = st.sampled_from([" ", " ", "  ", "\n", "\t", "\r\n", " # a comment { ' \n", "#\n\n"])


def laid_out(tokens: Tokens) -> st.SearchStrategy[str]:
    """Lay tokens out with a gap of some kind between any two."""
    gaps = st.lists(_GAPS, min_size=len(tokens), max_size=len(tokens))
    return gaps.map(lambda found: "".join(token + gap for token, gap in zip(tokens, found, strict=True)))


TEXTS = QUERIES.flatmap(laid_out)

_WORDS = (
    "SELECT ASK CONSTRUCT INSERT DELETE WHERE OPTIONAL UNION FILTER BIND VALUES SERVICE SILENT GRAPH WITH AS INCLUDE"
)
_MORE_WORDS = "PREFIX BASE EXISTS NOT IN a ?x ex:a : <http://a> 'a' 1 1.5 1e5 @en %x"
_SIGNS = "<< >> <<( )>> {| |} { } ( ) [ ] . ; , ^ ^^ | || & && ! = < > <= + - * / ? ~ \" ' ''' # %"
_ODD = ['"""', "\\", "\\u0041", "\\uD800", "\ufeff", "\x00", "\n"]
_PIECES = st.one_of(st.sampled_from(f"{_WORDS} {_MORE_WORDS} {_SIGNS}".split() + _ODD), st.text(max_size=3))


@st.composite
def mutated(draw: st.DrawFn, texts: st.SearchStrategy[str] = TEXTS) -> str:
    """Draw a query and spoil it in up to four places."""
    text = draw(texts)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        cut = draw(st.integers(0, 6))
        text = text[:at] + draw(_PIECES) + text[at + cut :]
    return text


SOUP = st.lists(_PIECES, max_size=40).map(" ".join)
