"""Short ways to ask the reader something, and to write what it should say."""

from __future__ import annotations

from proxy.syntax import Syntax, read

E = "http://e.org/"
PREFIXES = {"": E, "ex": E, "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#"}
_SHORT = {f"<{PREFIXES['rdf']}": "<rdf:", f"<{E}": "<", "^^<http://www.w3.org/2001/XMLSchema#": "^^<"}


def checked(text: str) -> Syntax:
    """Read a text that must be read whole."""
    syntax = read(text, prefixes=PREFIXES)
    assert syntax.checked, f"{text}\n{syntax.problem}"
    return syntax


def triples(text: str) -> list[str]:
    """List the patterns of a text as written strings, `http://e.org/` left out, anonymous nodes as `[n]` in order."""
    found = []
    labels: dict[str, str] = {}
    for pattern in checked(text).patterns:
        line = str(pattern)
        for long, short in _SHORT.items():
            line = line.replace(long, short)
        for part in line.split():
            if part.startswith("["):
                labels.setdefault(part, f"[{len(labels)}]")
        found.append(" ".join(labels.get(part, part) for part in line.split()))
    return found


def inside(pattern: str) -> str:
    """Put a group graph pattern into a query."""
    return f"SELECT * WHERE {{ {pattern} }}"
