"""The gate on the small graph, for the tests of this folder."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.gated import Bench, bench, prepared


@pytest.fixture(scope="package")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("toy")


@pytest.fixture(scope="package")
def toy(folder: Path) -> dict[str, Any]:
    return asyncio.run(prepared(folder))


@pytest.fixture
async def gate(toy: dict[str, Any], folder: Path) -> AsyncIterator[Bench]:
    async with bench(toy, folder) as ready:
        yield ready
