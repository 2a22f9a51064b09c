"""One request is read in five files; this test says which, and that it is true."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import aiohttp

from tests import stage

ROOT = Path(__file__).parent.parent.parent

PATH = (
    "proxy/web.py",  # the page: who asks, what, and may they
    "proxy/protocol.py",  # the parts of the request become an operation and formats
    "plugins/audit.py",  # one plugin around the query, as `contract.compose` folded them
    "proxy/endpoints/embedded.py",  # the endpoint answers
    "proxy/streaming.py",  # and the reply goes out
)


async def test_a_request_travels_through_these_five_files_in_this_order(demo_store: Path, tmp_path: Path) -> None:
    config = {
        "endpoints": {"demo": {"store": str(demo_store)}},
        "plugins": {"enabled": ["plugins.audit"]},
        "audit": {"file": str(tmp_path / "audit.jsonl")},
    }
    entered: list[str] = []

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(str(ROOT)):
            name = str(Path(frame.f_code.co_filename).relative_to(ROOT))
            if name not in entered:
                entered.append(name)

    async with stage.proxy(config) as url, aiohttp.ClientSession() as session:
        async with session.get(url + "/health/ready"):
            pass
        sys.setprofile(note)
        try:
            async with session.post(url + "/sparql", data={"query": "ASK {}"}) as reply:
                assert reply.status == 200
        finally:
            sys.setprofile(None)
    assert [name for name in entered if name in PATH] == list(PATH)
