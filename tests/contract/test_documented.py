"""What exists is documented: metrics, error codes, commands, plugins; and every foreign error becomes one of ours."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import aiohttp
import pytest

from plugins.nl.model.contract import ModelUnavailable
from plugins.nl.model.options import LlmOptions
from plugins.nl.model.tape import Mismatch
from plugins.nl.options import NlOptions
from plugins.nl.switches import Switches
from plugins.nl.unavailable import Unavailable
from proxy import errors
from proxy.__main__ import COMMANDS
from proxy.endpoints.engines import ENGINES
from proxy.endpoints.exchange import Exchange
from proxy.settings import EndpointTable, Graph, Key, Plugins, Server

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def sources() -> list[Path]:
    return [path for package in ("proxy", "plugins") for path in (ROOT / package).rglob("*.py")]


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) < 200


def test_every_metric_stands_in_the_readme() -> None:
    made: set[str] = set()
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("counter", "gauge", "histogram"):
                made.update(str(arg.value) for arg in node.args[:1] if isinstance(arg, ast.Constant))
    assert made
    assert {name for name in made if name not in README} == set()


def every_error() -> list[type[errors.ProxyError]]:
    found, todo = [], [errors.ProxyError]
    while todo:
        kind = todo.pop()
        found.append(kind)
        todo += kind.__subclasses__()
    return [kind for kind in found if kind.__module__.startswith(("proxy.", "plugins."))]


def test_every_error_code_stands_in_the_readme_and_every_error_in_the_tree() -> None:
    assert {ModelUnavailable, Mismatch, Unavailable} < set(every_error())
    for kind in every_error():
        assert f"`{kind.code}`" in README, kind
        assert kind.__doc__
        assert kind.__name__ in str(errors.__doc__) or not kind.__module__.startswith("proxy."), kind


def test_every_command_stands_in_the_readme() -> None:
    for command in COMMANDS:
        assert f"saga {command}" in README, command


@pytest.mark.parametrize("table", [Server, EndpointTable, Graph, Key, Plugins])
def test_every_key_is_documented_where_it_is_defined(table: type) -> None:
    for field in dataclasses.fields(table):
        assert field.metadata.get("text"), f"{table.__name__}.{field.name}"


def foreign() -> list[type[BaseException]]:
    """Return what the HTTP client can raise while it sends a request and reads its answer."""
    kinds = [
        kind for kind in vars(aiohttp).values() if isinstance(kind, type) and issubclass(kind, aiohttp.ClientError)
    ]
    return [*kinds, OSError, TimeoutError, ConnectionResetError, ValueError]


@pytest.mark.parametrize("kind", foreign(), ids=lambda kind: kind.__name__)
async def test_every_error_of_the_http_client_becomes_one_of_ours(kind: type[BaseException]) -> None:
    exchange = Exchange.__new__(Exchange)
    exchange._table = EndpointTable(url="http://e.org/")
    exchange._total_s = 1.0
    nameless = {"__init__": lambda self: None, "__repr__": lambda self: "x", "__str__": lambda self: "x"}
    with pytest.raises(errors.UpstreamError), exchange._translated():
        raise type(kind.__name__, (kind,), nameless)()


def test_engines_are_those_that_the_config_knows() -> None:
    hint = EndpointTable.__annotations__["engine"]
    named = re.findall(r'"(\w+)"', str(hint)) or list(ENGINES)
    assert set(named) == set(ENGINES)


def test_broad_excepts_stand_only_at_the_named_places() -> None:
    allowed = {"proxy/web.py": 1, "plugins/nl/inquiry.py": 1}
    for path in sources():
        broad = len(re.findall(r"except (Exception|BaseException):", path.read_text(encoding="utf-8")))
        raises = 0
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and getattr(node.type, "id", "") in ("Exception", "BaseException"):
                raises += any(isinstance(each, ast.Raise) and each.exc is None for each in ast.walk(node))
        name = str(path.relative_to(ROOT))
        assert broad - raises <= allowed.get(name, 0), f"{name} swallows what it does not know"


@pytest.mark.parametrize("table", [NlOptions, LlmOptions, Switches], ids=lambda table: table.__name__)
def test_every_key_of_questions_stands_in_their_page(table: type) -> None:
    page = (ROOT / "plugins" / "nl" / "README.md").read_text(encoding="utf-8")
    missing = [each.name for each in dataclasses.fields(table) if f"`{each.name}" not in page]
    assert missing in ([], ["llm"])
