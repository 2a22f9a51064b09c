"""`saga search`: build a text index, find something in it, learn which words people use for a property."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import aiohttp

from plugins.search.desk import desks, line
from plugins.search.hit import KINDS, LANGUAGE, LIMIT, MOST_HITS, ClassName, Hit
from plugins.search.options import SearchEndpoint, SearchOptions
from proxy.contract import Context
from proxy.errors import UsageError

_EXAMPLE = """examples:
  saga search build --out demo.search
  saga search build --from graph.nt.gz labels.ttl --out mine.search
  saga search find "Marie Curie" --index mine.search
  saga search learn questions.jsonl.gz --out mine.search

A build is written beside the index that is there and takes its place at the end; proxies that run take the new one.
Interrupted, the same command goes on where it was. Memory stays the same however large the graph is."""


def commands(parser: argparse.ArgumentParser) -> None:
    """Declare the three commands."""
    parser.epilog = _EXAMPLE
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    each = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    _declare_build(each.add_parser("build", help="make a text index from an endpoint or from RDF files"))
    _declare_find(each.add_parser("find", help="find entities and properties by name"))
    _declare_learn(each.add_parser("learn", help="learn words for properties from questions with queries"))


def _declare(command: argparse.ArgumentParser) -> None:
    # The same two that stand before the action; after it they may be said too.
    where = command.add_mutually_exclusive_group()
    where.add_argument("--config", type=Path, default=argparse.SUPPRESS, metavar="FILE")
    where.add_argument("--server", default=argparse.SUPPRESS, metavar="URL")
    command.epilog = _EXAMPLE
    command.formatter_class = argparse.RawDescriptionHelpFormatter


def _declare_build(command: argparse.ArgumentParser) -> None:
    _declare(command)
    source = command.add_mutually_exclusive_group()
    source.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    source.add_argument("--from", dest="files", nargs="+", type=Path, metavar="FILE", help="RDF files, also packed")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the index")
    command.add_argument("--graph", default="", help="profile: wikidata, freebase or rdf; found out by looking")
    command.add_argument("--languages", default="", help="preferred languages, the best first; all are found")
    for name, text in (("label", "names"), ("alias", "other names"), ("description", "descriptions")):
        command.add_argument(f"--{name}", nargs="+", default=[], metavar="IRI", help=f"further predicates of {text}")
    text = "also count the triples of a remote endpoint's whole graph; for one of your own"
    command.add_argument("--measure", action="store_true", help=text)
    command.add_argument("--pause", type=float, default=0.5, metavar="SECONDS", help="between two queries")
    command.add_argument("--page", type=int, default=5_000, metavar="ROWS", help="rows of one query")
    command.set_defaults(call=build)


def _declare_find(command: argparse.ArgumentParser) -> None:
    _declare(command)
    command.add_argument("text", metavar="TEXT")
    command.add_argument("--kind", choices=KINDS, help="entities or properties only")
    command.add_argument("--language", default="", metavar="TAG", help="preferred language, such as de")
    command.add_argument("--limit", type=int, default=LIMIT, metavar="N", help=f"at most so many, up to {MOST_HITS}")
    command.add_argument("--endpoint", metavar="NAME", help="an endpoint of the configuration; the first one")
    command.add_argument("--index", type=Path, metavar="DIR", help="the index; that of the endpoint's `search` key")
    command.add_argument("--json", action="store_true", help="print JSON as /search answers it")
    command.set_defaults(call=find)


def _declare_learn(command: argparse.ArgumentParser) -> None:
    _declare(command)
    text = "lines of JSON with `question` (a text, or texts by language) and `sparql` or `query`"
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=text)
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder that learned.gz goes to")
    command.add_argument("--endpoint", metavar="NAME", help="whose prefixes the queries may use; the first one")
    command.set_defaults(call=learn)


async def build(context: Context, args: argparse.Namespace) -> int:
    """Build an index. Raises UsageError, ConfigError."""
    # Builders need pyoxigraph and tantivy's writer; looking something up does not.
    from plugins.search.assembly import assembled

    return await assembled(context, args)


async def find(context: Context, args: argparse.Namespace) -> int:
    """Print what is called so. Exit code 1 where nothing is."""
    if not args.text.strip():
        raise UsageError("say what to search for")
    if not 1 <= args.limit <= MOST_HITS:
        raise UsageError(f"--limit must be from 1 to {MOST_HITS}")
    if args.language and not LANGUAGE.fullmatch(args.language):
        raise UsageError("--language takes a tag such as en or zh-hans")
    server = getattr(args, "server", None)
    hits = await (_from_server(server, args) if server else _in_process(context, args))
    if args.json:
        sys.stdout.write(json.dumps({"candidates": [hit.document() for hit in hits]}, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("".join(f"{line(hit)}  {hit.match}, {hit.source}\n" for hit in hits))
    if not hits:
        sys.stderr.write("saga: nothing is called so\n")
    return 0 if hits else 1


async def _in_process(context: Context, args: argparse.Namespace) -> list[Hit]:
    name = chosen(context, args.endpoint)
    table = SearchEndpoint(index=args.index) if args.index else SearchEndpoint()
    async with desks(context, SearchOptions(endpoints={name: table})) as found:
        looked = await found[name].search(args.text, args.kind, args.language.lower(), args.limit)
    for each in looked.consulted:
        if each.state == "failed":
            sys.stderr.write(f"saga: {each.source}: {each.detail}\n")
    return looked.hits


async def _from_server(server: str, args: argparse.Namespace) -> list[Hit]:
    tail = f"/{args.endpoint}" if args.endpoint else ""
    fields = {"q": args.text, "kind": args.kind or "", "language": args.language, "limit": str(args.limit)}
    try:
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session,
            session.get(f"{server.rstrip('/')}/search{tail}", params={k: v for k, v in fields.items() if v}) as reply,
        ):
            document = await reply.json(content_type=None)
            if reply.status != 200:
                raise UsageError(f"{server}: {document.get('detail', f'status {reply.status}')}")
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise UsageError(f"{server} cannot be searched: {error}") from error
    return [_hit(each) for each in document["candidates"]]


def _hit(found: dict[str, Any]) -> Hit:
    classes = tuple(ClassName(each["iri"], each["id"], each["label"]) for each in found.pop("classes", ()))
    return Hit(**found, classes=classes)


async def learn(context: Context, args: argparse.Namespace) -> int:
    """Learn from files and write what was learned. Raises UsageError, ConfigError."""
    from plugins.search import lessons

    name = chosen(context, args.endpoint)
    taught = lessons.Lessons(args.files, context.tables[name].graph, context.prefixes[name])
    learned = taught.learned()
    path = learned.write(args.out)
    print(
        f"{path}: {len(learned.entries):,} words and pairs for properties from {learned.questions:,} questions; "
        f"{taught.skipped:,} lines without question, query or property were left out"
    )
    return 0 if learned.entries else 1


def chosen(context: Context, name: str | None) -> str:
    """Return an endpoint of the configuration, the first one where none is named. Raises UsageError."""
    name = name or next(iter(context.endpoints))
    if name not in context.endpoints:
        raise UsageError(f"no endpoint {name!r}; the configuration has {', '.join(context.endpoints)}")
    return name
