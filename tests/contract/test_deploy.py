"""What `deploy/` tells an operator is true: series, alerts, settings and files that it names exist."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pyoxigraph
import pytest

from plugins.breaker import Breaker
from plugins.breaker.verdict import Reason
from plugins.cache import Cache
from plugins.cache.events import Event
from plugins.limits import Limits
from plugins.nl.model.contract import Outcome as ModelOutcome
from plugins.schema.findings import Code, Severity
from plugins.schema.guard import Guard
from proxy.loader import load
from proxy.observe import Outcome
from proxy.settings import EndpointTable, Server
from proxy.syntax import Form
from tests import stage
from tests.prometheus import promtool

DEPLOY = stage.ROOT / "deploy"
README = (DEPLOY / "README.md").read_text(encoding="utf-8")
ALERTS = (DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8")
CASES = (DEPLOY / "prometheus" / "alerts_test.yml").read_text(encoding="utf-8")
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "dashboard.json").read_text(encoding="utf-8"))
COMPOSE = (DEPLOY / "compose.yml").read_text(encoding="utf-8")
# Labels that Prometheus itself adds.
ADDED = {"job", "instance", "le"}
VALUES = {
    "outcome": {each.value for each in Outcome} | set(get_args(ModelOutcome)),
    "form": {each.value for each in Form},
    "phase": {"queue", "first_byte", "total", "overhead"},
    "source": {"client", "nl"},
    "event": {each.value for each in Event},
    "reason": set(get_args(Reason)),
    "code": set(get_args(Code)),
    "severity": set(get_args(Severity)),
    "job": {"saga"},
}
TABLES: Mapping[str, type] = {
    "server": Server,
    "endpoints.NAME": EndpointTable,
    "limits": Limits.Options,
    "cache": Cache.Options,
    "breaker": Breaker.Options,
    "guard": Guard.Options,
}


def registered() -> dict[str, set[str]]:
    """Return the labels of every series that the code makes, by each name under which it is shown."""
    shown: dict[str, set[str]] = {"up": set()}
    ends = {"counter": ("_total",), "gauge": ("",), "histogram": ("_bucket", "_count", "_sum")}
    for path in (path for package in ("proxy", "plugins") for path in (stage.ROOT / package).rglob("*.py")):
        for call in (node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)):
            kind = getattr(call.func, "attr", getattr(call.func, "id", ""))
            values = (node.value for node in ast.walk(call) if isinstance(node, ast.Constant))
            words = [value for value in values if isinstance(value, str)]
            if kind in ends and words and words[0].startswith("saga_"):
                # The name, what it is about, and then the labels.
                shown.update({words[0] + end: set(words[2:]) | ADDED for end in ends[kind]})
    return shown


SERIES = registered()


def expressions() -> Iterator[tuple[str, str]]:
    """Yield every expression of the alerts and of the dashboard, with where it stands."""
    for name, rule in alerts().items():
        found = re.search(r"expr: (?:\|\n)?((?:.|\n)*?)\n +(?:for|labels):", rule)
        assert found is not None, name
        yield name, found[1]
    for panel in DASHBOARD["panels"]:
        yield from ((panel["title"], target["expr"]) for target in panel["targets"])


def alerts() -> dict[str, str]:
    """Return the text of each alert."""
    return dict(re.findall(r"- alert: (\w+)\n((?:.|\n)*?)(?=\n +- alert:|\Z)", ALERTS))


@pytest.mark.parametrize(("where", "expression"), list(expressions()))
def test_expressions_use_series_labels_and_values_that_exist(where: str, expression: str) -> None:
    used = re.findall(r"\b(saga_\w+|up)\b(?:\{([^}]*)\})?", expression)
    assert used
    for name, selectors in used:
        assert name in SERIES, name
        for label, _, wanted in re.findall(r'(\w+)(=~?|!=)"([^"]*)"', selectors):
            assert label in SERIES[name] | ADDED, (name, label)
            assert label == "endpoint" or set(wanted.split("|")) <= VALUES[label], (label, wanted)
    every = set().union(*(SERIES[name] for name, _ in used)) | ADDED
    for grouped in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
        assert set(grouped.replace(" ", "").split(",")) <= every, grouped


def test_the_code_registers_what_the_design_names() -> None:
    assert SERIES["saga_queries_total"] == {"endpoint", "form", "outcome"} | ADDED
    assert {name for name in SERIES if name.startswith("saga_query_seconds")} == {
        f"saga_query_seconds_{end}" for end in ("bucket", "count", "sum")
    }
    variables = {each["name"]: each.get("query", "") for each in DASHBOARD["templating"]["list"]}
    assert variables["endpoint"] == "label_values(saga_queries_total, endpoint)"


def test_every_alert_says_what_it_is_and_has_its_section() -> None:
    sections = {heading.lower() for heading in re.findall(r"^### (\w+)$", README, re.MULTILINE)}
    assert {name.lower() for name in alerts()} == sections
    for name, rule in alerts().items():
        told = dict(re.findall(r"^ +(severity|summary|description|runbook_url): (.+)$", rule, re.MULTILINE))
        assert told.keys() == {"severity", "summary", "description", "runbook_url"}, name
        assert told["severity"] in ("critical", "warning")
        assert told["runbook_url"] == f"deploy/README.md#{name.lower()}"


def test_prometheus_reads_the_files_and_each_alert_fires_when_it_must_and_only_then() -> None:
    folder = DEPLOY / "prometheus"
    assert promtool("check", "config", str(folder / "prometheus.yml")) == ""
    assert promtool("check", "rules", str(folder / "alerts.yml")) == ""
    assert promtool("test", "rules", str(folder / "alerts_test.yml")) == ""


def test_every_alert_has_a_moment_at_which_it_fires_and_one_at_which_none_does() -> None:
    for name in alerts():
        cases = [case for case in CASES.split("- interval:") if f'alertname="{name}"' in case]
        assert cases, name
        assert all("exp_samples: []" in case for case in cases), name


def rows() -> dict[str, str]:
    """Return the settings of the table of limits with the defaults that it gives."""
    return dict(re.findall(r"^\| `([a-zA-Z_.]+)` \| `([^`]+)` \|", README, re.MULTILINE))


def bounds() -> dict[str, str]:
    """Return every number that an operator can set, with its default."""
    return {
        f"{table}.{field.name}": repr(field.default)
        for table, kind in TABLES.items()
        for field in dataclasses.fields(kind)
        if type(field.default) in (int, float) and field.name != "port"
    }


def test_every_bound_that_can_be_set_stands_in_the_page_with_its_default() -> None:
    assert rows() == bounds()


def test_settings_that_the_page_names_exist() -> None:
    known = {f"{table}.{field.name}" for table, kind in TABLES.items() for field in dataclasses.fields(kind)}
    named = re.findall(r"`((?:server|limits|cache|breaker|guard|endpoints\.NAME)\.\w+)", README)
    assert set(named) - known == set()


def test_files_that_compose_mounts_exist_and_its_configuration_is_good(tmp_path: Path) -> None:
    mounted = re.findall(r"- (\./[^:]+):", COMPOSE)
    assert mounted
    assert [each for each in mounted if not (DEPLOY / each).exists()] == []
    assert "/etc/prometheus:" in COMPOSE
    for image in re.findall(r"image: (\S+)", COMPOSE):
        assert re.search(r":v?\d", image), f"{image} names no version"
    shutil.copytree(stage.ROOT / "config", tmp_path / "config")
    shutil.copy(DEPLOY / "compose.toml", tmp_path / "config")
    loaded = load(tmp_path / "config" / "compose.toml")
    assert all(path.exists() for table in loaded.settings.endpoints.values() for path in table.load)
    target = (DEPLOY / "prometheus" / "prometheus.yml").read_text()
    assert f'"saga:{loaded.settings.server.port}"' in target


def test_what_the_image_holds_serves(tmp_path: Path) -> None:
    """Copy what the Dockerfile copies, and run its command there."""
    dockerfile = (DEPLOY / "Dockerfile").read_text()
    for words in (line.split()[1:] for line in dockerfile.splitlines() if line.startswith("COPY ")):
        *sources, target = words
        for source in sources:
            copy = shutil.copytree if (stage.ROOT / source).is_dir() else shutil.copy
            copy(stage.ROOT / source, tmp_path / target)
    found = re.search(r"^CMD (\[.*\])$", dockerfile, re.MULTILINE)
    assert found is not None
    port = stage.free_port()
    command = [sys.executable, "-m", "proxy", *json.loads(found[1]), "--port", str(port)]
    with stage.process(command, cwd=tmp_path) as child:
        stage.wait_for(f"http://127.0.0.1:{port}/health/live", child, 60)
        assert (tmp_path / "data" / "demo").is_dir()


def test_a_backup_as_the_page_says_is_a_whole_store(tmp_path: Path, demo_store: Path) -> None:
    if stage.program("flock") is None:
        pytest.skip("flock is not installed")
    found = re.search(r"```sh\n(snapshot=(?:.|\n)*?)```", README)
    assert found is not None
    environment = {"STORE": str(demo_store), "BACKUP": str(tmp_path / "copy"), "PATH": "/usr/bin:/bin"}
    subprocess.run(["sh", "-euc", found[1]], env=environment, check=True, timeout=60)
    source = pyoxigraph.Store.read_only(str(demo_store))
    assert len(pyoxigraph.Store(str(tmp_path / "copy"))) == len(source)
