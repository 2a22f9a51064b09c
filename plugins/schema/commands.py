"""`saga schema`: build an index, and look inside one."""

from __future__ import annotations

import argparse
import datetime
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from plugins.schema.annotation import annotation, class_name, side_text, tidy
from plugins.schema.index import Index
from plugins.schema.model import GRAPHS, ClassInfo, GraphKind, Property
from proxy.contract import Context
from proxy.errors import UpstreamError, UsageError

if TYPE_CHECKING:
    from plugins.schema.builders.progress import Progress
    from plugins.schema.builders.recipe import Recipe

_EXAMPLE = """examples:
  saga schema build --from ontology.ttl shapes.ttl --out mine.index
  saga schema build --endpoint wikidata --config my.toml --out wikidata.index
  saga schema show P57
  saga schema stats --index wikidata.index

A build from an endpoint is polite and slow. What was answered is kept in FILE.work until it is done: the same command
goes on where it was interrupted. Tables: `class label superclasses` and `class ancestors` (Wikidata), `domain property
range`, `class meta.subclassOf class`, `property reverse` (Freebase), as .tsv, also compressed"""
_SHOWN = 20
# The guard opens indexes at its start, and what makes or reads one must work before there is any.
WITHOUT = frozenset(("plugins.schema.guard",))


def commands(parser: argparse.ArgumentParser) -> None:
    """Declare the three commands."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.set_defaults(without=WITHOUT)
    each = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _declare_build(each.add_parser("build", help="make an index from an endpoint or from files"))
    for name, call, text in (("show", show, "one property or class"), ("stats", stats, "what an index holds")):
        command = each.add_parser(name, help=text)
        _place(command)
        if name == "show":
            command.add_argument("id", metavar="ID", help="an id or IRI, such as P57, Q5, film.film.starring")
        which = command.add_mutually_exclusive_group()
        which.add_argument("--endpoint", metavar="NAME", help="whose `schema` key names the index; the first one")
        which.add_argument("--index", type=Path, metavar="FILE", help="an index file, whatever the configuration says")
        command.set_defaults(call=call)


def _declare_build(command: argparse.ArgumentParser) -> None:
    _place(command)
    command.epilog = _EXAMPLE
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    source = command.add_mutually_exclusive_group()
    source.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    source.add_argument("--from", dest="files", nargs="+", type=Path, metavar="FILE", help="RDF files and tables")
    command.add_argument("--out", type=Path, required=True, metavar="FILE", help="the index to write")
    command.add_argument("--graph", choices=GRAPHS, default="", help="kind of graph; found out by looking")
    command.add_argument("--languages", default="en,de,es,fr,ru,zh", help="languages of labels, the best first")
    command.add_argument("--hierarchy", choices=("above", "whole"), default="above",
                         help="what is read of an endpoint's classes: above those of constraints, or all")  # fmt: skip
    command.add_argument("--ancestors", choices=("fill", "join"), default="fill",
                         help="tables of ancestors stand in for missing superclasses, or join all")  # fmt: skip
    command.add_argument("--measure", action="store_true",
                         help="also count and sample the endpoint's whole graph; for one of your own")  # fmt: skip
    command.add_argument("--pause", type=float, default=0.5, metavar="SECONDS", help="between two queries")
    command.add_argument("--page", type=int, default=5_000, metavar="ROWS", help="rows of one query")
    for part in ("constraints", "hierarchy"):
        command.add_argument(f"--{part}-date", type=datetime.date.fromisoformat, metavar="YYYY-MM-DD",
                             help=f"the day that the {part} are of; more than a year apart they only warn")  # fmt: skip
    command.set_defaults(call=build)


def _place(command: argparse.ArgumentParser) -> None:
    # The same two that stand before the action; after it they may be said too.
    where = command.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE")
    where.add_argument("--server", default=argparse.SUPPRESS, metavar="URL")


async def build(context: Context, args: argparse.Namespace) -> int:
    """Build an index and write it as a whole. Raises UsageError, ConfigError."""
    # Builders need rdflib and pyoxigraph; looking into an index does not.
    from plugins.schema.builders.progress import Progress
    from plugins.schema.builders.recipe import Recipe, from_files

    days = {part: getattr(args, f"{part}_date") for part in ("constraints", "hierarchy")}
    recipe = Recipe(
        graph=args.graph,
        languages=[each.strip() for each in args.languages.split(",") if each.strip()] or ["en"],
        hierarchy=args.hierarchy,
        ancestors=args.ancestors,
        dates={part: day.isoformat() for part, day in days.items() if day},
    )
    progress = Progress()
    if not args.out.parent.is_dir():
        raise UsageError(f"--out {args.out}: its folder does not exist")
    try:
        if args.files:
            (await from_files(args.files, recipe, progress)).write(args.out)
        else:
            await _from_endpoint(context, args, recipe, progress)
    except UpstreamError as error:
        progress.end()
        progress.say(f"saga: {error.detail} Run the same command again: it goes on where it was.")
        return 3
    index = Index.open(args.out)
    progress.say(f"{args.out}: {args.out.stat().st_size / 1e6:,.1f} MB, {_counted(index)}")
    index.close()
    return 0


async def _from_endpoint(context: Context, args: argparse.Namespace, recipe: Recipe, progress: Progress) -> None:
    from plugins.schema.builders.answers import EndpointAnswers, Manners
    from plugins.schema.builders.recipe import from_answers
    from plugins.schema.builders.work import Work

    name = _endpoint(context, args)
    if args.page < 1 or not 0 <= args.pause <= 3600:
        raise UsageError("--page must be at least 1, --pause from 0 to 3600")
    recipe = _as_configured(context, name, recipe)
    table = context.tables[name]
    # Of another address under the same name no answer may be taken for one of this.
    work = Work(Path(f"{args.out}.work"), f"{name} {table.store or table.url} {recipe.graph}")
    if work.resumed:
        progress.say(f"going on: {work.resumed:,} answers are there already")
    try:
        manners = Manners(page_rows=args.page, pause_s=args.pause)
        answers = EndpointAnswers(context, name, work, manners, whole=args.measure)
        (await from_answers(answers, recipe, progress)).write(args.out)
        work.remove()
    finally:
        work.close()


def _as_configured(context: Context, name: str, recipe: Recipe) -> Recipe:
    """Let the endpoint's table say what nobody said on the command line. `rdf` is also what nobody chose."""
    profile = context.tables[name].graph
    graph: GraphKind | Literal[""] = next((each for each in GRAPHS if each == profile and each != "rdf"), "")
    return replace(recipe, graph=recipe.graph or graph, prefixes=context.prefixes.get(name, {}))


async def show(context: Context, args: argparse.Namespace) -> int:
    """Print one property or class. Exit code 1 where the index has none of that name."""
    index = Index.open(_index(context, args))
    record, info = index.property(args.id), index.class_info(args.id)
    if record is not None:
        _write(_property_lines(index, record))
    elif info is not None:
        _write(_class_lines(index, info))
    else:
        near = [f"  {annotation(index, each)}" for each in index.find(args.id, 5)]
        _write([f"The index has no property or class {tidy(args.id)!r}.", *(["Perhaps:", *near] if near else [])])
    return 1 if record is None and info is None else 0


def _index(context: Context, args: argparse.Namespace) -> Path:
    """Return the file to look into. Raises UsageError where nothing names one."""
    if args.index is not None:
        return Path(args.index)
    if getattr(args, "server", None):
        raise UsageError("the index of a running proxy is shown by /schema?id=ID there; here --index names a file")
    path = context.tables[_endpoint(context, args)].schema
    if path is None:
        raise UsageError("the endpoint has no `schema` key; `saga schema build` makes an index, --index names one")
    return path


def _endpoint(context: Context, args: argparse.Namespace) -> str:
    """Return the endpoint that is meant: the first one where none is named. Raises UsageError."""
    name: str = args.endpoint or next(iter(context.endpoints))
    if name not in context.endpoints:
        raise UsageError(f"there is no endpoint {name!r}; there are {', '.join(context.endpoints)}")
    return name


async def stats(context: Context, args: argparse.Namespace) -> int:
    """Print what an index holds."""
    index = Index.open(_index(context, args))
    lines = [f"graph: {index.graph}", f"built: {index.built:%Y-%m-%d %H:%M} UTC"]
    lines += [f"{part} of: {day}" for part, day in index.dates.items()]
    if index.parts_apart():
        lines.append("constraints and hierarchy are more than a year apart: conflicts only warn")
    lines += [f"{name.replace('_', ' ')}: {count:,}" for name, count in index.counts.items()]
    _write([*lines, *(f"note: {tidy(note)}" for note in index.notes)])
    return 0


def _property_lines(index: Index, record: Property) -> list[str]:
    lines = [annotation(index, record), f"iri: {record.iri}", f"usage: {record.usage:,}"]
    for name, side in (("domain", record.domain), ("range", record.range)):
        if side:
            count = f"{len(side.classes):,} class{'es' * (len(side.classes) != 1)}"
            lines.append(f"{name}: {side.source}, {side.status}, {count}: {side_text(index, side)}")
            lines += [f"  except {iri}" for iri in sorted(side.exceptions)[:_SHOWN]]
    lines += [f"inverse: {record.inverse}"] if record.inverse else []
    lines += [f"qualifiers: {', '.join(record.qualifiers)}"] if record.qualifiers else []
    lines += [f"aliases: {' | '.join(map(tidy, record.aliases))}"] if record.aliases else []
    return lines


def _class_lines(index: Index, info: ClassInfo) -> list[str]:
    hierarchy = index.hierarchy
    lines = [class_name(index, info.iri) + (f": {tidy(info.description)}" if info.description else "")]
    known = "reaches the root" if hierarchy.known(info.iri) else "reaches no root: conflicts are doubtful"
    above = ", ".join(class_name(index, iri) for iri in hierarchy.parents(info.iri)[:_SHOWN])
    lines += [f"iri: {info.iri}", f"superclasses: {above or 'none'}"]
    lines.append(f"{len(hierarchy.up(info.iri)):,} classes with all above it; {known}")
    if info.mediator:
        lines.append("a mediator or plain value: never a thing")
    seen = sorted(index.typical(info.iri), key=lambda pair: (-pair[1], pair[0].id))[:_SHOWN]
    lines += [f"seen with: {tidy(record.name)} ({record.id}) on {count:,}" for record, count in seen]
    return lines


def _counted(index: Index) -> str:
    counts = index.counts
    return (
        f"{counts['properties']:,} properties ({counts['with_domain']:,} with domain, {counts['with_range']:,} with "
        f"range), {counts['classes']:,} classes ({counts['known_classes']:,} reach a root)"
    )


def _write(lines: list[str]) -> None:
    sys.stdout.write("".join(f"{line}\n" for line in lines))
