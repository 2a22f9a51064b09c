"""What a graph declares about its properties, and what follows for a query.

`Index` (index.py) is one read-only file that many workers share; `Draft` (draft.py) is how a builder fills one.
"""
