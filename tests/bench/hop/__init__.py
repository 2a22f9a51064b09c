"""Requests per second and added latency of the proxy beside other hops: `python -m tests.bench.hop --help`."""
