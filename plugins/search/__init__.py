"""Find entities and properties by what people call them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from plugins.search.desk import Desk, desks
from plugins.search.hit import Hit, Kind, Searcher
from plugins.search.learned import Learned
from plugins.search.options import SearchOptions
from plugins.search.pages import Pages
from proxy.contract import Context, Plugin, Route
from proxy.settings import Settings

__all__ = ["Desk", "Hit", "Kind", "Learned", "Search", "SearchOptions", "Searcher", "desks"]


class Search(Plugin):
    """Answer /search. It never touches a query; a source that fails is passed over, and the answer says so."""

    Options = SearchOptions

    def __init__(self, options: SearchOptions) -> None:
        super().__init__(options)
        self._settings = options
        self._desks: dict[str, Desk] = {}
        self._pages = Pages(self._desks)

    def mistakes(self, settings: Settings) -> Iterable[str]:
        """Say what is wrong with `[search]`."""
        return self._settings.mistakes(settings.endpoints)

    @asynccontextmanager
    async def lifespan(self, context: Context) -> AsyncIterator[None]:
        """Open the indexes. Raises ConfigError for one that cannot be used, unless the config says to go on."""
        self._pages.open(context)
        async with desks(context, self._settings) as found:
            self._desks.update(found)
            context.parts["search"] = self._problem
            yield
        self._desks.clear()

    def searcher(self, endpoint: str) -> Searcher:
        """Return what an endpoint is searched with. Raises KeyError for one that is not configured."""
        return self._desks[endpoint]

    async def _problem(self) -> str:
        """Say which indexes cannot be used. Why names files of this machine, and stands in the log."""
        broken = [name for name, desk in self._desks.items() if desk.problem]
        return f"the text index of {', '.join(broken)} cannot be used; the log says why" if broken else ""

    def routes(self) -> Sequence[Route]:
        """Add /search."""
        return self._pages.routes()
