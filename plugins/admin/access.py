"""Who may look and kill: callers with the `admin` right, and programs on this machine that ask it directly."""

from __future__ import annotations

import ipaddress

from aiohttp import web

from proxy.contract import CALLER
from proxy.errors import Forbidden, Unauthorized

# A reverse proxy on this machine is not its operator.
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")
_ADVICE = "This page is for callers with the right `admin`, or for this machine itself, asked by a loopback address."


def demand_admin(request: web.Request) -> None:
    """Let the caller pass or not. Raises Unauthorized, Forbidden."""
    caller = request[CALLER]
    if "admin" in caller.rights:
        return
    if caller.key is not None:
        raise Forbidden(f"{_ADVICE} The key `{caller.key}` does not have it.")
    if not _is_this_machine(request, caller.address):
        raise Unauthorized(_ADVICE, headers={"WWW-Authenticate": 'Bearer realm="saga", Basic realm="saga"'})


def _is_this_machine(request: web.Request, address: str) -> bool:
    """Whether nobody stands between the caller and us, neither a proxy nor a page of others in a browser.

    The name in Host keeps out pages whose own name was made to mean this machine.
    """
    if any(name in request.headers for name in _FORWARDED) or not _is_loopback(address):
        return False
    try:
        # The library reads Host only now.
        host, own = request.url.host or "", str(request.url.origin())
    except ValueError:
        return False
    return (host == "localhost" or _is_loopback(host)) and request.headers.get("Origin", own) == own


def _is_loopback(address: str) -> bool:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback
