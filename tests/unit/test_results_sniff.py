from __future__ import annotations

import pytest

from proxy.results.formats import Format
from proxy.results.sniff import sniff
from tests.bench.mutations.dialects import bodies
from tests.bench.mutations.kinds import FOREIGN


@pytest.mark.parametrize("fmt", list(Format))
def test_every_dialect_is_recognised_by_its_first_kilobyte(fmt: Format) -> None:
    for seed in range(10):
        for body in bodies(fmt, seed, rows=4):
            columns = body.partition(b"\n")[0].count(b",") + 1
            if fmt is Format.CSV and columns == 1:
                continue  # a single word on a line may be anything
            assert sniff(body[:1024]) is fmt
            assert sniff(b"\xef\xbb\xbf" + body[:1024]) is fmt


@pytest.mark.parametrize(
    ("head", "fmt"),
    [
        (b'{"head":{},"boolean":true}', Format.JSON),
        (b'{ "boolean" : false }', Format.JSON),
        (b'{"meta":{"ms":1},"head":{"vars":[]}}', Format.JSON),
        (b'{"@context":{}}', Format.JSONLD),
        (b"[]", Format.JSONLD),
        (b"[] a <urn:t> .", Format.TURTLE),
        (b"# comment\nPREFIX e: <http://e.org/>", Format.TURTLE),
        (b"<urn:s> a <urn:t> .", Format.TURTLE),
        (b"<urn:s> <urn:p> 'x'", Format.TURTLE),
        (b"# c\n<urn:s> <urn:p> <urn:o> .\n", Format.NTRIPLES),
        (b"<!-- c --><?x y?>\n<r:sparql xmlns:r=''>", Format.XML),
        (b"<RDF xmlns=''>", Format.RDFXML),
        (b"?s\n", Format.TSV),
        (b"s\r\nurn:a\r\n", Format.CSV),
        (b"s,o\n", Format.CSV),
    ],
)
def test_short_and_odd_bodies(head: bytes, fmt: Format) -> None:
    assert sniff(head) is fmt


@pytest.mark.parametrize(
    "head",
    [
        *FOREIGN,
        b"",
        b"Forbidden\n",
        b"Error: something, else\n",
        b"<html><body>x</body></html>",
        b"<?xml version='1.0'?><html/>",
        b"<h1>error</h1> in x:y",
        b"java.lang.Error: x\n\tat y\n",
        b'{"error":"x"}',
        b"null",
        b"\x1f\x8b\x08\x00",
    ],
)
def test_error_pages_and_other_text_are_nothing(head: bytes) -> None:
    assert sniff(head) is None
