"""The ways in which an answer can be damaged."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

TRACE = (
    b"\nSPARQL-QUERY: queryStr=SELECT * WHERE { ?s ?p ?o }\n"
    b"java.util.concurrent.ExecutionException: java.util.concurrent.TimeoutException: deadline is expired.\n"
    b"\tat java.util.concurrent.FutureTask.report(FutureTask.java:122)\n\tat java.lang.Thread.run(Thread.java:748)\n"
)
PAGE = (
    b'<!DOCTYPE html>\n<html lang="en"><head><title>502 Bad Gateway</title></head>\n'
    b"<body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx</center></body></html>\n"
)
OBJECT = b'{"status":"ERROR","exception":"Operation timed out.","resultsize":0,"query":"SELECT * {?s ?p ?o}"}'
FOREIGN = (
    TRACE,
    PAGE,
    OBJECT,
    b"The SPARQL operation has been cancelled",
    b"Virtuoso S1T00 Error SR171: Transaction timed out\n\nSPARQL query:\nSELECT * {?s ?p ?o}\n",
    b"##  Query cancelled due to timeout during execution   ##\n",
)
Damage = Callable[[Random, bytes], bytes]


def cut(random: Random, body: bytes) -> bytes:
    """Lose the end."""
    return body[: random.randrange(1, len(body))]


def joined(random: Random, body: bytes) -> bytes:
    """Let a whole answer follow one that may have lost its end."""
    return body[: random.choice((len(body), random.randrange(1, len(body))))] + body


def foreign(random: Random, body: bytes) -> bytes:
    """Put what is no answer at the end, behind a cut, or into the middle."""
    text = random.choice(FOREIGN)
    place = random.randrange(1, len(body))
    return random.choice((body + text, body[:place] + text, body[:place] + text + body[place:]))


def flipped(random: Random, body: bytes) -> bytes:
    """Change one byte, by a bit or to any other."""
    place = random.randrange(len(body))
    old = body[place]
    new = old ^ (1 << random.randrange(8)) if random.random() < 0.5 else (old + random.randrange(1, 256)) % 256
    return body[:place] + bytes([new]) + body[place + 1 :]


KINDS: dict[str, Damage] = {"cut": cut, "joined": joined, "foreign": foreign, "flipped": flipped}
