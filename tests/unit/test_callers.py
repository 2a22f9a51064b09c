from __future__ import annotations

import base64
import hashlib

import pytest

from proxy.callers import Callers
from proxy.contract import Caller
from proxy.errors import Forbidden, Unauthorized
from proxy.settings import Key, Server

SECRET = "correct horse"
BOT = Key(sha256=hashlib.sha256(SECRET.encode()).hexdigest(), rights=("query", "update"))


def callers(**server: tuple[str, ...]) -> Callers:
    return Callers(Server(**server), {"bot": BOT})  # type: ignore[arg-type]  # a test gives only tuples


def test_a_key_travels_as_bearer_or_basic_password() -> None:
    basic = base64.b64encode(f"anyone:{SECRET}".encode()).decode()
    for header in (f"Bearer {SECRET}", f"bearer  {SECRET}", f"Basic {basic}"):
        caller = callers().identify("192.0.2.1", None, header)
        assert caller.key == "bot"
        assert caller.rights == {"query", "update"}


@pytest.mark.parametrize("header", ["Bearer wrong", "Bearer", "Basic ???", "Digest x", "Basic " + "YQ=="])
def test_a_wrong_key_is_never_anonymous(header: str) -> None:
    with pytest.raises(Unauthorized) as caught:
        callers().identify("192.0.2.1", None, header)
    assert "Bearer" in caught.value.headers["WWW-Authenticate"]


def test_without_keys_an_authorization_header_means_nothing() -> None:
    assert Callers(Server(), {}).identify("192.0.2.1", None, "Bearer x").rights == {"query"}


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", None, "192.0.2.1"),
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "nonsense", "nonsense"),
        ("10.0.0.1", "", "10.0.0.1"),
    ],
)
def test_only_trusted_proxies_are_believed(peer: str, forwarded: str | None, address: str) -> None:
    assert callers(trusted_proxies=("10.0.0.0/8",)).identify(peer, forwarded, None).address == address


def test_rights_are_demanded() -> None:
    known = callers()
    known.demand(Caller(address="x"), "query")
    with pytest.raises(Unauthorized):
        known.demand(Caller(address="x"), "admin")
    with pytest.raises(Forbidden):
        known.demand(Caller(address="x", key="bot", rights=frozenset({"query"})), "admin")


def test_updates_without_a_key_that_may_are_for_this_machine() -> None:
    open_house = Callers(Server(), {})
    open_house.demand_update(Caller(address="127.0.0.1"), local=True)
    with pytest.raises(Forbidden):
        open_house.demand_update(Caller(address="127.0.0.1"), local=False)
    with pytest.raises(Unauthorized):
        callers().demand_update(Caller(address="127.0.0.1"), local=True)
