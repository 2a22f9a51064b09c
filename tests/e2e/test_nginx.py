"""nginx in front of the proxy, as most operators have it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from proxy.results import Format
from tests import stage
from tests.fronts import LARGE
from tests.profiles import results
from tests.upstream import Answer, Upstream

SELECT = {"query": "SELECT * { ?s ?p ?o }"}


@contextlib.asynccontextmanager
async def behind_nginx(up: Upstream, folder: Path, audit: Path) -> AsyncIterator[str]:
    if shutil.which("nginx") is None:
        pytest.skip("nginx is not installed (Debian: nginx-light)")
    tables = {
        "server": {"trusted_proxies": ["127.0.0.0/8"]},
        "endpoints": {"up": {"url": up.url}},
        "plugins": {"enabled": ["plugins.audit"]},
        "audit": {"file": str(audit)},
    }
    async with stage.proxy(tables) as proxy:
        front = stage.nginx(proxy, folder)
        url = await asyncio.to_thread(front.__enter__)
        try:
            yield url + "/sparql"
        finally:
            await asyncio.to_thread(front.__exit__, None, None, None)


@pytest.mark.parametrize("count", [3, LARGE])
async def test_an_answer_is_the_same_through_nginx_and_the_client_is_known(tmp_path: Path, count: int) -> None:
    body = results(Format.JSON, count)
    async with Upstream(Answer(body=body)) as up, behind_nginx(up, tmp_path / "n", tmp_path / "audit") as url:
        headers = {"X-Forwarded-For": "198.51.100.9"}
        async with aiohttp.ClientSession() as session, session.post(url, data=SELECT, headers=headers) as reply:
            assert await reply.read() == body
            assert reply.headers["X-Request-Id"]
    # nginx adds the address that it sees, 127.0.0.1, which is a trusted proxy itself.
    assert json.loads((tmp_path / "audit").read_text().splitlines()[-1])["address"] == "198.51.100.9"


async def test_a_broken_answer_is_broken_through_nginx_too(tmp_path: Path) -> None:
    body = results(Format.JSON, LARGE)
    cut = Answer(body=body, cut=len(body) - 100)
    async with (
        Upstream(cut) as up,
        behind_nginx(up, tmp_path / "n", tmp_path / "audit") as url,
        aiohttp.ClientSession() as session,
        session.post(url, data=SELECT) as reply,
    ):
        with pytest.raises(aiohttp.ClientError):
            await reply.read()
