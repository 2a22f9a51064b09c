"""What a command line says of a build, put together: source, profile, folder."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from plugins.schema.builders.answers import Manners
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.work import Work
from plugins.search.asking import EndpointSource, Politely, Streamed
from plugins.search.building import build
from plugins.search.commands import chosen
from plugins.search.profile import Profile, profile
from plugins.search.sources import Files, Source
from proxy.contract import Context
from proxy.errors import ProxyError, UsageError


async def assembled(context: Context, args: argparse.Namespace) -> int:
    """Build as the command line says. Raises UsageError, ConfigError; 3 where the endpoint does not answer."""
    if args.page < 1 or not 0 <= args.pause <= 3600:
        raise UsageError("--page must be at least 1, --pause from 0 to 3600")
    progress = Progress()
    try:
        async with _source(context, args) as (source, own):
            sealed = await build(source, own, args.out, progress)
    except ProxyError as error:
        progress.end()
        progress.say(f"saga: {error.detail} Run the same command again: it goes on where it was.")
        return 3
    size = sum(path.stat().st_size for path in sealed.folder.iterdir())
    counts = sealed.counts
    progress.say(
        f"{args.out}: {size / 1e6:,.1f} MB, {counts['names']:,} names of {counts['entities']:,} entities "
        f"({counts['classes']:,} classes) and {counts['properties']:,} properties"
    )
    return 0


@asynccontextmanager
async def _source(context: Context, args: argparse.Namespace) -> AsyncIterator[tuple[Source, Profile]]:
    if args.files:
        files = Files(args.files)
        yield files, _told(profile(args.graph or files.looks_like()), args, files.prefixes())
        return
    name = chosen(context, args.endpoint)
    table = context.tables[name]
    own = _told(profile(args.graph or table.graph), args, dict(context.prefixes[name]))
    if table.store is not None:
        yield EndpointSource(name, Streamed(context.run, name), own.reader(), measured=True), own
        return
    path = Path(f"{args.out}.work")
    path.parent.mkdir(parents=True, exist_ok=True)
    work = Work(path, f"{name} {own}")
    try:
        manners = Manners(page_rows=args.page, pause_s=args.pause)
        asked = Politely(context, name, work, manners)
        yield EndpointSource(name, asked, own.reader(), measured=args.measure), own
        work.remove()
    finally:
        work.close()


def _told(found: Profile, args: argparse.Namespace, prefixes: dict[str, str]) -> Profile:
    """Return a profile with what the command line adds to it."""
    languages = [each.strip().lower() for each in args.languages.split(",") if each.strip()]
    more = {"labels": args.label, "aliases": args.alias, "descriptions": args.description}
    return found.extended(languages=languages, prefixes=prefixes, **more)
