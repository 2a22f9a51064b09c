"""Builders: each turns one way of declaring a schema into a draft of the index."""
