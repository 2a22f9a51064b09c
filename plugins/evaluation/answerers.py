"""Who answers the questions of a run: this process, by variant and by what was learned, or a proxy that runs."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from plugins.evaluation.answering import Answering, Asking, unread
from plugins.evaluation.lessons import FiveFold, Lessons
from plugins.evaluation.records import Record
from plugins.evaluation.remote import Remote
from plugins.evaluation.variants import Variant
from plugins.nl import Nl
from plugins.nl.model.client import ModelClient
from plugins.nl.office import modelled
from plugins.nl.options import NlOptions
from plugins.search.learned import Learned
from proxy.contract import Context
from proxy.errors import UsageError

# By the variant's name: who answers a record.
Answerers = Mapping[str, Callable[[Record], Asking]]


def options_of(context: Context, seconds: float | None) -> NlOptions:
    """Return what the configuration says of questions, and the command line over it. Raises UsageError."""
    plugin = context.plugin(Nl)
    options = plugin.settings if plugin else NlOptions()
    if seconds is None:
        return options
    if not seconds > 0:
        raise UsageError("--seconds must be above 0")
    return replace(options, seconds=seconds)


@asynccontextmanager
async def inside(
    context: Context, endpoint: str, options: NlOptions, chosen: Sequence[Variant], lessons: Lessons, first: Record
) -> AsyncIterator[Answerers]:
    """Answer in this process, all with one model. Raises UsageError, ConfigError for what cannot answer at all."""
    async with modelled(unread(context), options.llm) as model:
        makers = {each.name: _maker(context, endpoint, options, each, model, lessons) for each in chosen}
        for each in chosen:
            makers[each.name](first).demand(each.strategy)
        yield makers


def _maker(
    context: Context, endpoint: str, options: NlOptions, variant: Variant, model: ModelClient | None, lessons: Lessons
) -> Callable[[Record], Answering]:
    own = replace(options, switches=variant.switches)
    made: dict[int, Answering] = {}

    def of(record: Record) -> Answering:
        learned = lessons(record)
        if id(learned) not in made:
            made[id(learned)] = Answering(context, endpoint, own, model, learned)
        return made[id(learned)]

    return of


def outside(context: Context, args: argparse.Namespace, chosen: Sequence[Variant]) -> Answerers:
    """Let a proxy that runs answer. Raises UsageError for what only its own configuration can say."""
    if args.ablate or args.learned != "none":
        raise UsageError("--ablate and --learned are said in a configuration; name it with --config, without --server")
    remote = Remote(args.server, context.clock, args.seconds)
    return {each.name: lambda record: remote for each in chosen}


def lessons_of(how: str, context: Context, endpoint: str, given: Sequence[Record]) -> Lessons:
    """Return what is known of words for each record. Raises UsageError, ConfigError."""
    if how == "none":
        return lambda record: None
    if how == "five-fold":
        return FiveFold(given, context, endpoint)
    path = Path(how)
    if not path.exists():
        raise UsageError(f"--learned takes none, five-fold or a folder of `saga search learn`; {how} is none of them")
    learned = Learned.open(path, context.tables[endpoint].graph)
    return lambda record: learned
