"""Questions in plain language: the page /nl, and `saga ask`.

Stands on `plugins.search`, which must come before it in the list, and on `plugins.schema.guard` where that is on.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from plugins.nl.lanes import Clients
from plugins.nl.office import Office, modelled
from plugins.nl.options import NlOptions
from plugins.nl.pages import Pages
from proxy.contract import Context, Plugin, Query, Reply, Route, Run
from proxy.settings import Settings


class Nl(Plugin):
    """Answer questions, and give way to the queries of clients. A question that fails stops nothing.

    ``office`` makes the inquiries, also those of others that stand on this plugin; it is there while it runs.
    """

    office: Office

    Options = NlOptions

    def __init__(self, options: NlOptions) -> None:
        super().__init__(options)
        self._options: NlOptions = options
        self._pages = Pages(options)
        self._clients = Clients()

    def mistakes(self, settings: Settings) -> Iterable[str]:
        """Say what is wrong with `[nl]` and `[llm]`."""
        return self._options.mistakes(settings.endpoints)

    async def query(self, query: Query, run: Run) -> Reply:
        """Take note that a client is there."""
        if query.source == "client":
            self._clients.note(query.endpoint)
        return await run(query)

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Open what questions are answered with. Raises ConfigError."""
        async with modelled(context, self._options.llm) as model:
            self.office = Office(context, self._options, model, self._clients)
            async with self._pages.opened(context, self.office):
                yield

    @property
    def settings(self) -> NlOptions:
        """What the configuration says."""
        return self._options

    @property
    def longest_question(self) -> int:
        """The longest question that is taken, in characters."""
        return self._options.longest_question

    def routes(self) -> Sequence[Route]:
        """Add /nl."""
        return self._pages.routes()
