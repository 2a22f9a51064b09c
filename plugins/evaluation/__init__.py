"""Benchmarks: questions with gold queries, what strategies answer on the same endpoint, and how good that is."""
