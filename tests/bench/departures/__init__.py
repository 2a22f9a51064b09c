"""Clients that leave at random moments, and what stays behind: `python -m tests.bench.departures --help`."""
