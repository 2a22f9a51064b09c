"""Write the demo graph: read the three tables beside this file, write `graph.ttl`.

Run `python config/demo/build.py`. The same tables always give the same bytes. Every mistake in the tables stops the
build with file and line. README.md says what the tables hold.
"""

import hashlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
LANGUAGES = ("en", "de", "zh", "es", "fr", "ru")
DESCRIBED = ("en", "de", "zh")  # languages with a column for the description and one for the aliases

WD = "http://www.wikidata.org/"
ONTOLOGY = "http://wikiba.se/ontology#"
PREFIXES = {
    "p": f"{WD}prop/",
    "pq": f"{WD}prop/qualifier/",
    "pqv": f"{WD}prop/qualifier/value/",
    "pr": f"{WD}prop/reference/",
    "prv": f"{WD}prop/reference/value/",
    "ps": f"{WD}prop/statement/",
    "psv": f"{WD}prop/statement/value/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": f"{WD}entity/",
    "wdno": f"{WD}prop/novalue/",
    "wds": f"{WD}entity/statement/",
    "wdt": f"{WD}prop/direct/",
    "wdv": f"{WD}value/",
    "wikibase": ONTOLOGY,
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
RANKS = {"": "Normal", "preferred": "Preferred", "deprecated": "Deprecated"}
RELATIONS = {"instance": "Q21503252", "subclass": "Q21514624", "either": "Q30208840"}
STATUSES = {"mandatory": "Q21502408", "suggestion": "Q62026391"}
SUBJECT_TYPE, VALUE_TYPE, ALLOWED_QUALIFIERS = "Q21503250", "Q21510865", "Q21510851"
CALENDAR = "Q1985727"  # proleptic Gregorian: the only calendar of the demo
NUMBER = "Q199"  # the unit of quantities without one
DATATYPES = frozenset({"WikibaseItem", "WikibaseProperty", "Time", "Quantity", "String"})
DATE = re.compile(r"(\d{4})(?:-(\d\d))?(?:-(\d\d))?")
QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q\d+)(?: .*)?)?")


class TableError(ValueError):
    """A mistake in one of the tables: file, line, what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table: its cells by column, and where it stands."""

    place: str
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def many(self, column: str) -> list[str]:
        """The parts of a cell with several, as `a;b`."""
        return [part.strip() for part in self.cells[column].split(";") if part.strip()]

    def error(self, text: str) -> TableError:
        return TableError(f"{self.place}: {text}")


@dataclass(frozen=True, slots=True)
class Snak:
    """A property with a value, as the tables write it: an id, a date, a number with a unit's id, a text."""

    property: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One fact: a subject, a property with its value, the qualifiers, the rank."""

    subject: str
    main: Snak
    qualifiers: tuple[Snak, ...] = ()
    rank: str = "Normal"
    place: str = ""


@dataclass(frozen=True, slots=True)
class Value:
    """A value in RDF: the simple term, and for times and quantities what its value node says."""

    term: str
    node: tuple[tuple[str, str], ...] = ()

    @property
    def node_id(self) -> str:
        return "wdv:" + hashlib.sha256(repr(self.node).encode()).hexdigest()[:32]


class Graph:
    """Triples of prefixed terms; writes itself as sorted Turtle."""

    def __init__(self) -> None:
        self._triples: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))

    def add(self, subject: str, predicate: str, term: str) -> None:
        self._triples[subject][predicate].add(term)

    def turtle(self) -> str:
        head = "".join(f"@prefix {name}: <{iri}> .\n" for name, iri in PREFIXES.items())
        body = "".join(self._block(subject) for subject in sorted(self._triples, key=natural))
        return head + body

    def _block(self, subject: str) -> str:
        lines = (
            f"  {predicate} {', '.join(sorted(terms, key=natural))}"
            for predicate, terms in sorted(self._triples[subject].items(), key=lambda item: natural(item[0]))
        )
        return f"\n{subject}\n" + " ;\n".join(lines) + " .\n"


def natural(term: str) -> tuple[tuple[int, str], ...]:
    """Sort key that puts Q9 before Q10."""
    return tuple((int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"([0-9]+)", term))


def read(path: Path) -> Iterator[Row]:
    """The rows of a table. The first line names the columns; `#` starts a comment; missing last cells are empty."""
    lines = path.read_text(encoding="utf-8").splitlines()
    columns = lines[0].split("\t")
    for number, line in enumerate(lines[1:], start=2):
        if not line.strip() or line.startswith("#"):
            continue
        cells = line.split("\t")
        place = f"{path.name}:{number}"
        if len(cells) > len(columns):
            raise TableError(f"{place}: {len(cells)} cells, {len(columns)} columns")
        cells += [""] * (len(columns) - len(cells))
        yield Row(place=place, cells=dict(zip(columns, (cell.strip() for cell in cells), strict=True)))


def read_by_id(path: Path) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for row in read(path):
        if row["id"] in rows:
            raise row.error(f"{row['id']} stands here twice")
        rows[row["id"]] = row
    return rows


class Tables:
    """The tables, with every name in `facts.tsv` checked against the label of its id."""

    def __init__(self, folder: Path) -> None:
        self.entities = read_by_id(folder / "entities.tsv")
        self.properties = read_by_id(folder / "properties.tsv")
        for row in self.properties.values():
            if row["datatype"] not in DATATYPES:
                raise row.error(f"unknown datatype {row['datatype']!r}")
        self.facts = [self._statement(row) for row in read(folder / "facts.tsv")]

    def datatype(self, pid: str) -> str:
        return self.properties[pid]["datatype"]

    def _known(self, row: Row, text: str, table: dict[str, Row]) -> str:
        """The id of `Q76 Barack Obama`, when both belong together."""
        identifier, _, name = text.partition(" ")
        if identifier not in table:
            raise row.error(f"unknown id in {text!r}")
        if name != table[identifier]["en"]:
            raise row.error(f"{identifier} is {table[identifier]['en']!r}, not {name!r}")
        return identifier

    def _snak(self, row: Row, prop: str, value: str) -> Snak:
        pid = self._known(row, prop, self.properties)
        datatype = self.datatype(pid)
        if datatype == "WikibaseItem":
            return Snak(pid, self._known(row, value, self.entities))
        if datatype == "Quantity" and " " in value:
            self._known(row, value.partition(" ")[2], self.entities)
        return Snak(pid, value)

    def _statement(self, row: Row) -> Statement:
        if row["rank"] not in RANKS:
            raise row.error(f"unknown rank {row['rank']!r}")
        pairs = (part.partition(" = ") for part in re.split(r"; (?=P\d+ )", row["qualifiers"]) if part)
        return Statement(
            subject=self._known(row, row["subject"], self.entities),
            main=self._snak(row, row["property"], row["value"]),
            qualifiers=tuple(self._snak(row, prop, value) for prop, _, value in pairs),
            rank=RANKS[row["rank"]],
            place=row.place,
        )


def text(value: str, language: str = "") -> str:
    """A string literal; with a language a tagged one."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' + (f"@{language}" if language else "")


def time_value(value: str) -> Value:
    """A day, month or year: `1961-08-04`, `1961-08`, `1961`."""
    match = DATE.fullmatch(value)
    if not match:
        raise TableError(f"{value!r} is no date")
    year, month, day = match.groups()
    term = f'"{year}-{month or "01"}-{day or "01"}T00:00:00Z"^^xsd:dateTime'
    precision = 11 if day else 10 if month else 9
    return Value(
        term,
        (
            ("rdf:type", "wikibase:TimeValue"),
            ("wikibase:timeCalendarModel", f"wd:{CALENDAR}"),
            ("wikibase:timePrecision", f'"{precision}"^^xsd:integer'),
            ("wikibase:timeTimezone", '"0"^^xsd:integer'),
            ("wikibase:timeValue", term),
        ),
    )


def quantity_value(value: str) -> Value:
    """A number with the id of its unit: `8848.86 Q11573 metre`; without one it counts things."""
    match = QUANTITY.fullmatch(value)
    if not match:
        raise TableError(f"{value!r} is no quantity")
    term = f'"{Decimal(match[1]):+f}"^^xsd:decimal'
    return Value(
        term,
        (
            ("rdf:type", "wikibase:QuantityValue"),
            ("wikibase:quantityAmount", term),
            ("wikibase:quantityUnit", f"wd:{match[2] or NUMBER}"),
        ),
    )


def rdf_value(datatype: str, value: str) -> Value:
    if datatype == "Time":
        return time_value(value)
    if datatype == "Quantity":
        return quantity_value(value)
    return Value(text(value) if datatype == "String" else f"wd:{value}")


def statement_ids(statements: list[Statement]) -> list[str]:
    """An id for each statement, from its content alone; the same one twice is a mistake."""
    ids: dict[str, str] = {}
    for statement in statements:
        content = repr((statement.subject, statement.main, statement.qualifiers))
        digest = hashlib.sha256(content.encode()).hexdigest()
        parts = (digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32])
        name = f"wds:{statement.subject}-{'-'.join(parts).upper()}"
        if name in ids:
            raise TableError(f"{statement.place}: says the same as {ids[name]}")
        ids[name] = statement.place
    return list(ids)


def best_ranks(statements: list[Statement]) -> dict[tuple[str, str], str]:
    """For each subject and property the rank that counts: preferred if there is one, else normal."""
    best: dict[tuple[str, str], str] = {}
    for statement in statements:
        key = (statement.subject, statement.main.property)
        best[key] = "Preferred" if "Preferred" in (statement.rank, best.get(key)) else "Normal"
    return best


def add_value(graph: Graph, subject: str, kind: str, pid: str, value: Value) -> None:
    """Add a value, simple and as a node; kind is the prefix, `ps` or `pq`."""
    graph.add(subject, f"{kind}:{pid}", value.term)
    if value.node:
        graph.add(subject, f"{kind}v:{pid}", value.node_id)
        for predicate, term in value.node:
            graph.add(value.node_id, predicate, term)


def add_statement(graph: Graph, tables: Tables, statement: Statement, node: str, best: str) -> None:
    pid, subject = statement.main.property, f"wd:{statement.subject}"
    try:
        value = rdf_value(tables.datatype(pid), statement.main.value)
        qualifiers = [(q.property, rdf_value(tables.datatype(q.property), q.value)) for q in statement.qualifiers]
    except TableError as error:
        raise TableError(f"{statement.place}: {error}") from error
    graph.add(subject, f"p:{pid}", node)
    graph.add(node, "rdf:type", "wikibase:Statement")
    graph.add(node, "wikibase:rank", f"wikibase:{statement.rank}Rank")
    add_value(graph, node, "ps", pid, value)
    for qualifier, term in qualifiers:
        add_value(graph, node, "pq", qualifier, term)
    if statement.rank == best:
        graph.add(node, "rdf:type", "wikibase:BestRank")
        graph.add(subject, f"wdt:{pid}", value.term)


def add_texts(graph: Graph, row: Row) -> None:
    """Labels, descriptions, aliases. A label `=` is written as in English."""
    subject = f"wd:{row['id']}"
    if not row["en"] or not row["description_en"]:
        raise row.error("needs an English label and description")
    for language in LANGUAGES:
        label = row["en"] if row[language] == "=" else row[language]
        if label:
            graph.add(subject, "rdfs:label", text(label, language))
    for language in DESCRIBED:
        if row[f"description_{language}"]:
            graph.add(subject, "schema:description", text(row[f"description_{language}"], language))
        for alias in row.many(f"aliases_{language}"):
            graph.add(subject, "skos:altLabel", text(alias, language))


def add_item(graph: Graph, row: Row) -> None:
    subject = f"wd:{row['id']}"
    graph.add(subject, "rdf:type", "wikibase:Item")
    graph.add(subject, "wikibase:sitelinks", f'"{int(row["sitelinks"])}"^^xsd:integer')
    add_texts(graph, row)


def add_property(graph: Graph, row: Row) -> None:
    subject, pid = f"wd:{row['id']}", row["id"]
    links = {
        "claim": "p",
        "directClaim": "wdt",
        "novalue": "wdno",
        "qualifier": "pq",
        "qualifierValue": "pqv",
        "reference": "pr",
        "referenceValue": "prv",
        "statementProperty": "ps",
        "statementValue": "psv",
    }
    graph.add(subject, "rdf:type", "wikibase:Property")
    graph.add(subject, "wikibase:propertyType", f"wikibase:{row['datatype']}")
    for link, prefix in links.items():
        graph.add(subject, f"wikibase:{link}", f"{prefix}:{pid}")
    add_texts(graph, row)


def type_constraint(row: Row, side: str, kind: str) -> Iterator[Statement]:
    """The constraint on the classes of one side, `subject` or `value`, when the table names any."""
    classes = row.many(f"{side}_types")
    if not classes:
        return
    qualifiers = [Snak("P2308", name) for name in classes]
    qualifiers.append(Snak("P2309", RELATIONS[row[f"{side}_relation"]]))
    if row[f"{side}_status"]:
        qualifiers.append(Snak("P2316", STATUSES[row[f"{side}_status"]]))
    if side == "subject":
        qualifiers += [Snak("P2303", name) for name in row.many("exceptions")]
    yield Statement(subject=row["id"], main=Snak("P2302", kind), qualifiers=tuple(qualifiers), place=row.place)


def property_statements(row: Row) -> Iterator[Statement]:
    """What the graph declares about a property: constraints, inverse, more general properties."""
    yield from type_constraint(row, "subject", SUBJECT_TYPE)
    yield from type_constraint(row, "value", VALUE_TYPE)
    allowed = tuple(Snak("P2306", pid) for pid in row.many("qualifiers"))
    if allowed:
        main = Snak("P2302", ALLOWED_QUALIFIERS)
        yield Statement(subject=row["id"], main=main, qualifiers=allowed, place=row.place)
    for pid, column in (("P1696", "inverse"), ("P1647", "subproperty_of")):
        for value in row.many(column):
            yield Statement(subject=row["id"], main=Snak(pid, value), place=row.place)


def check_ids(tables: Tables) -> None:
    """Every id that a property names stands in a table."""
    for row in tables.properties.values():
        for statement in property_statements(row):
            for snak in (statement.main, *statement.qualifiers):
                if snak.value not in tables.entities and snak.value not in tables.properties:
                    raise row.error(f"unknown id {snak.value}")


def render(folder: Path = HERE) -> str:
    """The demo graph as Turtle.

    Raises:
        TableError: a mistake in one of the tables.
    """
    tables = Tables(folder)
    check_ids(tables)
    graph = Graph()
    for row in tables.entities.values():
        add_item(graph, row)
    for row in tables.properties.values():
        add_property(graph, row)
    statements = list(tables.facts)
    for row in tables.properties.values():
        statements += property_statements(row)
    best = best_ranks(statements)
    for statement, node in zip(statements, statement_ids(statements), strict=True):
        add_statement(graph, tables, statement, node, best[statement.subject, statement.main.property])
    return graph.turtle()


def main() -> int:
    try:
        turtle = render()
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    target = HERE / "graph.ttl"
    target.write_bytes(turtle.encode())
    print(f"{target}: {len(turtle.encode()):,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
