"""A tree that is read later changes nothing of what was said before it: a long text is read at once, so it is asked."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from proxy.errors import BadQuery
from proxy.syntax import Limits, Syntax
from proxy.syntax.reader import read_cold
from tests.oracles.texts import SOUP, TEXTS

_IMPLIED = {"ex": "http://implied/"}
_LONG = "\n" + " " * 4000
# What ends up between `<` and `>` where no white space keeps them apart.
_PIECES = "?a < > <?b && ) ( SERVICE <http://e.org/x> FROM NAMED ex:a z:b 5 , = ! { } INSERT LOAD DEFINE ' . FILTER #"
_GLUED = st.lists(st.sampled_from([*_PIECES.split(), " ", "\n", "?s ?p ?o", "ORDER BY"]), max_size=25).map(
    lambda parts: "SELECT * { ?s ?p ?o FILTER(" + "".join(parts)
)


def gate(syntax: Syntax) -> tuple[object, ...]:
    """Return what a gate looks at; what reaches up to the end of the text ends elsewhere in the long one."""
    services = [(each.target, each.silent, each.start) for each in syntax.services]
    sources = [(each.keyword, each.iri, each.start) for each in (*syntax.datasets, *syntax.loads)]
    return syntax.form, services, sources, syntax.pragmas


@given(st.one_of(TEXTS, SOUP, _GLUED))
@example("SELECT * { FILTER(?a<?b&&?c>?d) SERVICE <http://e.org/> {} }")
@example("SELECT * { FILTER(?a<?b)SERVICE<http://e.org/>{} FILTER(?c>?d) }")
@example("SELECT * { ?s ?p ?o } GIBBERISH INSERT DATA { ex:a ex:b ex:c }")
def test_the_tokens_say_of_a_text_what_its_tree_says(text: str) -> None:
    try:
        whole = read_cold(text + _LONG, _IMPLIED, Limits())
    except BadQuery:
        return
    lazy = read_cold(text, _IMPLIED, Limits())
    assert gate(lazy) == gate(whole)
    assert lazy.checked == whole.checked
    if whole.checked:
        assert lazy.missing_prefixes == whole.missing_prefixes
        assert lazy.borrowed_prefixes == whole.borrowed_prefixes
