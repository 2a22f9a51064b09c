"""nginx twice: as an endpoint that is never the slowest part, and as the plain reverse proxy to compare with."""

from __future__ import annotations

import contextlib
import os
import pwd
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests import stage

_FRAME = """
daemon off;
user {user};
worker_processes 1;
pid {folder}/{name}.pid;
error_log {folder}/{name}.log warn;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  keepalive_requests 1000000000;
  client_max_body_size 64m;
  client_body_temp_path {folder}/{name}-body;
  proxy_temp_path {folder}/{name}-proxy;
  fastcgi_temp_path {folder}/{name}-fastcgi;
  uwsgi_temp_path {folder}/{name}-uwsgi;
  scgi_temp_path {folder}/{name}-scgi;
  {body}
}}
"""

# `return` takes POST; for a file the refusal of POST is turned into the file itself.
_ENDPOINT = """
  sendfile on;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /sparql {{
      default_type application/sparql-results+json;
      return 200 '{answer}';
    }}
    location /bodies/ {{
      alias {bodies}/;
      types {{ application/sparql-results+json json; application/n-triples nt; }}
      error_page 405 =200 $uri;
    }}
  }}
"""

_HOP = """
  upstream endpoint {{ server {address}; keepalive 512; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://endpoint;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_max_temp_file_size 0;
    }}
  }}
"""


class Served(NamedTuple):
    """A running server: `host:port`, and the process."""

    address: str
    pid: int


@contextlib.contextmanager
def endpoint(folder: Path, answer: bytes) -> Iterator[Served]:
    """Serve ``answer`` at /sparql and the files of ``folder`` at /bodies/NAME, to GET and POST."""
    quoted = answer.decode().replace("\\", "\\\\").replace("'", "\\'").replace("$", "")
    with running(folder, "endpoint", _ENDPOINT, answer=quoted, bodies=str(folder)) as served:
        yield served


@contextlib.contextmanager
def reverse_proxy(folder: Path, address: str) -> Iterator[Served]:
    """Put a plain reverse proxy in front of an address."""
    with running(folder, "hop", _HOP, address=address) as served:
        yield served


@contextlib.contextmanager
def running(folder: Path, name: str, body: str, **values: str) -> Iterator[Served]:
    port = stage.free_port()
    config = folder / f"{name}.conf"
    config.write_text(_FRAME.format(folder=folder, name=name, user=_user(), body=body.format(port=port, **values)))
    nginx = stage.program("nginx")
    if nginx is None:
        raise SystemExit("this bench needs nginx (Debian: nginx-light)")
    with stage.process([nginx, "-c", str(config), "-p", str(folder)]) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/none", child)
        yield Served(f"127.0.0.1:{port}", child.pid)


def _user() -> str:
    """Return who we are: a worker must read the files that we wrote, also where we are root and it would change."""
    return pwd.getpwuid(os.getuid()).pw_name
