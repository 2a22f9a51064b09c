"""How well and how fast `proxy.syntax` reads: `python -m tests.bench.syntax --help`."""
