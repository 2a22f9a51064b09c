"""The `[search]` table of the configuration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from urllib.parse import urlsplit

from proxy.settings import NONE, EndpointTable, key

_PLACES = {"text", "language", "kind", "limit"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEndpoint:
    """A `[search.endpoints.NAME]` table."""

    index: Path | None = key("folder of the index, as `saga search build` writes it; it may come later", None)
    build: bool = key("build the index from the endpoint where the folder has none; for small graphs", False)
    remote: str = key(
        "address of a search API like Wikidata's wbsearchentities, with {text}, {language}, {kind} and {limit} in it",
        "",
    )
    labels: bool = key("ask the endpoint itself for labels where nothing else finds anything", True)
    languages: tuple[str, ...] = key("languages of names, the best first; absent are those of the index", ())


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """The `[search]` table."""

    optional: bool = key("start without an index that is damaged or of another graph", False)
    remote_s: float = key("seconds that a remote search may take", 3.0)
    remote_concurrency: int = key("remote searches at the same time, per endpoint", 2)
    labels_s: float = key("seconds that the label queries of one search may take", 2.0)
    contact: str = key("address or page of the operator, for the User-Agent of remote searches", "")
    endpoints: Mapping[str, SearchEndpoint] = key("what holds for single endpoints", NONE)

    def mistakes(self, known: Mapping[str, EndpointTable]) -> Iterator[str]:
        """Say what is well formed and still cannot work."""
        for name, table in self.endpoints.items():
            where = f"search.endpoints.{name}"
            if table.build and table.index is None and index_of(known.get(name)) is None:
                yield f"{where}.build: name the folder that the index goes to, as `index`"
            if table.remote:
                yield from _remote_mistakes(f"{where}.remote", table.remote)
        if not self.remote_concurrency:
            yield "search.remote_concurrency: must be at least 1"


def index_of(table: EndpointTable | None) -> Path | None:
    """Return the `search` key of an endpoint's own table."""
    return table.search if table else None


def _remote_mistakes(where: str, address: str) -> Iterator[str]:
    if urlsplit(address).scheme not in ("http", "https"):
        yield f"{where}: must begin with http:// or https://"
    try:
        places = {name for _, name, _, _ in Formatter().parse(address) if name is not None}
    except ValueError as error:
        yield f"{where}: {error}"
        return
    if "text" not in places:
        yield f"{where}: must have {{text}} where the text goes"
    for name in sorted(places - _PLACES):
        yield f"{where}: {{{name}}} is not known; known are {', '.join(sorted(_PLACES))}"
