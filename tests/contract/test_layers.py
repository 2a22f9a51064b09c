"""Imports run one way: the rules of the layout, held by reading every import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

# A module may import from its own layer and from those below; the first name that fits counts.
LAYERS = (
    ("proxy.__main__",),
    ("proxy.serve", "proxy.load", "proxy.checkup"),
    ("proxy.supervisor", "proxy.worker"),
    ("proxy.app", "proxy.command"),
    ("proxy.listener", "proxy.door"),
    ("proxy.web", "proxy.core"),
    ("proxy.streaming", "proxy.description", "proxy.compression", "proxy.headers", "proxy.health", "proxy.body"),
    (
        "proxy.protocol",
        "proxy.endpoints",
        "proxy.observe",
        "proxy.callers",
        "proxy.loader",
        "proxy.targets",
        "proxy.turnstile",
    ),
    ("proxy.series", "proxy.redis_link", "proxy.redis_options"),
    ("proxy.contract", "proxy.config", "proxy.graphs", "proxy.settings", "proxy.syntax", "proxy.results"),
    ("proxy.errors", "proxy.heap", "proxy.local", "proxy.logs", "proxy.patterns", "proxy"),
)

PLUGINS_MAY_SEE = (
    *("proxy.contract", "proxy.syntax", "proxy.results", "proxy.errors", "proxy.settings"),
    *("proxy.redis_link", "proxy.redis_options"),
)
PLUGINS_MAY_SEE_EACH_OTHER = {
    "nl": ("schema", "search"),
    "search": ("schema",),
    "mcp": ("nl", "schema", "search"),
    "evaluation": ("nl", "schema", "search"),
    "ui": ("nl", "schema", "search"),
}


def modules(package: str) -> Iterator[tuple[str, Path]]:
    for path in sorted((ROOT / package).rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        yield name.removesuffix(".__init__"), path


def imports(path: Path) -> Iterator[str]:
    """Yield every module of ours that a file imports, at any depth."""
    known = {name for package in ("proxy", "plugins") for name, _ in modules(package)}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            deeper = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in deeper if name in known)
            if any(name not in known for name in deeper) and node.module in known:
                yield node.module


def layer(name: str) -> int:
    for height, names in enumerate(LAYERS):
        if any(name == each or (each != "proxy" and name.startswith(each + ".")) for each in names):
            return height
    raise AssertionError(f"{name} has no place in the layers of this test")


@pytest.mark.parametrize(("name", "path"), list(modules("proxy")), ids=lambda each: str(each))
def test_the_core_imports_downwards_and_never_a_plugin(name: str, path: Path) -> None:
    for imported in imports(path):
        assert not imported.startswith("plugins"), f"{name} imports {imported}"
        assert layer(imported) >= layer(name), f"{name} imports {imported}, which stands above it"


@pytest.mark.parametrize(("name", "path"), list(modules("plugins")), ids=lambda each: str(each))
def test_plugins_see_the_contract_and_their_own_files(name: str, path: Path) -> None:
    own = name.split(".")[1] if "." in name else ""
    friends = (own, *PLUGINS_MAY_SEE_EACH_OTHER.get(own, ()))
    for imported in imports(path):
        if imported.startswith("proxy"):
            assert imported == "proxy" or imported.startswith(PLUGINS_MAY_SEE), f"{name} imports {imported}"
        elif imported != "plugins":
            assert imported.split(".")[1] in friends, f"{name} imports {imported}"


def test_files_are_small() -> None:
    long = {}
    for package in ("proxy", "plugins"):
        for name, path in modules(package):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            if lines > 300:
                long[name] = lines
    assert not long, f"reshape these rather than raise the limit: {long}"
