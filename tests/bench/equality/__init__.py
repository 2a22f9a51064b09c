"""The same answers through the proxy as without it: `python -m tests.bench.equality --help`."""
