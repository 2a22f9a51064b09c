"""The Wikidata sample as a strategy meets it: store, schema and text index behind the proxy's own chain."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from proxy.contract import Context
from proxy.core import Core
from proxy.loader import check
from tests import stage
from tests.bench import stores
from tests.bench.guard.indexes import index

ENDPOINT = "wikidata"
_BUILD = """
import sys
from proxy.__main__ import COMMANDS, main
COMMANDS.setdefault("search", ("plugins.search.commands", "search"))
sys.exit(main(sys.argv[1:]))
"""


def search_index(store: str) -> Path:
    """Return the text index of a store, built by `saga search build` if it is not there."""
    path = stage.ROOT / "data" / "indexes" / f"{store}.search"
    if not path.exists():
        config = path.with_suffix(".toml")
        config.write_text(f'[endpoints.{ENDPOINT}]\nstore = "{stores.store(store)}"\ngraph = "wikidata"\n')
        words = ["search", "build", "--config", str(config), "--out", str(path)]
        subprocess.run([sys.executable, "-c", _BUILD, *words], cwd=stage.ROOT, check=True)
    return path


def tables(store: str) -> dict[str, Any]:
    """Return the configuration of a store."""
    return {
        "endpoints": {
            ENDPOINT: {
                "store": str(stores.store(store)),
                "graph": "wikidata",
                "schema": str(index("wikidata")),
                "guard": "warn",
            }
        },
        "plugins": {"enabled": ["plugins.schema.guard", "plugins.search"]},
        "search": {"endpoints": {ENDPOINT: {"index": str(search_index(store))}}},
    }


@asynccontextmanager
async def opened(store: str) -> AsyncIterator[Context]:
    """Open a store by its name in `data/stores`."""
    async with Core(check(tables(store), stage.ROOT)).lifespan() as context:
        yield context
