"""CSV and TSV."""

from __future__ import annotations

import pytest

from proxy.errors import Truncated
from proxy.results.check import checker_for
from proxy.results.formats import Format
from proxy.results.state import State


def check(fmt: Format, body: str, size: int = 1 << 30) -> State:
    data = body.encode()
    state = State()
    checker = checker_for(fmt, state)
    for start in range(0, len(data), size):
        checker.feed(data[start : start + size])
    checker.finish()
    return state


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("s,o\r\n", 0),
        ("s,o", 0),
        ("s,o\r\nurn:a,1\r\n", 1),
        ("s,o\nurn:a,1\n,\n", 2),
        ("s,o\r\nurn:a,1\r\nurn:b,2", 2),
        ("\ufeffs,o\r\nurn:a,1\r\n", 1),
        ('"s","o"\n"a","x""y,\r\nz"\n', 1),
        ("s\r\n\r\na\r\n", 2),
        ("\r\n\r\n\r\n", 2),
        ('größe,o\r\n"Error: java.lang.Error\n\tat x",2\r\n', 1),
        ('s\r\n"The SPARQL operation has been cancelled"', 1),
    ],
)
def test_whole_csv_passes_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 3, 1 << 30):
        assert check(Format.CSV, body, size).rows == rows


@pytest.mark.parametrize(
    "body",
    [
        "",
        "s,s\r\n",
        "<!DOCTYPE html>\n<html>\n",
        "Virtuoso 37000 Error SP030: SPARQL compiler\n",
        "s,o\r\nurn:a\r\n",
        "s,o\r\nurn:a,1,2\r\n",
        's,o\r\nurn:a,"x\r\n',
        's,o\r\nurn:a,"x"y\r\n',
        's,o\r\nurn:a,x"y\r\n',
        "s,o\r\nurn:a,1\r\nSPARQL-QUERY: queryStr=SELECT\n",
        "s,o\r\nurn:a,1\nurn:b,2\r\n",
        "s\r\nurn:a\r\nThe SPARQL operation has been cancelled",
        "s,o\r\nurn:a,1\r\nurn:b",
        "\r\nerror\r\n",
    ],
)
def test_broken_csv_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 3, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.CSV, body, size)


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("?s\t?o\n", 0),
        ("?s\t?o\n<urn:a>\t1\n", 1),
        ("?s\t?o\r\n<urn:a>\t1.5e3\r\n\t\r\n", 2),
        ('?s\n"tab\\t and \\u00e9"@en-GB\n\n"x"^^<urn:d>\n_:b1\ntrue\n-.5\n', 6),
        ('?s\n"x"@ar--rtl\n<<( <urn:a> <urn:b> <<( _:b <urn:b> "c" )>> )>>\n', 2),
        ("?s\n<< <urn:a> <urn:b> 'single' >>\n", 1),
        ("\n\n\n", 2),
    ],
)
def test_whole_tsv_passes_at_any_chunk_size(body: str, rows: int) -> None:
    for size in (1, 3, 1 << 30):
        assert check(Format.TSV, body, size).rows == rows


@pytest.mark.parametrize(
    "body",
    [
        "",
        "?s",
        "s\to\n",
        "?s\t$o\n",
        "?s\t?s\n",
        "?s\t?o\n<urn:a>\n",
        "?s\t?o\n<urn:a>\t1\t2\n",
        "?s\n<urn:a>",
        '?s\n"x\n',
        '?s\n"x\ty"\n',
        "?s\nplain\n",
        "?s\n<urn:a> <urn:b>\n",
        '?s\n"x"@\n',
        '?s\n"\\q"\n',
        '?s\n"x"^^<urn:\\n>\n',
        "?s\n<urn:\\t>\n",
        '?s\n"\\ud800" \n',
        "?s\n<<( <urn:a> <urn:b> )>>\n",
        "?s\n" + "<<( <urn:a> <urn:b> " * 100 + "\n",
        "?s\n<urn:a>\n?s\n<urn:a>\n",
        "?s\n<urn:a>\nThe SPARQL operation has been cancelled",
        "?s\r\n<urn:a>\n<urn:b>\r\n",
        "\nx\n",
    ],
)
def test_broken_tsv_is_refused_at_any_chunk_size(body: str) -> None:
    for size in (1, 3, 1 << 30):
        with pytest.raises(Truncated):
            check(Format.TSV, body, size)


@pytest.mark.parametrize("fmt", [Format.CSV, Format.TSV])
def test_width_and_length_are_bounded(fmt: Format) -> None:
    mark, comma = ("?", "\t") if fmt is Format.TSV else ("", ",")
    with pytest.raises(Truncated, match="too long"):
        check(fmt, comma.join(f"{mark}v{number}" for number in range(5000)) + "\n")
    with pytest.raises(Truncated, match="longer than"):
        check(fmt, f'{mark}s\n"' + "x" * (17 << 20), 1 << 16)
