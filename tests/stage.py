"""Real servers for tests and benches, each on a free port of loopback."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any

from proxy.endpoints.bulk import Bulk, Progress
from proxy.endpoints.rdf_file import rdf_file
from proxy.loader import check
from proxy.serve import listen
from proxy.worker import running

ROOT = Path(__file__).parent.parent
DEMO_GRAPH = ROOT / "config" / "demo" / "graph.ttl"


def free_port() -> int:
    """Return a port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def demo_store(folder: Path) -> Path:
    """Load the demo graph into a new store."""
    Bulk(files=[rdf_file(str(DEMO_GRAPH), None)], store=folder).run(Progress())
    return folder


@contextlib.asynccontextmanager
async def proxy(tables: Mapping[str, Any], folder: Path = ROOT) -> AsyncIterator[str]:
    """Serve a configuration in this process, through the real listener, and yield its address.

    Without a `plugins` table no plugin is on, so that what is tested is the core.
    """
    loaded = check({"plugins": {"enabled": []}, **tables}, folder)
    with listen("127.0.0.1", 0) as listener:
        async with running(loaded, listener):
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextlib.contextmanager
def oxigraph_server(store: Path) -> Iterator[str]:
    """Serve a store with the real Oxigraph, and yield the address of its queries."""
    program = Path(sys.executable).parent / "oxigraph"
    port = free_port()
    words = [str(program), "serve-read-only", "--location", str(store), "--bind", f"127.0.0.1:{port}"]
    with process(words) as child:
        wait_for(f"http://127.0.0.1:{port}/", child)
        yield f"http://127.0.0.1:{port}/query"


@contextlib.contextmanager
def process(words: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in a group of its own, and end the whole group."""
    child = subprocess.Popen(
        words, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options
    )
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGTERM)
        try:
            # Servers of tests hold nothing dear: Ctrl-C must not wait for their own grace.
            child.wait(0.5)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


def wait_for(url: str, child: subprocess.Popen[bytes], seconds: float = 60) -> None:
    """Wait until an address answers anything."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if child.poll() is not None:
            raise AssertionError(f"{child.args!r} ended with {child.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{url} did not answer within {seconds} s")


def program(name: str) -> str | None:
    """Return the path of a program, or None."""
    return shutil.which(name)


@contextlib.contextmanager
def rdflib_endpoint(data: Path) -> Iterator[str]:
    """Serve an RDF file with rdflib behind HTTP, and yield its SPARQL address."""
    command = str(Path(sys.executable).parent / "rdflib-endpoint")
    port = free_port()
    words = [command, "serve", "--host", "127.0.0.1", "--port", str(port), "--enable-update", str(data)]
    with process(words) as child:
        wait_for(f"http://127.0.0.1:{port}/?query=ASK%7B%7D", child, 40)
        yield f"http://127.0.0.1:{port}/"


_NGINX_CONF = """
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    client_max_body_size 20m;
    location / {{
      proxy_pass {target};
      proxy_http_version 1.1;
      proxy_buffering off;
      proxy_set_header Connection "";
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(target: str, folder: Path) -> Iterator[str]:
    """Put nginx in front of an address, and yield its own."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nginx.conf").write_text(_NGINX_CONF.format(folder=folder, port=port, target=target))
    with process(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]) as child:
        wait_for(f"http://127.0.0.1:{port}/health/live", child)
        yield f"http://127.0.0.1:{port}"


_VIRTUOSO_INI = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = virtuoso-temp.db
TransactionFile = virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
NumberOfBuffers = 10000
DirsAllowed = .
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = .
[SPARQL]
ResultSetMaxRows = {rows}
MaxQueryExecutionTime = {seconds}
"""


@contextlib.contextmanager
def virtuoso_server(folder: Path, rows: int = 1000, seconds: int = 2) -> Iterator[str]:
    """Serve a new Virtuoso with a cap of rows and a time limit, and yield its SPARQL address."""
    http = free_port()
    (folder / "virtuoso.ini").write_text(_VIRTUOSO_INI.format(sql=free_port(), http=http, rows=rows, seconds=seconds))
    words = ["virtuoso-t", "-f", "+configfile", "virtuoso.ini"]
    with process(words, cwd=folder) as child:
        wait_for(f"http://127.0.0.1:{http}/sparql?query=ASK%7B%7D", child, 60)
        yield f"http://127.0.0.1:{http}/sparql"
