"""Records: how many, how long, and what becomes of changes that cannot be made."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from plugins.nl.contract import Turn
from plugins.nl.conversations import Conversations
from plugins.nl.local import LocalRecords, open_database
from plugins.nl.records import Change, Record, Records
from proxy.contract import Caller

ANN = Caller(address="192.0.2.1")


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Lossy(Records):
    """Records that make a change, refuse it, or make it and lose the answer."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock)
        self.made, self.answered = True, True
        self.refused: str | None = None
        self.contents: dict[str, bytes] = {}

    async def _read(self, name: str) -> Record:
        return Record(content=self.contents.get(name), now=self._clock())

    async def _change(self, name: str, change: Change) -> bool:
        if self.made and name != self.refused:
            self.contents[name], _ = change(await self._read(name))
            return self.answered
        return False


def adds(word: bytes, seconds: float = 60) -> Change:
    return lambda record: ((record.content or b"") + word, seconds)


async def content(records: Records, name: str) -> bytes | None:
    return (await records.read(name)).content


@pytest.mark.parametrize("folder", [False, True])
async def test_there_are_at_most_so_many_and_the_one_that_ends_first_goes(tmp_path: Path, folder: bool) -> None:
    clock = Clock()
    with closing(open_database(tmp_path if folder else None)) as database:
        records = LocalRecords(database, "things", 3, clock)
        others = LocalRecords(database, "others", 3, clock)
        await others.change("first", adds(b"other", 1))
        for name, seconds in (("long", 90), ("first", 30), ("second", 40), ("third", 50)):
            await records.change(name, adds(b"x", seconds))
        found = [await content(records, name) for name in ("long", "first", "second", "third")]
        assert found == [b"x", None, b"x", b"x"]
        clock.now += 41
        assert [await content(records, name) for name in ("long", "second", "third")] == [b"x", None, b"x"]
        # What is over is no part of a new one, and leaves the file.
        await records.change("second", adds(b"y"))
        assert await content(records, "second") == b"y"
        assert await content(others, "first") is None
        (rows,) = database.execute("SELECT count(*) FROM records WHERE kind = 'things'").fetchone()
        assert rows == 3


async def test_workers_see_each_others_changes_at_once(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as other:
        both = [LocalRecords(each, "things", 3, Clock()) for each in (one, other)]
        for number in range(10):
            await both[number % 2].change("name", adds(b"%d" % number))
        assert [await content(each, "name") for each in both] == [b"0123456789"] * 2


async def test_a_change_that_fails_of_itself_changes_nothing(tmp_path: Path) -> None:
    def fails(record: Record) -> tuple[bytes, float]:
        raise ZeroDivisionError

    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as other:
        records, others = (LocalRecords(each, "things", 3, Clock()) for each in (one, other))
        await records.change("name", adds(b"x"))
        with pytest.raises(ZeroDivisionError):
            await records.change("name", fails)
        # It holds nobody up.
        await others.change("name", adds(b"y"))
        assert await content(others, "name") == b"xy"


# So much that some of it stands in the file before the change is whole.
_HALF_A_CHANGE = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.executescript("PRAGMA journal_mode = PERSIST; PRAGMA synchronous = OFF; PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
database.execute("DELETE FROM records")
for number in range(100):
    database.execute("INSERT INTO records VALUES ('things', ?, ?, 1e9)", (str(number), b"z" * 10_000))
print("half", flush=True)
time.sleep(600)
"""


def be_killed_half_way(file: Path) -> None:
    size = file.stat().st_size
    with subprocess.Popen([sys.executable, "-c", _HALF_A_CHANGE, str(file)], stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"half\n"
        assert file.stat().st_size > size + 500_000
        child.kill()


async def test_a_worker_that_is_killed_in_the_middle_of_a_change_undid_it(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as database:
        records = LocalRecords(database, "things", 3, Clock())
        await records.change("name", adds(b"x"))
        be_killed_half_way(tmp_path / "nl.records")
        assert await content(records, "name") == b"x"
        await records.change("name", adds(b"y"))
        assert await content(records, "name") == b"xy"
        assert await content(records, "1") is None


async def test_what_cannot_be_written_counts_here_and_is_written_when_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    with closing(open_database(tmp_path)) as one, closing(open_database(tmp_path)) as other:
        records, others = (LocalRecords(each, "things", 9, clock) for each in (one, other))
        await records.change("name", adds(b"x"))
        one.execute("PRAGMA query_only = ON")
        for word in (b"y", b"z"):
            await records.change("name", adds(word))
        await records.change("new", adds(b"n", 5))
        assert await content(records, "name") == b"xyz"
        assert await content(records, "new") == b"n"
        assert [await content(others, name) for name in ("name", "new")] == [b"x", None]
        clock.now += 6
        assert await content(records, "new") is None
        await others.change("name", adds(b"!"))
        one.execute("PRAGMA query_only = OFF")
        await records.change("again", adds(b"a"))
        assert await content(others, "name") == b"x!yz"
    assert [each.message for each in caplog.records] == ["nl.not_shared"]
    assert caplog.records[0].fields["what"] == "things"  # type: ignore[attr-defined]  # a field of ours


async def test_a_file_that_cannot_be_opened_is_a_memory(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "nl.records").write_text("no database " * 1000)
    for folder in (tmp_path, tmp_path / "gone"):
        caplog.clear()
        with closing(open_database(folder)) as database:
            records = LocalRecords(database, "things", 9, Clock())
            await records.change("name", adds(b"x"))
            assert await content(records, "name") == b"x"
        assert [each.message for each in caplog.records] == ["nl.not_shared"]


async def test_a_file_that_somebody_spoils_costs_no_question(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with closing(open_database(tmp_path)) as database:
        records = LocalRecords(database, "things", 9, Clock())
        await records.change("name", adds(b"x" * 100_000))
        (tmp_path / "nl.records").write_bytes(b"\x00" * 10)
        await records.change("other", adds(b"y"))
        assert await content(records, "other") == b"y"
    assert "nl.not_shared" in [each.message for each in caplog.records]


async def test_one_that_is_refused_for_ever_holds_up_no_other() -> None:
    records = Lossy(Clock())
    records.made = False
    for name in ("bad", "one", "two"):
        await records.change(name, adds(b"x"))
    records.made, records.refused = True, "bad"
    await records.settle()
    await records.settle()
    assert records.contents == {"one": b"x", "two": b"x"}
    assert await content(records, "bad") == b"x"


async def test_what_is_owed_has_a_bound() -> None:
    records = Lossy(Clock())
    records.made = False
    for number in range(2000):
        await records.change(str(number), adds(b"x"))
    records.made = True
    await records.settle()
    assert sorted(map(int, records.contents)) == list(range(1000, 2000))


async def test_a_turn_whose_answer_was_lost_is_added_once() -> None:
    records = Lossy(Clock())
    kept = Conversations(records, 60)
    conversation = kept.begin(ANN, "demo")
    records.answered = False
    await kept.keep(conversation, Turn(question="who?"))
    await kept.keep(conversation, Turn(question="who?"))
    records.answered = True
    await records.settle()
    assert [each.question for each in (await kept.find(conversation.id, ANN, "demo")).turns] == ["who?", "who?"]


def test_it_is_closed_with_its_worker(tmp_path: Path) -> None:
    with closing(open_database(tmp_path)) as database:
        pass
    with pytest.raises(sqlite3.ProgrammingError):
        database.execute("SELECT 1")
