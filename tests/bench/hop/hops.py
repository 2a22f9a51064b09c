"""The hops that are compared, each a process of its own in front of the same endpoint."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import stage
from tests.bench.hop import nginx
from tests.bench.hop.nginx import Served

# More than the connections of any run: what is measured is the cost of a query, not the word "busy".
_PLACES = 512

_OURS = """
[server]
port = {port}
log_level = "warning"
[endpoints.up]
url = "http://{address}/sparql"
concurrency = {places}
[plugins]
enabled = []
"""

_TRIFID = """
server:
  listener: {{ port: {port}, host: 127.0.0.1 }}
  logLevel: error
plugins:
  sparql-proxy:
    module: "@zazuko/trifid-plugin-sparql-proxy"
    paths: /sparql
    config: {{ endpointUrl: "http://{address}/sparql" }}
"""


@contextlib.contextmanager
def hops(folder: Path, endpoint: Served, trifid: Path | None, tree: Path) -> Iterator[dict[str, Served]]:
    """Start every hop and yield them by name. ``tree`` is the checkout whose proxy is measured."""
    with contextlib.ExitStack() as stack:
        address = endpoint.address
        made = {
            "direct": endpoint,
            "nginx": stack.enter_context(nginx.reverse_proxy(folder, address)),
            "aiohttp": stack.enter_context(_bare(address, "asyncio")),
            "aiohttp+uvloop": stack.enter_context(_bare(address, "uvloop")),
            "saga": stack.enter_context(saga(folder, _OURS, address, tree)),
        }
        if trifid is not None:
            made["trifid"] = stack.enter_context(_trifid(folder, address, trifid))
        yield made


@contextlib.contextmanager
def saga(folder: Path, config: str, address: str, tree: Path) -> Iterator[Served]:
    """Serve a configuration with the proxy of a checkout, by the command that users give."""
    port = stage.free_port()
    file = folder / f"saga-{port}.toml"
    file.write_text(config.format(port=port, address=address, places=_PLACES, folder=folder))
    words = [sys.executable, "-m", "proxy", "serve", "--config", str(file)]
    with stage.process(words, cwd=tree) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child)
        yield Served(f"127.0.0.1:{port}", child.pid)


@contextlib.contextmanager
def _bare(address: str, loop: str) -> Iterator[Served]:
    port = stage.free_port()
    words = [sys.executable, "-m", "tests.bench.hop.bare", str(port), f"http://{address}/sparql", loop]
    with stage.process(words, cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/", child)
        yield Served(f"127.0.0.1:{port}", child.pid)


@contextlib.contextmanager
def _trifid(folder: Path, address: str, packages: Path) -> Iterator[Served]:
    """Start trifid out of a folder in which npm installed it and its SPARQL plugin."""
    port = stage.free_port()
    # In the folder of the packages: trifid looks for plugins beside its configuration.
    config = packages / "bench.yaml"
    config.write_text(_TRIFID.format(port=port, address=address))
    node = stage.program("node")
    if node is None:
        raise SystemExit("trifid needs node")
    words = [node, str(packages / "node_modules" / "trifid-core" / "server.js"), "--config", config.name]
    with stage.process(words, cwd=packages) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/", child, 60)
        yield Served(f"127.0.0.1:{port}", child.pid)
