"""Memory and speed of large answers: `python -m tests.bench.memory --help`."""
