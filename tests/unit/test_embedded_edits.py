"""Edits of a text: what they make, and that every place finds back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from proxy.contract import Dataset
from proxy.endpoints.edits import Edit, applied, edits, original
from proxy.syntax import read


def edited(text: str, dataset: Dataset | None = None) -> str:
    return applied(text, edits(read(text), dataset or Dataset()))


def test_only_dotted_names_change() -> None:
    prefix = "PREFIX n: <http://e.org/> "
    assert (
        edited(prefix + "ASK { n:a.b n:c n:d.e.f. }") == prefix + "ASK { <http://e.org/a.b> n:c <http://e.org/d.e.f>. }"
    )
    for text in ("ASK { <urn:a.b> ?p 'n:a.b' }", prefix + "ASK { n:a ?p n:b. # n:c.d\n }", "ASK { u:a.b ?p 1.5 }"):
        assert edited(text) == text


def test_virtuosos_operators_become_those_of_sparql() -> None:
    text = "SELECT ?x { ?x ?p ?y FILTER (!isLiteral(?x) OR lang(?x) = '' and ?y != 'this OR that') } # or so"
    assert edited(text) == text.replace("?x) OR", "?x) ||").replace("'' and", "'' &&")
    for plain in ("PREFIX or: <urn:and> ASK { or:and or:or 'and' }", "ASK { ?or ?and <urn:OR> FILTER(?or || ?and) }"):
        assert edited(plain) == plain


def test_graphs_of_a_request() -> None:
    dataset = Dataset(default=("urn:1", "urn:2"), named=("urn:3",))
    clauses = "USING <urn:1> USING <urn:2> USING NAMED <urn:3> "
    assert edited("INSERT {} WHERE {}", dataset) == f"INSERT {{}} {clauses}WHERE {{}}"
    assert edited("DELETE WHERE { ?a ?b ?c }", dataset) == f"DELETE {{ ?a ?b ?c }} {clauses}WHERE {{ ?a ?b ?c }}"
    data = "INSERT DATA { <urn:a> <urn:b> 'WHERE' }"
    assert edited(data, dataset) == data


@given(
    st.text(alphabet="ab\n", max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.text(alphabet="xy", max_size=6)), max_size=5),
)
def test_every_place_outside_of_edits_finds_back(text: str, wanted: list[tuple[int, int, str]]) -> None:
    changes: list[Edit] = []
    for start, length, new in sorted(wanted):
        if start + length <= len(text) and (not changes or start > changes[-1].end):
            changes.append(Edit(start, start + length, new))
    changed = applied(text, changes)
    for offset, letter in enumerate(changed):
        place = original(offset, changes)
        assert 0 <= place <= len(text)
        if letter in "ab\n":
            assert text[place] == letter
        else:
            assert place in {change.start for change in changes}
