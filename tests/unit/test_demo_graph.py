"""The demo graph: what `config/demo/build.py` writes is committed, well formed, obeys its own schema, and is right."""

import importlib.util
import io
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import ModuleType

import pyoxigraph as ox
import pytest

from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_files
from plugins.schema.index import Index

FOLDER = Path(__file__).resolve().parents[2] / "config" / "demo"
WD = "http://www.wikidata.org/"
ROOT = "Q35120"
# Hanseatic city: what is above it is left out on purpose, so that a misuse on Berlin is doubtful, not a conflict.
OPEN = "Q707813"

PREFIXES = """
PREFIX wd: <http://www.wikidata.org/entity/>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX p: <http://www.wikidata.org/prop/>
PREFIX ps: <http://www.wikidata.org/prop/statement/>
PREFIX psv: <http://www.wikidata.org/prop/statement/value/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX schema: <http://schema.org/>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""

# Statements that break a declared constraint on purpose. Exceptions that a constraint names (P2303) need no entry.
DELIBERATE: set[tuple[str, str, str]] = set()


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_build", FOLDER / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


@cache
def store() -> ox.Store:
    graph = ox.Store()
    graph.load(path=FOLDER / "graph.ttl", format=ox.RdfFormat.TURTLE)
    return graph


def short(term: str) -> str:
    """`Q76` of the entity's IRI; a literal or another IRI as it is."""
    return term.removeprefix(WD + "entity/")


def rows(query: str) -> list[tuple[str, ...]]:
    """The solutions of a SELECT, each value as text, entities by id; unbound is the empty text."""
    solutions = store().query(PREFIXES + query)
    assert isinstance(solutions, ox.QuerySolutions)
    names = [variable.value for variable in solutions.variables]
    return [
        tuple(short(value.value) if (value := row[name]) is not None else "" for name in names) for row in solutions
    ]


def ask(query: str) -> bool:
    answer = store().query(PREFIXES + query)
    assert isinstance(answer, ox.QueryBoolean)
    return bool(answer)


def one(query: str) -> str:
    ((value,),) = rows(query)
    return value


def column(query: str) -> set[str]:
    return {row[0] for row in rows(query)}


@cache
def items() -> frozenset[str]:
    return frozenset(column("SELECT ?i { ?i a wikibase:Item }"))


@cache
def properties() -> frozenset[str]:
    return frozenset(column("SELECT ?p { ?p a wikibase:Property }"))


@cache
def up() -> dict[str, frozenset[str]]:
    """For each item its classes and all their superclasses, itself included."""
    parents: dict[str, set[str]] = defaultdict(set)
    for child, parent in rows("SELECT ?c ?d { ?c wdt:P279 ?d }"):
        parents[child].add(parent)

    def close(start: str) -> frozenset[str]:
        found, todo = {start}, [start]
        while todo:
            todo += (new := parents[todo.pop()] - found)
            found |= new
        return frozenset(found)

    return {item: close(item) for item in items()}


@cache
def types() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for item, cls in rows("SELECT ?i ?c { ?i wdt:P31 ?c }"):
        found[item].add(cls)
    return {item: frozenset(found[item]) for item in items()}


def statements() -> list[tuple[str, str, str, str, str]]:
    """Subject, property, value, rank and statement of everything said about an item."""
    found = rows(
        "SELECT ?s ?prop ?v ?rank ?st { ?s a wikibase:Item ; ?p ?st . ?prop wikibase:claim ?p ; "
        "wikibase:statementProperty ?ps . ?st ?ps ?v ; wikibase:rank ?rank }"
    )
    return [(s, prop, v, rank, st) for s, prop, v, rank, st in found]


# --- The build


def test_the_committed_graph_is_what_the_build_writes(build: ModuleType) -> None:
    assert (FOLDER / "graph.ttl").read_bytes() == build.render().encode(), "run: python config/demo/build.py"


async def test_the_committed_index_is_that_of_the_graph(tmp_path: Path) -> None:
    draft = await from_files([FOLDER / "graph.ttl"], Recipe(), Progress(io.StringIO()))
    draft.write(tmp_path / "schema.index")
    # In front of the header stands its digest; the time of the build is in it.
    made, committed = (
        (folder / "schema.index")
        .read_bytes()[32:]
        .replace(f"{Index.open(folder / 'schema.index').built:%FT%T}".encode(), b"")
        for folder in (tmp_path, FOLDER)
    )
    assert made == committed, "run: saga schema build --from config/demo/graph.ttl --out config/demo/schema.index"


def test_the_build_is_deterministic(build: ModuleType) -> None:
    assert build.render() == build.render()


@pytest.mark.parametrize(
    ("table", "line", "complaint"),
    [
        ("facts.tsv", "Q76 Barack Obama\tP31 instance of\tQ999999 nobody", "unknown id in 'Q999999 nobody'"),
        ("facts.tsv", "Q76 Michelle Obama\tP31 instance of\tQ5 human", "Q76 is 'Barack Obama', not 'Michelle Obama'"),
        ("facts.tsv", "Q76 Barack Obama\tP569 date of birth\tAugust 1961", "'August 1961' is no date"),
        ("facts.tsv", "Q64 Berlin\tP1082 population\tmany", "'many' is no quantity"),
        ("facts.tsv", "Q64 Berlin\tP17 country\tQ183 Germany\t\tbest", "unknown rank 'best'"),
        ("facts.tsv", "Q76 Barack Obama\tP31 instance of\tQ5 human", "says the same as"),
        ("entities.tsv", "Q76\t1\tBarack Obama\t\t\t\t\t\tsomebody", "Q76 stands here twice"),
        ("entities.tsv", "Q1\t1\tuniverse", "needs an English label and description"),
        ("properties.tsv", "P1\tItem\ta\t\t\t\t\t\tb", "unknown datatype 'Item'"),
    ],
)
def test_a_mistake_in_a_table_names_its_line(
    build: ModuleType, tmp_path: Path, table: str, line: str, complaint: str
) -> None:
    for name in ("entities.tsv", "properties.tsv", "facts.tsv"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    with (tmp_path / table).open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    number = len((tmp_path / table).read_text(encoding="utf-8").splitlines())
    with pytest.raises(build.TableError) as caught:
        build.render(tmp_path)
    assert str(caught.value).startswith(f"{table}:{number}: ")
    assert complaint in str(caught.value)


# --- Form


def test_the_size_is_that_of_a_demo() -> None:
    assert 500 <= len(statements()) <= 1500
    assert (FOLDER / "graph.ttl").stat().st_size < 2_000_000


def test_every_entity_has_an_english_label_and_description() -> None:
    entities = items() | properties()
    assert entities == column('SELECT ?e { ?e rdfs:label ?l FILTER(LANG(?l) = "en") }')
    assert entities == column('SELECT ?e { ?e schema:description ?d FILTER(LANG(?d) = "en") }')


@pytest.mark.parametrize("language", ["de", "zh"])
def test_every_entity_has_a_german_and_a_chinese_label(language: str) -> None:
    assert items() | properties() == column(f'SELECT ?e {{ ?e rdfs:label ?l FILTER(LANG(?l) = "{language}") }}')


def test_no_entity_has_two_labels_or_descriptions_in_a_language() -> None:
    for predicate in ("rdfs:label", "schema:description"):
        assert not rows(f"SELECT ?e {{ ?e {predicate} ?t }} GROUP BY ?e (LANG(?t)) HAVING(COUNT(*) > 1)")


def test_every_property_used_is_described() -> None:
    used = column(
        "SELECT DISTINCT ?name { ?s ?p ?o "
        f'FILTER(STRSTARTS(STR(?p), "{WD}prop/")) BIND(REPLACE(STR(?p), "^.*/", "") AS ?name) }}'
    )
    assert used <= properties()
    assert properties() == column("SELECT ?p { ?p wikibase:propertyType ?t ; wikibase:directClaim ?d }")


def test_no_dangling_ids() -> None:
    named = column(
        "SELECT DISTINCT ?o { ?s ?p ?o "
        f'FILTER(STRSTARTS(STR(?o), "{WD}entity/") && !CONTAINS(STR(?o), "/statement/")) }}'
    )
    assert named <= items() | properties()


def test_every_class_is_known() -> None:
    classes = column("SELECT DISTINCT ?c { { ?i wdt:P31 ?c } UNION { ?i wdt:P279 ?c } UNION { ?c wdt:P279 ?d } }")
    classes |= column("SELECT DISTINCT ?c { ?st pq:P2308 ?c }")
    assert {c for c in classes if ROOT not in up()[c]} == {OPEN}


def test_every_item_has_a_class() -> None:
    assert {item for item in items() if not types()[item] and up()[item] == {item}} == {ROOT, OPEN}


def test_the_class_hierarchy_has_no_circle() -> None:
    assert not ask("ASK { ?c wdt:P279+ ?c }")


# --- Statements


def test_truthy_follows_the_ranks() -> None:
    by_key: dict[tuple[str, str], list[tuple[str, str, str]]] = defaultdict(list)
    for subject, prop, value, rank, statement in statements():
        by_key[subject, prop].append((value, rank.removeprefix("http://wikiba.se/ontology#"), statement))
    best_nodes, truthy = set(), set()
    for (subject, prop), found in by_key.items():
        ranks = {rank for _, rank, _ in found}
        best = "PreferredRank" if "PreferredRank" in ranks else "NormalRank"
        for value, rank, statement in found:
            if rank == best:
                best_nodes.add(statement)
                truthy.add((subject, prop, value))
    assert truthy == set(rows("SELECT ?s ?prop ?v { ?s a wikibase:Item ; ?d ?v . ?prop wikibase:directClaim ?d }"))
    assert best_nodes == column("SELECT ?st { ?s a wikibase:Item ; ?p ?st . ?st a wikibase:BestRank }")


def test_all_three_ranks_occur() -> None:
    assert {rank.rpartition("#")[2] for _, _, _, rank, _ in statements()} == {
        "PreferredRank",
        "NormalRank",
        "DeprecatedRank",
    }


def test_times_and_quantities_have_value_nodes() -> None:
    for kind, node, simple in (
        ("wikibase:Time", "wikibase:timeValue", "?n wikibase:timePrecision ?x"),
        ("wikibase:Quantity", "wikibase:quantityAmount", "?n wikibase:quantityUnit ?x"),
    ):
        for plain, valued in (("statementProperty", "statementValue"), ("qualifier", "qualifierValue")):
            missing = rows(
                f"SELECT ?st ?v {{ ?p wikibase:propertyType {kind} ; wikibase:{plain} ?ps ; wikibase:{valued} ?psv . "
                f"?st ?ps ?v FILTER NOT EXISTS {{ ?st ?psv ?n . ?n {node} ?v . {simple} }} }}"
            )
            assert not missing


def test_quantities_of_one_property_have_one_unit() -> None:
    assert not rows(
        "SELECT ?p { ?p wikibase:statementValue ?psv . ?st ?psv ?n . ?n wikibase:quantityUnit ?u } "
        "GROUP BY ?p HAVING(COUNT(DISTINCT ?u) > 1)"
    )


def test_symmetric_and_inverse_properties_are_said_both_ways() -> None:
    for prop, inverse in (("P26", "P26"), ("P47", "P47"), ("P3373", "P3373"), ("P155", "P156"), ("P156", "P155")):
        assert not rows(f"SELECT ?a ?b {{ ?a wdt:{prop} ?b FILTER NOT EXISTS {{ ?b wdt:{inverse} ?a }} }}")
    assert not rows("SELECT ?a ?b { ?a wdt:P40 ?b FILTER NOT EXISTS { ?b wdt:P22|wdt:P25 ?a } }")
    assert not rows("SELECT ?a ?b { ?a wdt:P22|wdt:P25 ?b FILTER NOT EXISTS { ?b wdt:P40 ?a } }")


def test_every_time_runs_forward() -> None:
    assert not rows("SELECT ?s { ?s wdt:P569 ?b ; wdt:P570 ?d FILTER(?d <= ?b) }")
    assert not rows("SELECT ?s { ?s pq:P580 ?a ; pq:P582 ?b FILTER(?b < ?a) }")
    assert not rows("SELECT ?s { ?s wdt:P580 ?a ; wdt:P582 ?b FILTER(?b < ?a) }")
    assert not rows("SELECT ?s { ?s wdt:P40/wdt:P569 ?c ; wdt:P569 ?b FILTER(?c <= ?b) }")


# --- The schema and its own facts


def broken(kind: str, pairs: str) -> set[tuple[str, str, str]]:
    """Misfits (property, subject, value). `pairs` binds ?prop, ?s, ?v and as ?x the side to test."""
    classes: dict[str, set[str]] = defaultdict(set)
    excepted: dict[str, set[str]] = defaultdict(set)
    for prop, cls, exception in rows(
        f"SELECT ?prop ?c ?e {{ ?prop p:P2302 ?st . ?st ps:P2302 wd:{kind} ; pq:P2308 ?c "
        "OPTIONAL { ?st pq:P2303 ?e } }"
    ):
        classes[prop].add(cls)
        excepted[prop].add(exception)
    found = set()
    for prop, subject, value, tested in rows(f"SELECT DISTINCT ?prop ?s ?v ?x {{ {pairs} }}"):
        own = up()[tested].union(*(up()[cls] for cls in types()[tested]))
        if prop in classes and tested not in excepted[prop] and not own & classes[prop]:
            found.add((prop, subject, value))
    return found


def test_the_facts_keep_the_declared_subject_types() -> None:
    pairs = (
        "?prop wikibase:claim ?p ; wikibase:statementProperty ?ps . "
        "?s a wikibase:Item ; ?p ?st . ?st ?ps ?v BIND(?s AS ?x)"
    )
    assert broken("Q21503250", pairs) == DELIBERATE


def test_the_facts_keep_the_declared_value_types() -> None:
    pairs = (
        "?prop wikibase:propertyType wikibase:WikibaseItem ; wikibase:claim ?p ; wikibase:statementProperty ?ps . "
        "?s a wikibase:Item ; ?p ?st . ?st ?ps ?v BIND(?v AS ?x)"
    )
    assert broken("Q21510865", pairs) == DELIBERATE
    pairs = (
        "?prop wikibase:propertyType wikibase:WikibaseItem ; wikibase:qualifier ?pq . "
        "?s a wikibase:Item ; ?p ?st . ?st a wikibase:Statement ; ?pq ?v BIND(?v AS ?x)"
    )
    assert broken("Q21510865", pairs) == DELIBERATE


def test_the_facts_keep_the_allowed_qualifiers() -> None:
    extra = rows(
        "SELECT ?prop ?qual { ?prop p:P2302 ?c ; wikibase:claim ?p . ?c ps:P2302 wd:Q21510851 . "
        "?s a wikibase:Item ; ?p ?st . ?st ?pq ?v . ?qual wikibase:qualifier ?pq "
        "FILTER NOT EXISTS { ?c pq:P2306 ?qual } }"
    )
    assert not extra


def test_the_schema_shows_every_kind_of_declaration() -> None:
    for pattern in (
        "?st pq:P2309 wd:Q21503252",
        "?st pq:P2309 wd:Q30208840",
        "?st pq:P2316 wd:Q21502408",
        "?st pq:P2316 wd:Q62026391",
        "?st pq:P2303 ?exception",
        "?st pq:P2306 ?qualifier",
        "?p wdt:P1696 ?inverse",
        "?p wdt:P1647 ?general",
    ):
        assert ask(f"ASK {{ {pattern} }}"), pattern


@pytest.mark.parametrize(
    ("prop", "subject", "side"),
    [
        ("P569", "Q142", "date of birth of France"),
        ("P57", "Q76", "director of Barack Obama"),
        ("P26", "Q64", "spouse of Berlin"),
        ("P2044", "Q937", "elevation of Albert Einstein"),
        ("P161", "Q584", "cast of the Rhine"),
        ("P974", "Q513", "tributary of Mount Everest"),
        ("P36", "Q25188", "capital of a film"),
        ("P86", "Q64", "composer of Berlin"),
    ],
)
def test_misuse_conflicts_with_the_schema(prop: str, subject: str, side: str) -> None:
    assert declared(prop), side
    assert not declared(prop) & around(subject), side
    assert not ask(f"ASK {{ wd:{subject} wdt:{prop} ?v }}"), side


@pytest.mark.parametrize(
    ("prop", "subject", "side"),
    [
        ("P1082", "Q127429", "population of a stadium"),
        ("P607", "Q183", "conflict of a country"),
        ("P607", "Q90", "conflict of a city"),
        ("P610", "Q308", "highest point of a planet"),
        ("P6", "Q90", "head of government of a city"),
        ("P35", "Q1439", "head of state of a federated state"),
        ("P36", "Q90", "capital of a city"),
    ],
)
def test_what_wikidata_allows_does_not_conflict(prop: str, subject: str, side: str) -> None:
    """A constraint that were narrower here than in Wikidata would block what works there."""
    assert declared(prop) & around(subject), side


def declared(prop: str) -> set[str]:
    """The classes of a property's subject type constraint."""
    return column(f"SELECT ?c {{ wd:{prop} p:P2302 ?st . ?st ps:P2302 wd:Q21503250 ; pq:P2308 ?c }}")


def around(subject: str) -> frozenset[str]:
    """An item, its classes, and all that is above them."""
    return up()[subject].union(*(up()[cls] for cls in types()[subject]))


# --- What it says


def test_names_are_ambiguous() -> None:
    for label, wanted in {
        "Georgia": {"Q230", "Q1428"},
        "Paris": {"Q90", "Q830149", "Q167646"},
        "Cambridge": {"Q350", "Q49111"},
        "Alexandre Dumas": {"Q38337", "Q169150"},
        "Amazon": {"Q3783", "Q3884"},
        "Dune": {"Q190192", "Q60834962"},
    }.items():
        assert column(f'SELECT ?e {{ ?e rdfs:label "{label}"@en }}') == wanted
    assert any(len(types()[item]) > 1 for item in items())


def test_two_hops() -> None:
    assert one("SELECT ?n { wd:Q408 wdt:P36/wdt:P1082 ?n }") == "456692"
    assert one("SELECT ?f { wd:Q254 wdt:P22 ?f }") == "Q156280"
    assert column("SELECT ?c { wd:Q1511 wdt:P26/wdt:P22 ?c }") == {"Q41309"}
    assert one("SELECT ?b { wd:Q25188 wdt:P57/wdt:P569 ?b }") == "1970-07-30T00:00:00Z"


def test_counts() -> None:
    assert one("SELECT (COUNT(DISTINCT ?c) AS ?n) { ?c wdt:P47 wd:Q183 }") == "9"
    assert one("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x wdt:P39 wd:Q11696 }") == "14"
    assert one("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x wdt:P39 wd:Q4970706 }") == "9"
    assert one("SELECT (COUNT(?st) AS ?n) { wd:Q8016 p:P39 ?st . ?st ps:P39 wd:Q14211 }") == "2"
    assert one("SELECT (COUNT(?m) AS ?n) { ?m wdt:P31 wd:Q8502 ; wdt:P2044 ?h FILTER(?h > 8000) }") == "10"


def test_superlatives() -> None:
    best = "SELECT ?x {{ ?x wdt:P31/wdt:P279* wd:{cls} ; wdt:{prop} ?v }} ORDER BY {order}(?v) LIMIT 1"
    for cls, prop, order, answer in (
        ("Q8502", "P2044", "DESC", "Q513"),
        ("Q4022", "P2043", "DESC", "Q3392"),
        ("Q6256", "P2046", "DESC", "Q159"),
        ("Q6256", "P1082", "DESC", "Q668"),
        ("Q6256", "P2046", "ASC", "Q32"),
        ("Q3918", "P571", "ASC", "Q35794"),
    ):
        assert one(best.format(cls=cls, prop=prop, order=order)) == answer
    assert one("SELECT ?p { ?p wdt:P39 wd:Q11696 ; wdt:P569 ?b } ORDER BY DESC(?b) LIMIT 1") == "Q76"


def test_qualifiers() -> None:
    in_office = (
        "SELECT ?x {{ ?x p:P39 ?st . ?st ps:P39 wd:{office} ; pq:P580 ?a OPTIONAL {{ ?st pq:P582 ?b }} "
        'FILTER(?a <= "{day}T00:00:00Z"^^xsd:dateTime && (!BOUND(?b) || ?b > "{day}T00:00:00Z"^^xsd:dateTime)) }}'
    )
    assert one(in_office.format(office="Q11696", day="1990-06-01")) == "Q23505"
    assert one(in_office.format(office="Q4970706", day="1990-06-01")) == "Q2518"
    assert one(in_office.format(office="Q14211", day="1985-06-01")) == "Q7416"
    assert one("SELECT ?c { wd:Q44578 p:P161 ?st . ?st ps:P161 wd:Q38111 ; pq:P453 ?c }") == "Q3805567"
    assert one("SELECT (YEAR(?t) AS ?y) { wd:Q937 p:P166 ?st . ?st ps:P166 wd:Q38104 ; pq:P585 ?t }") == "1921"
    populations = "SELECT ?n { wd:Q183 p:P1082 ?st . ?st ps:P1082 ?n ; pq:P585 ?t } ORDER BY ?t"
    assert len(rows(populations)) == 3
    assert rows(populations)[-1] == rows("SELECT ?n { wd:Q183 wdt:P1082 ?n }")[0]


def test_yes_and_no() -> None:
    assert ask("ASK { wd:Q567 wdt:P39 wd:Q4970706 }")
    assert ask("ASK { wd:Q513 wdt:P2044 ?a . wd:Q43512 wdt:P2044 ?b FILTER(?a > ?b) }")
    assert not ask("ASK { wd:Q132537 wdt:P166 wd:Q38104 }")
    assert not ask("ASK { wd:Q7934 wdt:P31 wd:Q5 FILTER NOT EXISTS { wd:Q7934 wdt:P570 ?d } }")
    assert not ask("ASK { wd:Q106588 wdt:P403 ?m . ?m wdt:P31/wdt:P279* wd:Q165 }")


def test_lists() -> None:
    assert column("SELECT ?f { ?f wdt:P57 wd:Q4465 }") == {"Q127367", "Q164963", "Q131074"}
    assert column("SELECT ?p { ?p wdt:P166 wd:Q38104, wd:Q44585 }") == {"Q7186"}
    assert column("SELECT ?l { wd:Q39 wdt:P37 ?l }") == {"Q188", "Q150", "Q652", "Q13199"}
