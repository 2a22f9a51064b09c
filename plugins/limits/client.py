"""Who a limit belongs to: a key by its name, else an address."""

from __future__ import annotations

import functools
import ipaddress

from proxy.contract import Caller

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

# What one household or machine gets from its provider; below it addresses are changed at will.
_IPV6_BITS = 64
_LONGEST = 64
# Addresses come again: so many are remembered as read.
_KEPT = 4096


def address_of(caller: Caller) -> Address | None:
    """Return the caller's address, an IPv4 one also where it is written as IPv6; None where it cannot be read."""
    return _parsed(_cut(caller))


def client_of(caller: Caller) -> str:
    """Return the name under which a caller is counted: its key, its IPv4 address, or the /64 of its IPv6 address."""
    return f"key {caller.key}" if caller.key is not None else _client_at(_cut(caller))


def _cut(caller: Caller) -> str:
    """Return no more of what calls itself an address than shows that it is none."""
    return caller.address[: _LONGEST + 1]


@functools.lru_cache(maxsize=_KEPT)
def _parsed(address: str) -> Address | None:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


@functools.lru_cache(maxsize=_KEPT)
def _client_at(address: str) -> str:
    parsed = _parsed(address)
    if parsed is None:
        return f"address {address[:_LONGEST]}"
    if parsed.version == 4:
        return f"address {parsed}"
    return f"address {ipaddress.ip_network((parsed, _IPV6_BITS), strict=False)}"
