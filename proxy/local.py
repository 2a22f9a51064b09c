"""Whether a request comes straight from a program on this machine."""

from __future__ import annotations

import ipaddress

from aiohttp import web

# A reverse proxy on this machine is not its operator.
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via")


def from_this_machine(request: web.Request, address: str) -> bool:
    """Whether nobody stands between the caller and us, neither a proxy nor a page of others in a browser.

    ``address`` is the caller's. The name in Host keeps out pages whose own name was made to mean this machine.
    """
    if not is_loopback(address) or any(name in request.headers for name in _FORWARDED):
        return False
    try:
        # The library reads Host only now.
        host, own = request.url.host or "", str(request.url.origin())
    except ValueError:
        return False
    # An image or a form of another page comes without an Origin; browsers say so here.
    foreign = request.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin")
    return not foreign and (host == "localhost" or is_loopback(host)) and request.headers.get("Origin", own) == own


def is_loopback(address: str) -> bool:
    """Whether an address is this machine's own, also one of IPv4 that is written as one of IPv6."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return (getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback
