"""The small graph's schema, for what reads queries against it."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Mapping

import pytest

from plugins.nl.tools import Knowledge
from plugins.schema.builders.progress import Progress
from plugins.schema.builders.recipe import Recipe, from_files
from plugins.schema.index import Index
from plugins.search import Hit
from plugins.search.hit import Kind
from proxy.graphs import BUILT_IN
from tests.saga import GRAPH


class NoSearch:
    """A search that finds nothing."""

    problem = ""

    async def find(self, text: str, kind: Kind | None = None, language: str = "", limit: int = 10) -> list[Hit]:
        return []

    def mentions(
        self, texts: Iterable[str], kind: Kind | None = None, language: str = "", limit: int = 10
    ) -> Mapping[str, list[Hit]]:
        return {}


@pytest.fixture(scope="package")
def index() -> Index:
    return asyncio.run(from_files([GRAPH], Recipe(), Progress(io.StringIO()))).index()


@pytest.fixture
def knowledge(index: Index) -> Knowledge:
    prefixes = BUILT_IN["wikidata"].prefixes
    return Knowledge(endpoint="toy", graph="wikidata", prefixes=prefixes, searcher=NoSearch(), index=lambda: index)
