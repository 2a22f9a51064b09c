# ruff: noqa: N802 - the ids of the cases keep their capital letter

from __future__ import annotations

from typing import Any, cast

import aiohttp
import pytest

from plugins.breaker.verdict import NEUTRAL, Kind, verdict
from proxy.endpoints.engine import Failure
from proxy.endpoints.engines import ENGINES
from proxy.endpoints.exchange import Exchange
from proxy.endpoints.places import Places
from proxy.errors import ProxyError, UpstreamBusy
from proxy.settings import EndpointTable
from proxy.settings import Engine as EngineName
from tests.contract.test_documented import every_error
from tests.embedded import query


def _translated(error: Exception) -> ProxyError:
    """Return what the endpoint makes of an error of the HTTP client."""
    exchange = Exchange.__new__(Exchange)
    exchange._table = EndpointTable(url="http://e.org/")
    exchange._total_s = 1.0
    with pytest.raises(ProxyError) as caught, exchange._translated():
        raise error
    return caught.value


_KEY = cast(Any, aiohttp.client_reqrep.ConnectionKey("e.org", 80, False, True, None, None, None))


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (aiohttp.ClientConnectorError(_KEY, ConnectionRefusedError(111, "refused")), Kind.DOWN, "connect"),
        (aiohttp.ConnectionTimeoutError(), Kind.DOWN, "connect"),
        (aiohttp.ServerDisconnectedError(), Kind.DOUBT, "reset"),
        (aiohttp.ClientOSError(104, "reset"), Kind.DOUBT, "reset"),
        (ConnectionResetError(104, "reset"), Kind.DOUBT, "reset"),
        (aiohttp.ClientPayloadError("cut"), Kind.DOUBT, "reset"),
        (aiohttp.SocketTimeoutError(), Kind.DOUBT, None),
        (TimeoutError(), Kind.DOUBT, None),
        (ValueError("garbage"), Kind.DOUBT, None),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, Exception) else None,
)
def test_errors_of_the_connection(error: Exception, kind: Kind, reason: str | None) -> None:
    found = verdict(_translated(error))
    assert (found.kind, found.reason) == (kind, reason)


def _answered(engine: EngineName, status: int, text: str, kind: str = "text/plain", **headers: str) -> ProxyError:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    failure = Failure(status=status, headers=given, content_type=kind, text=text)
    return ENGINES[engine].failure(failure, query("ASK {}"))


_QLEVER = '{"exception": "Operation was cancelled", "status": "ERROR", "query": "ASK {}"}'


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_answered("generic", 400, "Parse error"), Kind.NEUTRAL),
        (_answered("generic", 401, ""), Kind.NEUTRAL),
        (_answered("generic", 406, ""), Kind.NEUTRAL),
        (_answered("generic", 413, ""), Kind.NEUTRAL),
        (_answered("generic", 504, ""), Kind.NEUTRAL),
        (_answered("qlever", 429, _QLEVER, "application/json"), Kind.NEUTRAL),
        (_answered("fuseki", 503, "Query timed out"), Kind.NEUTRAL),
        (_answered("virtuoso", 500, "Virtuoso S1T00 Error SR171: Transaction timed out"), Kind.NEUTRAL),
        (_answered("virtuoso", 500, "The estimated execution time 9 exceeds the limit"), Kind.NEUTRAL),
        (_answered("blazegraph", 500, "com.bigdata.bop.engine.QueryTimeoutException"), Kind.NEUTRAL),
        (_answered("generic", 500, "NullPointerException"), Kind.DOUBT),
        (_answered("generic", 302, ""), Kind.DOUBT),
        (_answered("generic", 503, "overloaded"), Kind.DOUBT),
        (_answered("generic", 503, "overloaded", retry_after="1"), Kind.REST),
        (_answered("generic", 429, "slow down"), Kind.REST),
    ],
    ids=lambda each: each.private[:20] if isinstance(each, ProxyError) else None,
)
def test_P51_P64_what_an_engine_says_of_the_query_says_nothing_of_the_endpoint(error: ProxyError, kind: Kind) -> None:
    assert verdict(error).kind is kind


def test_the_pause_is_the_one_that_the_endpoint_asks_for() -> None:
    found = verdict(_answered("generic", 429, "", retry_after="77"))
    assert (found.rest_s, found.reason) == (77.0, "busy")


async def test_our_own_queue_is_no_word_of_the_endpoint() -> None:
    places = Places(1, 0, 1.0)
    await places.take()
    with pytest.raises(UpstreamBusy) as caught:
        await places.take()
    assert verdict(caught.value) is NEUTRAL


@pytest.mark.parametrize("kind", every_error(), ids=lambda kind: kind.__name__)
def test_P64_an_error_without_a_cause_is_never_worth_a_retry_unless_the_answer_was_cut(kind: type[ProxyError]) -> None:
    found = verdict(kind("said"))
    assert found.reason == ("reset" if kind.__name__ == "Truncated" else None)
    if kind.__name__ not in ("Truncated", "Overloaded", "UpstreamFailed"):
        assert found is NEUTRAL
