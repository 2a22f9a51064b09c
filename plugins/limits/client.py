"""Who a limit belongs to: a key by its name, else an address."""

from __future__ import annotations

import ipaddress

from proxy.contract import Caller

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# What one household or machine gets from its provider; below it addresses are changed at will.
_IPV6_BITS = 64
_LONGEST = 64


def address_of(caller: Caller) -> Address | None:
    """Return the caller's address, an IPv4 one also where it is written as IPv6; None where it cannot be read."""
    try:
        parsed = ipaddress.ip_address(caller.address.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


def client_of(caller: Caller) -> str:
    """Return the name under which a caller is counted: its key, its IPv4 address, or the /64 of its IPv6 address."""
    if caller.key is not None:
        return f"key {caller.key}"
    parsed = address_of(caller)
    if parsed is None:
        return f"address {caller.address[:_LONGEST]}"
    if parsed.version == 4:
        return f"address {parsed}"
    return f"address {ipaddress.ip_network((parsed, _IPV6_BITS), strict=False)}"
