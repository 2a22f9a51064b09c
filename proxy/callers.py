"""Who asks, and what they may do. Checked here, whatever plugins are on."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import hmac
import ipaddress
from collections.abc import Mapping, Sequence

from proxy.contract import Caller, Right
from proxy.errors import Forbidden, Unauthorized
from proxy.settings import Key, Server

Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# So many callers are remembered by what they send, where that is short: keys are hashed once for each.
_KEPT = 1024
_KEPT_LENGTH = 500


class Callers:
    """Know the keys and the trusted proxies of a configuration."""

    def __init__(self, server: Server, keys: Mapping[str, Key]) -> None:
        self._keys = keys
        self._trusted: Sequence[Network] = [ipaddress.ip_network(each) for each in server.trusted_proxies]
        self._anonymous = frozenset(server.anonymous)
        self._remembered = functools.lru_cache(_KEPT)(self._identified)

    def identify(self, peer: str, forwarded: str | None, authorization: str | None) -> Caller:
        """Return who asks. A key that is given must be known: a typing error never turns into an anonymous caller.

        Raises:
            Unauthorized: the key is unknown, or the header cannot be read.
        """
        short = len(forwarded or "") + len(authorization or "") <= _KEPT_LENGTH
        return (self._remembered if short else self._identified)(peer, forwarded, authorization)

    def _identified(self, peer: str, forwarded: str | None, authorization: str | None) -> Caller:
        address = self._address(peer, forwarded)
        hidden = bool(forwarded) and address == peer
        if not authorization or not self._keys:
            return Caller(address=address, rights=self._anonymous, forwarded=hidden)
        digest = hashlib.sha256(_secret(authorization)).hexdigest()
        for name, key in self._keys.items():
            if hmac.compare_digest(digest, key.sha256.lower()):
                return Caller(address=address, key=name, rights=frozenset(key.rights), forwarded=hidden)
        raise _unauthorized("This key is not known here.")

    def _address(self, peer: str, forwarded: str | None) -> str:
        """Return the address behind trusted proxies: the last one in the chain that is not one of them."""
        address = peer
        for hop in reversed((forwarded or "").split(",")):
            if not hop.strip() or not self._is_trusted(address):
                break
            address = hop.strip()
        return address

    def _is_trusted(self, address: str) -> bool:
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in self._trusted)

    def demand(self, caller: Caller, right: Right) -> None:
        """Let the caller pass where it holds the right.

        Raises:
            Unauthorized: a key is needed and none was given.
            Forbidden: the key lacks the right.
        """
        if right in caller.rights:
            return
        if caller.key is None and self._keys:
            raise _unauthorized(f"A key with the right `{right}` is needed: Authorization: Bearer KEY.")
        raise Forbidden(f"The right `{right}` is needed and {_name(caller)} does not have it.")

    def demand_update(self, caller: Caller, *, local: bool) -> None:
        """Let an update pass: by right, or straight from this machine where no key could hold the right.

        Raises:
            Unauthorized: a key is needed and none was given.
            Forbidden: the key lacks the right, or the caller is elsewhere.
        """
        if any("update" in key.rights for key in self._keys.values()) or "update" in self._anonymous:
            self.demand(caller, "update")
        elif not local:
            raise Forbidden(
                "Updates are taken straight from this machine only: no key of the configuration may update."
            )


def _name(caller: Caller) -> str:
    return f"the key `{caller.key}`" if caller.key else "a caller without a key"


def _unauthorized(detail: str) -> Unauthorized:
    return Unauthorized(detail, headers={"WWW-Authenticate": 'Bearer realm="saga", Basic realm="saga"'})


def _secret(authorization: str) -> bytes:
    """Return the key from `Bearer KEY`, or from the password of HTTP Basic."""
    scheme, _, value = authorization.strip().partition(" ")
    if scheme.lower() == "bearer":
        return value.strip().encode()
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            pass
    raise _unauthorized("Send the key as `Authorization: Bearer KEY`, or as the password of HTTP Basic.")
