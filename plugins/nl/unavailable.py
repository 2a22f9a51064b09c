"""The error of a question that cannot even begin."""

from __future__ import annotations

from proxy.errors import UpstreamError


class Unavailable(UpstreamError):
    """Model or endpoint are gone; the same question may be answered later."""

    status = 503
    code = "unavailable"
    title = "Unavailable"
