"""Connections to remote endpoints: who we say we are, and which addresses may be reached."""

from __future__ import annotations

import functools
import ipaddress
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp

from proxy import __version__
from proxy.errors import ConfigError
from proxy.settings import EndpointTable

_KEEP_S = 15
_HEAD_BYTES = 64 * 1024
_AddressInfo = tuple[int, int, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]]


class PrivateAddressError(OSError):
    """An address that the word of an endpoint must not lead us to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Connections:
    """Hold the connections of one endpoint.

    ``home`` goes where the operator said. ``elsewhere`` goes where the endpoint redirects to: that is not the
    operator's word, so it carries no password and reaches public addresses only, checked when the name is resolved.
    """

    home: aiohttp.ClientSession
    elsewhere: aiohttp.ClientSession


@asynccontextmanager
async def connections(name: str, table: EndpointTable, contact: str) -> AsyncIterator[Connections]:
    """Open the sessions of an endpoint. Raises ConfigError where its password is not in the environment."""
    agent = f"saga-sparql-proxy/{__version__}" + (f" ({contact})" if contact else "")
    headers = {"User-Agent": agent, "Accept-Encoding": "gzip, deflate"}
    # The body is decompressed by us, since only so a compressed one that was cut is told from a whole one.
    session = functools.partial(
        aiohttp.ClientSession, auto_decompress=False, max_line_size=_HEAD_BYTES, max_field_size=_HEAD_BYTES
    )
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=table.connect_s, sock_read=table.idle_s)
    home = session(
        timeout=timeout,
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_S),
        headers={**headers, **_authorization(name, table), **table.headers},
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    elsewhere = session(
        timeout=timeout,
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_KEEP_S, socket_factory=_public_socket),
        headers=headers,
        cookie_jar=aiohttp.DummyCookieJar(),
    )
    async with home, elsewhere:
        yield Connections(home=home, elsewhere=elsewhere)


def _public_socket(info: _AddressInfo) -> socket.socket:
    """Open a socket for a resolved address, where that is public. Raises PrivateAddressError."""
    family, kind, proto, _, address = info
    if not ipaddress.ip_address(str(address[0]).partition("%")[0]).is_global:
        raise PrivateAddressError(f"redirected to {address[0]}, which is not a public address")
    made = socket.socket(family, kind, proto)
    made.setblocking(False)
    return made


def _authorization(name: str, table: EndpointTable) -> dict[str, str]:
    if not table.user:
        return {}
    password = os.environ.get(table.password_env)
    if password is None:
        raise ConfigError(f"endpoints.{name}.password_env: the environment has no variable {table.password_env!r}")
    return {"Authorization": aiohttp.encode_basic_auth(table.user, password)}
