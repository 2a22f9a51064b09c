"""What a hit of the cache costs beside nginx's own: `python -m tests.bench.cache --help`."""
