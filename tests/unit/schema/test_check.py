"""`saga check`: what it prints, in its exit code too."""

from __future__ import annotations

import argparse
import io
import json
from pathlib import Path
from typing import Any

import pytest

from plugins.schema.check import NOT_CHECKED, NOT_OK, OK, UNAVAILABLE, check, commands, print_report
from proxy.core import Core
from proxy.errors import ConfigError, UsageError
from proxy.loader import check as settle
from tests import stage, wire
from tests.unit.schema.demo_schema import demo_draft
from tests.upstream import Answer, Upstream

BAD = "SELECT ?d {\n  wd:Q142 wdt:P569 ?d\n}"
GOOD = "SELECT ?d { wd:Q76 wdt:P569 ?d }"
ALONE: dict[str, Any] = {"plugins": {"enabled": []}}


class Terminal(io.StringIO):
    """A terminal in memory."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("index") / "demo.saga"
    demo_draft().write(path)
    return path


async def run(store: Path, text: str, folder: Path, *words: str) -> int:
    file = folder / "query.rq"
    file.write_text(text, encoding="utf-8")
    parser = argparse.ArgumentParser()
    commands(parser)
    args = parser.parse_args([str(file), *words])
    loaded = settle({"endpoints": {"demo": {"store": str(store), "graph": "wikidata"}}, **ALONE}, folder)
    async with Core(loaded).lifespan() as context:
        return int(await args.call(context, args))


async def test_the_faulty_pattern_is_underlined(
    demo_store: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(demo_store, BAD, tmp_path, "--index", str(index), "--endpoint", "demo") == NOT_OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "    2 |   wd:Q142 wdt:P569 ?d"
    assert lines[1] == "      |   ^^^^^^^^^^^^^^^^^^^"
    assert lines[2].startswith("domain (block, verified): [BLOCKED] date of birth (P569) is for human")
    assert any("inception (P571)" in each for each in lines[3:])


async def test_json_is_what_validate_answers(
    demo_store: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(demo_store, BAD, tmp_path, "--index", str(index), "--endpoint", "demo", "--json") == NOT_OK
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["checked"]) == (False, True)
    assert document["findings"][0]["code"] == "domain"


async def test_what_is_right_is_ok_and_what_cannot_be_checked_is_not(
    demo_store: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(demo_store, GOOD, tmp_path, "--index", str(index), "--endpoint", "demo") == OK
    assert capsys.readouterr().out == "ok\n"
    assert await run(demo_store, GOOD, tmp_path) == NOT_CHECKED
    assert "saga schema build" in capsys.readouterr().out
    assert await run(demo_store, "SELECT ?d { ?x", tmp_path, "--index", str(index), "--endpoint", "demo") == NOT_CHECKED
    assert await run(demo_store, "what", tmp_path, "--index", str(index), "--endpoint", "demo") == NOT_CHECKED


async def test_an_old_index_is_used_with_a_note(
    demo_store: Path,
    index: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("plugins.schema.check.MAX_AGE_DAYS", 0.0)
    words = ("--index", str(index), "--endpoint", "demo")
    assert await run(demo_store, GOOD, tmp_path, *words) == OK
    verdict, note = capsys.readouterr().out.splitlines()
    assert verdict == "ok"
    assert note.startswith("note: the schema index is of ")
    assert await run(demo_store, BAD, tmp_path, *words) == NOT_OK
    assert capsys.readouterr().out.splitlines()[-1] == note
    assert await run(demo_store, GOOD, tmp_path, *words, "--json") == OK
    document = json.loads(capsys.readouterr().out)
    assert document["reason"] == document["note"] == note.removeprefix("note: ")
    # What was left out is told beside it, and counts.
    assert await run(demo_store, GOOD, tmp_path, "--index", str(index)) == NOT_CHECKED
    left_out, beside = capsys.readouterr().out.splitlines()
    assert left_out.startswith("not all was checked: the index alone was asked")
    assert "the schema index is of" not in left_out
    assert beside == note


async def test_an_endpoint_that_does_not_answer_is_no_ok(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with Upstream(Answer(status=500, body=b"no")) as up:
        tables = {"endpoints": {"up": {"url": up.url, "graph": "wikidata"}}, **ALONE}
        file = tmp_path / "query.rq"
        file.write_text(GOOD)
        args = argparse.Namespace(file=str(file), endpoint="up", index=index, json=False)
        async with Core(settle(tables, tmp_path)).lifespan() as context:
            assert await check(context, args) == NOT_CHECKED
    said = capsys.readouterr().out
    assert said.startswith("not all was checked: the endpoint 'up' cannot be asked: ")
    assert "HTTP 500" in said


async def test_a_store_that_is_not_there_is_named(
    index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await run(tmp_path / "absent", GOOD, tmp_path, "--index", str(index), "--endpoint", "demo") == NOT_CHECKED
    assert "the endpoint 'demo' cannot be asked: " in capsys.readouterr().out


async def test_without_an_endpoint_nothing_is_verified_and_nothing_is_ok(
    demo_store: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An index that is named may be of another graph than the endpoint that happens to be configured."""
    typed = "SELECT ?d { ?c wdt:P31 wd:Q6256 ; wdt:P569 ?d }"
    assert await run(demo_store, typed, tmp_path, "--index", str(index), "--json") == NOT_OK
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert (finding["code"], finding["severity"], finding["verified"]) == ("domain", "warn", False)
    for text in (BAD, GOOD):
        assert await run(demo_store, text, tmp_path, "--index", str(index)) == NOT_CHECKED
        assert "--endpoint names the graph" in capsys.readouterr().out


async def test_bad_use_is_said(demo_store: Path, index: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no endpoint"):
        await run(demo_store, GOOD, tmp_path, "--endpoint", "other")
    with pytest.raises(ConfigError):
        await run(demo_store, GOOD, tmp_path, "--index", str(tmp_path / "absent"))
    args = argparse.Namespace(file=str(tmp_path / "absent"), endpoint=None, index=None, json=False)
    with pytest.raises(UsageError, match="absent"):
        await check(None, args)  # type: ignore[arg-type]  # the file is read first


async def test_a_running_proxy_does_it(
    demo_store: Path, index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tables: dict[str, Any] = {
        "endpoints": {"demo": {"store": str(demo_store), "graph": "wikidata"}},
        "plugins": {"enabled": ["plugins.schema.guard"]},
        "guard": {"endpoints": {"demo": {"index": str(index)}}},
    }
    file = tmp_path / "query.rq"
    file.write_text(BAD)
    async with stage.proxy(tables) as base:
        assert (await wire.get(f"{base}/health/live")).status == 200
        args = argparse.Namespace(file=str(file), endpoint=None, index=None, json=True, server=base)
        assert await check(None, args) == NOT_OK  # type: ignore[arg-type]  # the other proxy has the context
        assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "domain"
        args.endpoint = "nowhere"
        with pytest.raises(UsageError, match="nowhere"):
            await check(None, args)  # type: ignore[arg-type]
    assert await check(None, args) == UNAVAILABLE  # type: ignore[arg-type]
    assert f"{base}/validate/nowhere does not answer" in capsys.readouterr().err


async def test_what_is_no_proxy_with_a_guard_is_said(tmp_path: Path) -> None:
    file = tmp_path / "query.rq"
    file.write_text(GOOD)
    for body in (b"<html>", b"[]", b"{}", b"null"):
        async with Upstream(Answer(body=body)) as up:
            args = argparse.Namespace(file=str(file), endpoint=None, index=None, json=True, server=up.url)
            with pytest.raises(UsageError, match="validate"):
                await check(None, args)  # type: ignore[arg-type]  # the other proxy has the context


def test_wide_characters_are_underlined_as_they_stand() -> None:
    finding = {
        "code": "domain",
        "severity": "warn",
        "line": 1,
        "column": 7,
        "pattern": "?x rdfs:label '柏林'",
        "verified": True,
        "message": "no",
        "suggestions": [],
    }
    out = io.StringIO()
    print_report({"ok": False, "checked": True, "findings": [finding]}, "'中国'. ?x rdfs:label '柏林' }", out)
    assert out.getvalue().splitlines()[1] == "      | " + " " * 8 + "^" * 20


def test_a_terminal_gets_colours_and_no_text_of_the_graph_moves_its_cursor() -> None:
    finding = {
        "code": "domain",
        "severity": "block",
        "line": 1,
        "column": 3,
        "pattern": "x" * 500,
        "verified": False,
        "message": "a\x1b[2Jb\r\nc",
        "suggestions": [{"id": "P\x1b1", "label": "\x07bell", "why": "w\x00"}],
    }
    out, plain = Terminal(), io.StringIO()
    document = {"ok": False, "checked": True, "findings": [finding]}
    print_report(document, "{ wd:Q1 \x1b[31m ?x }", out)
    print_report(document, "{ wd:Q1 \x1b[31m ?x }", plain)
    assert "\x1b[31m^" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()
    assert "\x1b" not in plain.getvalue()
    assert "\x07" not in plain.getvalue()
    assert "not verified" in plain.getvalue()
