"""Cases P45, P46, P53: redirects of the endpoint, what clients know us by, and who we say we are."""

# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

import pytest

from proxy import __version__
from proxy.errors import ConfigError
from proxy.loader import check
from tests import stage, wire
from tests.fronts import LARGE, front
from tests.profiles import select
from tests.upstream import Answer, Upstream

ASK = {"query": "ASK {}"}
SELECT = {"query": "SELECT * {?s ?p ?o}"}


def _redirect(status: int, target: str) -> Answer:
    return Answer(status=status, type="text/html", body=b"<p>moved", headers=[("Location", target)])


@pytest.mark.parametrize("status", [301, 302, 303])
async def test_P45_a_post_never_becomes_a_get(status: int) -> None:
    async with Upstream(_redirect(status, "/elsewhere"), Answer()) as up, front(up) as url:
        got = await wire.get(url, ASK)
        assert (got.status, got.json["code"]) == (502, "upstream_failed")
        assert "redirect" in got.json["detail"].lower()
        assert [sent.method for sent in up.sent] == ["POST"]


@pytest.mark.parametrize("status", [307, 308])
async def test_P45_a_redirect_that_keeps_the_body_is_followed_once(status: int) -> None:
    async with Upstream(_redirect(status, "/elsewhere"), Answer()) as up, front(up) as url:
        got = await wire.get(url, {**ASK, "default-graph-uri": "http://e.org/g"})
        assert (got.status, got.json["boolean"]) == (200, True)
        assert [(sent.method, sent.path) for sent in up.sent] == [("POST", "/sparql"), ("POST", "/elsewhere")]
        assert up.sent[1].form == up.sent[0].form == {"query": ["ASK {}"], "default-graph-uri": ["http://e.org/g"]}
    async with Upstream(_redirect(status, "/again")) as up, front(up) as url:
        assert (await wire.get(url, ASK)).status == 502
        assert len(up.sent) == 2


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest",
        "http://10.0.0.1/sparql",
        "http://[::1]:1/sparql",
        "http://localhost:1/sparql",
        "file:///etc/passwd",
        "gopher://e.org/",
        "//10.0.0.1/x",
        "http://e.org:99999/",
    ],
)
async def test_P45_a_redirect_leads_to_no_private_place(target: str) -> None:
    async with Upstream(_redirect(307, target), Answer()) as up, front(up) as url:
        got = await wire.get(url, ASK)
        assert (got.status, got.json["code"]) == (502, "upstream_failed")
        assert len(up.sent) == 1


async def test_P45_a_password_is_not_carried_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAGA_TEST_PASSWORD", "secret")
    async with Upstream() as other, Upstream(_redirect(308, other.url)) as up:
        async with front(up, user="me", password_env="SAGA_TEST_PASSWORD") as url:
            # Another port of this machine is another service, and a private one.
            assert (await wire.get(url, ASK)).status == 502
            assert up.last.headers["authorization"] == "Basic bWU6c2VjcmV0"
        assert other.connections == 0


async def test_P46_clients_recognise_an_endpoint() -> None:
    async with Upstream(lambda sent: select(LARGE) if "SELECT" in sent.text else Answer()) as up, front(up) as url:
        pages = {
            "description": await wire.get(url),
            "head": await wire.get(url, method="HEAD"),
            "options": await wire.send(url, "OPTIONS"),
            "wrong type": await wire.send(url, "POST", {"Content-Type": "text/plain"}, b"x"),
        }
        for name, got in pages.items():
            posts = [part.strip() for part in (got.header("accept-post") or "").split(",")]
            assert posts[:2] == ["application/sparql-query", "application/x-www-form-urlencoded"], name
        pages["answer"] = await wire.get(url, ASK)
        pages["stream"] = await wire.get(url, SELECT)
        pages["error"] = await wire.get(url, {"query": ""})
        pages["nowhere"] = await wire.get(url.replace("sparql", "x"))
        pages["long line"] = await wire.send(f"{url}?query={'x' * 1_100_000}", "GET")
        for name, got in pages.items():
            assert got.every("server") == ["saga"], name


async def test_P53_we_say_who_we_are() -> None:
    contact = "https://kg.example/about; ops@kg.example"
    async with Upstream() as up, front(up, {"contact": contact}) as url:
        await wire.get(url, ASK, {"User-Agent": "curl/8"})
        await wire.get(url.replace("/sparql", "/health/ready"))
        agents = {sent.headers["user-agent"] for sent in up.sent}
        assert len(up.sent) == 2
        assert agents == {f"saga-sparql-proxy/{__version__} ({contact})"}


async def test_P53_without_a_contact_the_agent_still_has_name_and_version() -> None:
    async with Upstream() as up, front(up) as url:
        await wire.get(url, ASK)
        assert up.last.headers["user-agent"] == f"saga-sparql-proxy/{__version__}"


@pytest.mark.parametrize("host", ["query.wikidata.org", "commons-query.wikimedia.org", "QUERY.WIKIDATA.ORG"])
def test_P53_wikimedia_needs_a_contact(host: str) -> None:
    tables = {"endpoints": {"w": {"url": f"https://{host}/sparql"}}}
    with pytest.raises(ConfigError, match="contact"):
        check(tables, stage.ROOT)
