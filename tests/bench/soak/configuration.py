"""The proxy's configuration in a soak: all plugins on, one endpoint of each kind."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tests import stage

FLOOD_KEY, LOAD_KEY = "flood-of-the-soak", "load-of-the-soak"


def configuration(folder: Path, calm: str, stormy: str, redis: str) -> str:
    """Return it for these addresses; its stores are made in the folder."""
    demo = stage.demo_store(folder / "demo")
    notes = stage.demo_store(folder / "notes")
    keys = "".join(
        f'[keys.{name}]\nsha256 = "{hashlib.sha256(key.encode()).hexdigest()}"\nrights = ["query", "update"]\n'
        for name, key in (("load", LOAD_KEY), ("flood", FLOOD_KEY))
    )
    # As many places as an endpoint has by default: it answers in milliseconds, and what comes in a burst may queue.
    remote = "".join(
        f'[endpoints.{name}]\nurl = "{url}"\nfirst_byte_s = {first_byte_s}\nqueue = 1000\n'
        for name, url, first_byte_s in (
            ("calm", calm, 30),
            ("left", calm, 30),
            ("killed", calm, 600),
            ("flooded", calm, 30),
            ("stormy", stormy, 2),
        )
    )
    index = stage.ROOT / "config" / "demo" / "schema.index"
    # All clients are on this machine: where it is exempt, as by default, no limit holds.
    return f"""
[server]
head_s = 5.0
[plugins]
enabled = ["plugins.admin", "plugins.limits", "plugins.schema.guard", "plugins.cache", "plugins.breaker"]
[limits]
requests_per_minute = 0
concurrent = 0
upstream_s_per_minute = 0
exempt = []
redis = "{redis}"
[limits.keys.flood]
requests_per_minute = 60
[cache]
redis = "{redis}"
max_bytes = 4194304
ttl_s = 5.0
[breaker]
cool_off_s = 1.0
liveness_s = 0.5
patience_s = 0.5
redis = "{redis}"
{keys}{remote}
[endpoints.demo]
store = "{demo}"
graph = "wikidata"
guard = "block"
schema = "{index}"
queue_s = 30.0
[endpoints.notes]
store = "{notes}"
updates = true
concurrency = 1
queue_s = 30.0
"""
