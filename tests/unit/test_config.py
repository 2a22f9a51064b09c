from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from proxy.errors import ConfigError
from proxy.loader import check, load
from proxy.settings import GIB


def mistakes(tables: dict[str, Any], folder: Path = Path("/nowhere")) -> tuple[str, ...]:
    with pytest.raises(ConfigError) as caught:
        check(tables, folder)
    return caught.value.mistakes


GOOD: dict[str, Any] = {"endpoints": {"demo": {"url": "http://127.0.0.1:7878/query"}}}


def test_a_small_configuration_takes_the_defaults() -> None:
    endpoint = check(GOOD, Path("/nowhere")).settings.endpoints["demo"]
    assert endpoint.places == 64
    assert endpoint.service_targets == "upstream"
    assert endpoint.reader_memory_bytes == 4 * GIB


def test_a_store_is_found_from_the_folder_of_the_file() -> None:
    endpoint = check({"endpoints": {"demo": {"store": "data/x"}}}, Path("/some/where")).settings.endpoints["demo"]
    assert endpoint.store == Path("/some/where/data/x")
    assert endpoint.places == 2
    assert endpoint.service_targets == ()


def test_every_mistake_is_said_at_once_with_the_nearest_key() -> None:
    found = mistakes(
        {
            "server": {"prot": 80, "workers": "two"},
            "endpoints": {"demo": {"url": "ftp://e.org/", "engine": "virtuso"}},
            "cahce": {},
        }
    )
    assert "server.prot: unknown key; did you mean `port`?" in found
    assert "server.workers: must be a whole number, not 'two'" in found
    assert any("endpoints.demo.engine" in each and "did you mean 'virtuoso'" in each for each in found)
    assert any(each.startswith("cahce: unknown key") for each in found)


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        ({}, "give either `url` or `store`"),
        ({"url": "http://e.org/", "store": "x"}, "give either `url` or `store`"),
        ({"store": "x", "service": ["http://a.example/"]}, "a store asks no other server"),
        ({"url": "e.org/sparql"}, "must start with http"),
        ({"url": "http://e.org/", "graph": "wikdata"}, "did you mean `wikidata`?"),
        ({"url": "http://e.org/", "total_s": True}, "must be a number"),
        ({"url": "http://e.org/", "total_s": -1}, "not negative"),
        ({"url": "http://e.org/", "aliases": "/x"}, "must be a list"),
        ({"url": "http://e.org/", "aliases": [1]}, "aliases[0]: must be a string"),
        ({"url": "https://query.wikidata.org/sparql"}, "server.contact"),
    ],
)
def test_a_mistake_of_an_endpoint(endpoint: dict[str, Any], words: str) -> None:
    assert any(words in each for each in mistakes({"endpoints": {"demo": endpoint}}))


def test_service_is_a_word_or_a_list() -> None:
    for value, expected in (("upstream", "upstream"), (["http://e.org/s"], ("http://e.org/s",)), ([], ())):
        tables = {"endpoints": {"demo": {"url": "http://e.org/", "service": value}}}
        assert check(tables, Path("/x")).settings.endpoints["demo"].service_targets == expected
    assert any(
        "must be one of" in each for each in mistakes({"endpoints": {"d": {"url": "http://e", "service": "all"}}})
    )


def test_no_endpoint_is_a_mistake() -> None:
    assert any("at least one" in each for each in mistakes({}))


def test_a_key_is_a_hash() -> None:
    assert any("sha256sum" in each for each in mistakes({**GOOD, "keys": {"bot": {"sha256": "secret"}}}))
    assert any(
        "'query'" in each for each in mistakes({**GOOD, "keys": {"bot": {"sha256": "0" * 64, "rights": ["quer"]}}})
    )


def test_plugins_are_dotted_paths_with_a_table_each() -> None:
    assert any("cannot import" in each for each in mistakes({**GOOD, "plugins": {"enabled": ["plugins.nothing"]}}))
    tables = {**GOOD, "plugins": {"enabled": ["plugins.audit"]}, "audit": {"fiel": "x"}}
    assert "audit.fiel: unknown key; did you mean `file`?" in mistakes(tables)
    tables["audit"] = {"file": "log/a.jsonl"}
    (plugin,) = check(tables, Path("/etc/saga")).plugins
    assert getattr(plugin.options, "file") == Path("/etc/saga/log/a.jsonl")  # noqa: B009 - options are typed in the plugin


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load(tmp_path / "absent.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("[server\n")
    with pytest.raises(ConfigError, match=r"line 1"):
        load(broken)
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="utf-8"):
        load(broken)


@pytest.mark.parametrize(
    ("server", "words"),
    [
        ({"trusted_proxies": ["10.0.0.1/8"]}, "10.0.0.0/8"),
        ({"trusted_proxies": ["foo"]}, "write a network"),
        ({"metrics_bind": "nonsense"}, "host:port"),
        ({"port": 99999}, "65535"),
        ({"public_url": "ftp:x"}, "must start with http"),
        ({"contact": "a\r\nb"}, "one line"),
        ({"workers": 0}, "between 1 and 64"),
        ({"drain_s": float("nan")}, "finite"),
    ],
)
def test_a_mistake_of_the_server_is_found_before_the_start(server: dict[str, Any], words: str) -> None:
    assert any(words in each for each in mistakes({**GOOD, "server": server}))


@pytest.mark.parametrize(
    ("name", "endpoint", "words"),
    [
        ("a/b", {"url": "http://e.org/"}, "part of a path"),
        ("", {"url": "http://e.org/"}, "part of a path"),
        ("x", {"url": "http://e.org/", "aliases": ["noslash"]}, "must be a path"),
        ("x", {"url": "http://e.org/", "aliases": ["/metrics"]}, "not one of ours"),
        ("x", {"url": "http://e.org/", "aliases": ["/x{y}"]}, "must be a path"),
        ("x", {"url": "http://e.org/", "aliases": ["/a", "/a"]}, "is taken"),
        ("x", {"url": "http://[bad/"}, "no address"),
        ("x", {"url": "http://e.org:99999/"}, "no address"),
        ("x", {"url": "http:///x"}, "no address"),
        ("x", {"url": "http://e.org/a b"}, "no address"),
        ("x", {"url": "http://e.org/", "total_s": float("inf")}, "finite"),
        ("x", {"url": "http://e.org/", "headers": {"X": "a\r\nb"}}, "cannot be sent"),
        ("x", {"url": "http://e.org/", "headers": {"Host": "a"}}, "cannot be sent"),
    ],
)
def test_a_name_an_alias_or_an_address_that_cannot_work(name: str, endpoint: dict[str, Any], words: str) -> None:
    assert any(words in each for each in mistakes({"endpoints": {name: endpoint}}))


def test_the_guard_stands_outside_the_cache() -> None:
    tables = {**GOOD, "plugins": {"enabled": ["plugins.cache", "plugins.schema.guard"]}}
    assert any("must stand before" in each for each in mistakes(tables))
    tables["plugins"] = {"enabled": ["plugins.schema.guard", "plugins.cache"]}
    assert len(check(tables, Path("/nowhere")).plugins) == 2


def test_a_table_of_its_own_is_read_from_the_top_of_the_file() -> None:
    tables = {**GOOD, "llm": {"base_url": "http://127.0.0.1:8089/v1", "model": "small"}}
    plugin = check(tables, Path("/nowhere")).plugins[-1]
    assert plugin.options.llm.model == "small"  # type: ignore[attr-defined]


def test_mistakes_of_a_table_of_its_own_name_it_as_it_is_written() -> None:
    found = mistakes({**GOOD, "llm": {"base_ulr": "http://127.0.0.1:8089/v1"}, "nl": {"llm": {}}})
    assert "llm.base_ulr: unknown key; did you mean `base_url`?" in found
    assert any(each.startswith("nl.llm: unknown key") for each in found)


def test_a_table_of_its_own_goes_with_its_plugin() -> None:
    found = mistakes({**GOOD, "plugins": {"enabled": []}, "llm": {"model": "small"}})
    assert any(each.startswith("llm: unknown key") for each in found)


def test_what_plugins_cannot_work_with_is_said_with_the_rest() -> None:
    found = mistakes(
        {
            **GOOD,
            "llm": {"base_url": "http://127.0.0.1:8089/v1"},
            "nl": {"seconds": 0.0, "datasets": {"x": "nowhere"}, "strategy": "saga"},
            "search": {"endpoints": {"demo": {"build": True}}},
            "limits": {"exempt": ["no network"]},
        }
    )
    for key in (
        "llm.model: is missing",
        "nl.seconds: must be above 0",
        "nl.datasets.x: there is no `[endpoints.nowhere]`",
        "nl.strategy: saga needs a model",
        "search.endpoints.demo.build: name the folder",
        "limits.exempt",
    ):
        assert any(each.startswith(key) for each in found), (key, found)
