"""Several headers of one name pass through an entry, its record, a flight and a reply."""

from __future__ import annotations

from dataclasses import replace

from multidict import CIMultiDict

from plugins.cache.answer import answered
from plugins.cache.entry import Packer
from plugins.cache.record import read, written
from proxy.contract import Caller, Query
from proxy.results import Format
from proxy.syntax import read as read_text
from tests.unit.cache.test_entry import entry

LINKS = [("Link", "<a>"), ("Link", "<b>, <c>"), ("X", "y")]


def test_a_record_keeps_every_header() -> None:
    kept = replace(entry(b"x"), headers=CIMultiDict(LINKS))
    back = read(written(kept, 100.0, 1_000.0), 100.0, 1_000.0)
    assert list(back.headers.items()) == LINKS


def test_an_answer_of_an_entry_has_every_header() -> None:
    kept = replace(entry(b"x"), headers=CIMultiDict([*LINKS, ("age", "99")]))
    query = Query(
        id="1", endpoint="up", syntax=read_text("ASK {}"), formats=(Format.JSON,), caller=Caller(address="here")
    )
    reply = answered(kept, Packer().chunks(kept), query, 103.0, "hit")
    assert [each for each in reply.headers.items() if each[0] in ("Link", "X")] == LINKS
    assert [value for name, value in reply.headers.items() if name.lower() == "age"] == ["3"]
