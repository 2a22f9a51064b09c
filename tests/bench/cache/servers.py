"""The servers that are compared, each a process of its own in front of the same endpoint."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import stage
from tests.bench.hop import nginx
from tests.bench.hop.hops import saga
from tests.bench.hop.nginx import Served
from tests.redis import RedisServer

_OURS = """
[server]
port = {{port}}
log_level = "warning"
[endpoints.up]
url = "http://{{address}}/sparql"
concurrency = {{places}}
[plugins]
enabled = [{plugins}]
"""
CACHE = _OURS.format(plugins='"plugins.cache"')

# The file itself answers every query, also one by POST, which nginx refuses for files.
_ENDPOINT = """
  sendfile on;
  open_file_cache max=10;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location = /sparql {{
      alias {file};
      types {{ }}
      default_type application/sparql-results+json;
      error_page 405 =200 $uri;
    }}
  }}
"""

# As close to ours as nginx comes: equal questions share one, and what the client accepts is part of the name.
_NGINX_CACHE = """
  proxy_cache_path {files} levels=1:2 keys_zone=kept:32m max_size=256m use_temp_path=off;
  upstream endpoint {{ server {address}; keepalive 512; }}
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    location / {{
      proxy_pass http://endpoint;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache kept;
      proxy_cache_key "$request_uri $http_accept";
      proxy_cache_lock on;
      proxy_cache_valid 200 300s;
      add_header X-Cache $upstream_cache_status;
    }}
  }}
"""


@contextlib.contextmanager
def servers(folder: Path, answer: bytes, redis: RedisServer | None) -> Iterator[dict[str, Served]]:
    """Start every server and yield them by name."""
    file = folder / "answer.json"
    file.write_bytes(answer)
    with contextlib.ExitStack() as stack:
        endpoint = stack.enter_context(nginx.running(folder, "endpoint", _ENDPOINT, file=str(file)))
        made = {
            "endpoint": endpoint,
            "nginx cache": stack.enter_context(
                nginx.running(folder, "kept", _NGINX_CACHE, files=str(folder / "files"), address=endpoint.address)
            ),
            "bare aiohttp": stack.enter_context(_bare(file)),
            "saga": stack.enter_context(saga(folder, _OURS.format(plugins=""), endpoint.address, stage.ROOT)),
            "saga cache": stack.enter_context(saga(folder, CACHE, endpoint.address, stage.ROOT)),
        }
        if redis is not None:
            shared = f'{CACHE}[cache]\nredis = "{redis.url}"\n'
            made["saga + redis"] = stack.enter_context(saga(folder, shared, endpoint.address, stage.ROOT))
        yield made


@contextlib.contextmanager
def _bare(file: Path) -> Iterator[Served]:
    port = stage.free_port()
    words = [sys.executable, "-m", "tests.bench.cache.bare", str(port), str(file)]
    with stage.process(words, cwd=stage.ROOT) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/sparql", child)
        yield Served(f"127.0.0.1:{port}", child.pid)
