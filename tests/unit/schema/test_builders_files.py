"""Builds from files: the demo graph, the shared data, and files that are wrong."""

from __future__ import annotations

import argparse
import asyncio
import gzip
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from plugins.schema import commands
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_files
from plugins.schema.index import Index
from proxy.errors import UsageError

DEMO = Path(__file__).parent.parent.parent.parent / "config" / "demo" / "graph.ttl"
WD = "http://www.wikidata.org/entity/"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
NS = "http://rdf.freebase.com/ns/"


async def built(*paths: Path, **more: Any) -> Index:
    return (await from_files(paths, Recipe(**more), Progress(io.StringIO()))).index()


def short(classes: Sequence[str]) -> list[str]:
    return [each.removeprefix(WD).removeprefix(NS) for each in classes]


async def test_the_demo_graph() -> None:
    index = await built(DEMO)
    assert index.graph == "wikidata"
    assert index.counts["properties"] == 72
    # What is above a Hanseatic city is left out of the demo.
    assert index.counts["known_classes"] == index.counts["classes"] - 1
    director = index.property("P57")
    assert director is not None
    assert director.domain is not None
    assert director.range is not None
    assert short(director.domain.classes) == ["Q11424"]
    assert short(director.range.classes) == ["Q5"]
    assert (director.kind, director.usage, director.label) == ("item", 12, "director")
    assert "directed by" in director.aliases
    assert index.evidence(f"{WD}Q5", "P569") == (91, 91)
    assert index.hierarchy.is_under(f"{WD}Q5", f"{WD}Q215627")
    assert [each.id for each in index.find("Regisseur")] or index.find("Regie")


async def test_constraints_of_every_kind(tmp_path: Path) -> None:
    path = tmp_path / "constraints.ttl"
    path.write_text(
        """@prefix wd: <http://www.wikidata.org/entity/> . @prefix p: <http://www.wikidata.org/prop/> .
@prefix ps: <http://www.wikidata.org/prop/statement/> . @prefix pq: <http://www.wikidata.org/prop/qualifier/> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> . @prefix wikibase: <http://wikiba.se/ontology#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
wd:P1 a wikibase:Property ; wikibase:propertyType wikibase:Time ; rdfs:label "one"@en, "eins"@de ; wdt:P1696 wd:P2 ;
  p:P2302 <urn:a>, <urn:b>, <urn:c>, <urn:d>, <urn:e>, <urn:f> .
<urn:a> ps:P2302 wd:Q21503250 ; pq:P2308 wd:Q5 ; pq:P2309 wd:Q21503252 ; pq:P2316 wd:Q62026391 ; pq:P2303 wd:Q76 .
<urn:b> ps:P2302 wd:Q21503250 ; pq:P2308 wd:Q6, <http://www.wikidata.org/.well-known/genid/x> ;
  pq:P2309 wd:Q21514624 ; pq:P2316 wd:Q21502408 .
<urn:c> ps:P2302 wd:Q21503250 ; pq:P2308 wd:Q666 ; wikibase:rank wikibase:DeprecatedRank .
<urn:d> ps:P2302 wd:Q21510865 ; pq:P2308 wd:Q7 ; pq:P2309 wd:Q30208840 ; pq:P2316 wd:Q62026391 .
<urn:e> ps:P2302 wd:Q21510851 ; pq:P2306 wd:P580, wd:P58 .
<urn:f> ps:P2302 wd:Q21503250 .
wd:P2 a wikibase:Property ; wikibase:propertyType wikibase:ExternalId .
""",
        encoding="utf-8",
    )
    index = await built(path)
    record = index.property("P1")
    assert record is not None
    assert record.domain is not None
    assert record.range is not None
    assert short(record.domain.classes) == ["Q5", "Q6"]
    assert record.domain.relation == "either"
    assert record.domain.status == "mandatory"
    assert short(sorted(record.domain.exceptions)) == ["Q76"]
    assert short(record.range.classes) == ["Q7"]
    assert (record.range.relation, record.range.status) == ("either", "suggestion")
    assert record.qualifiers == ("P58", "P580")
    assert record.inverse == "P2"
    assert dict(record.labels) == {"en": "one", "de": "eins"}
    other = index.property("P2")
    assert other is not None
    assert other.domain is None
    assert (other.kind, other.name) == ("external-id", "P2")


async def test_exceptions_beside_real_lines_that_only_name_their_property(shared: Path, tmp_path: Path) -> None:
    """The sample has no exception: what names P2303 there is its own record, and lists of allowed qualifiers."""
    with gzip.open(shared / "data" / "wikidata" / "properties.nt.gz", "rt", encoding="utf-8") as file:
        lines = [line for line in file if re.match(r"\S*/(P2303|P577)(-[a-z-]+)?> ", line)]
    qualifier = "<http://www.wikidata.org/prop/qualifier/P2303>"
    assert len(lines) > 20
    assert not any(line.split(" ")[1] == qualifier for line in lines)
    path = tmp_path / "lines.nt"
    path.write_text("".join(lines), encoding="utf-8")
    plain = await built(path)
    published = plain.property("P577")
    assert published is not None
    assert "P2303" in published.qualifiers
    assert not [each.id for each in plain.properties() if each.domain and each.domain.exceptions]
    statement = f"<{WD}statement/P2303-domain>"
    path.write_text("".join([*lines, *(f"{statement} {qualifier} <{WD}{each}> .\n" for each in ("Q42", "Q1"))]))
    found = (await built(path)).property("P2303")
    assert found is not None
    assert found.domain is not None
    assert short(sorted(found.domain.exceptions)) == ["Q1", "Q42"]


async def test_shared_wikidata(shared: Path) -> None:
    folder = shared / "data" / "wikidata"
    names = ("properties.nt.gz", "classes.tsv.gz", "class_ancestors.tsv.gz")
    index = await built(*(folder / name for name in names))
    assert index.counts["properties"] == 13_095
    assert index.counts["with_domain"] == 1_908
    assert index.counts["with_range"] == 1_197
    kinds = [each.kind for each in index.properties()]
    assert kinds.count("external-id") == 9_829
    assert kinds.count("item") == 1_745
    assert kinds.count("time") == 70
    assert index.hierarchy.known(f"{WD}Q5")
    assert index.hierarchy.is_under(f"{WD}Q6256", f"{WD}Q35120")


@pytest.fixture(scope="module")
def freebase(shared: Path) -> Index:
    """Return the index of triples and tables."""
    folder = shared / "data" / "freebase" / "schema"
    return asyncio.run(built(*(folder / each for each in ("schema.nt.gz", "fb_roles.tsv.gz", "cvt_types.txt.gz"))))


def test_shared_freebase_from_triples_and_tables(freebase: Index) -> None:
    index = freebase
    assert index.graph == "freebase"
    assert index.counts["properties"] == 26_143
    assert index.counts["with_domain"] == 24_411
    assert index.counts["with_range"] == 24_356
    actor = index.property("film.performance.actor")
    assert actor is not None
    assert actor.domain is not None
    assert actor.range is not None
    assert (short(actor.domain.classes), short(actor.range.classes)) == (["film.performance"], ["film.actor"])
    assert actor.inverse == "film.actor.film"
    born = index.property(f"{NS}people.person.date_of_birth")
    assert born is not None
    assert born.kind == "time"
    performance, value = index.class_info("film.performance"), index.class_info("type.datetime")
    assert performance is not None
    assert value is not None
    assert performance.mediator
    assert value.mediator
    assert index.hierarchy.is_under(f"{NS}film.actor", f"{NS}people.person")
    # Both sources agree but for one property; two lines of the table run into each other.
    assert len(index.notes) == 3
    assert any("context_name.nickname" in note for note in index.notes)


async def test_freebase_from_tables_alone_equals_that_from_triples(shared: Path, freebase: Index) -> None:
    folder = shared / "data" / "freebase" / "schema"
    names = ("fb_roles.tsv.gz", "fb_types.tsv.gz", "reverse_properties.tsv.gz")
    tables = await built(*(folder / name for name in names), graph="freebase")
    different = 0
    for one in tables.properties():
        other = freebase.property(one.iri)
        assert other is not None
        assert one.domain == other.domain
        different += one.range != other.range or one.inverse != other.inverse
    assert tables.counts["properties"] > 19_000
    assert different == 1


async def test_shared_void_of_uniprot(shared: Path) -> None:
    index = await built(shared / "data" / "benchmarks" / "biomedical" / "void_uniprot.ttl.gz")
    assert index.graph == "rdf"
    organism = index.property("up:organism")
    assert organism is not None
    assert organism.domain is not None
    assert organism.domain.source == "induced"
    assert "http://purl.uniprot.org/core/Protein" in organism.domain.classes
    found = index.evidence("http://purl.uniprot.org/core/Protein", "up:organism")
    assert found is not None
    assert 0 < found[0] <= found[1]
    assert index.counts["with_domain"] == 0


async def test_shared_void_without_counts(shared: Path) -> None:
    index = await built(shared / "data" / "benchmarks" / "biomedical" / "void_pubchem.ttl.gz")
    parent = index.property("vocab:has_parent")
    assert parent is not None
    assert parent.domain is not None
    assert parent.domain.classes == ("http://rdf.ncbi.nlm.nih.gov/pubchem/vocabulary#Compound",)


async def test_a_property_that_nobody_declared_is_sampled(tmp_path: Path) -> None:
    path = tmp_path / "data.nt"
    lines = [f"<urn:e{n}> <urn:knows> <urn:e{(n + 1) % 200}> ." for n in range(200)]
    lines += [f"<urn:e{n}> <{TYPE}> <urn:{'Dog' if n % 20 == 0 else 'Person'}> ." for n in range(200)]
    lines += [
        "<urn:knows> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://www.w3.org/2002/07/owl#ObjectProperty> ."
    ]
    path.write_text("\n".join(lines))
    index = await built(path)
    record = index.property("urn:knows")
    assert record is not None
    assert record.domain is not None
    assert record.range is not None
    assert record.domain.classes == record.range.classes == ("urn:Person",)
    assert record.domain.source == "induced"
    assert record.domain.support == 50
    assert 0.8 < record.domain.share < 1
    assert index.evidence("urn:Person", "urn:knows") == (190, 190)


async def test_wrong_files_are_named_with_what_to_do(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ttl"
    bad.write_text("this is no turtle")
    cut = tmp_path / "cut.nt.gz"
    cut.write_bytes(gzip.compress(b"<urn:a> <urn:b> <urn:c> .\n" * 1000)[:-20])
    table = tmp_path / "classes.tsv"
    table.write_text("class\tlabel\tsuperclasses\nQ5\thuman\tQ1 nonsense\n")
    empty = tmp_path / "empty.nt"
    empty.touch()
    for path, words in (
        (bad, "not the RDF"),
        (cut, "cut.nt.gz"),
        (tmp_path / "absent.ttl", "no such file"),
        (tmp_path / "graph.xyz", "no such file"),
        (empty, "no properties"),
    ):
        with pytest.raises(UsageError, match=words):
            await built(path)
    with pytest.raises(UsageError, match=r"classes.tsv, line 2: 'nonsense'"):
        await built(DEMO, table)
    with pytest.raises(UsageError, match="tables are for"):
        await built(DEMO, table, graph="rdf")


async def test_build_show_and_stats_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "demo.index"

    async def call(*words: str) -> int:
        parser = argparse.ArgumentParser()
        commands.commands(parser)
        args = parser.parse_args(words)
        return int(await args.call(None, args))

    assert await call("build", "--from", str(DEMO), "--out", str(out)) == 0
    assert "72 properties" in capsys.readouterr().err
    assert await call("show", "P57", "--index", str(out)) == 0
    assert "director (P57)" in capsys.readouterr().out
    assert await call("show", "Q5", "--index", str(out)) == 0
    assert "superclasses: person (Q215627)" in capsys.readouterr().out
    assert await call("show", "date of birth", "--index", str(out)) == 1
    assert "P569" in capsys.readouterr().out
    assert await call("stats", "--index", str(out)) == 0
    assert "properties: 72" in capsys.readouterr().out
    with pytest.raises(UsageError, match="folder"):
        await call("build", "--from", str(DEMO), "--out", str(tmp_path / "absent" / "x"))
