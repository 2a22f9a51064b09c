"""What the guard costs a client, with it off and on, interleaved: `python -m tests.bench.guard_cost --help`."""
