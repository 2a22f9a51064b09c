"""What the guard must reach, beside what it reached: `python -m tests.bench.guard --help`."""
