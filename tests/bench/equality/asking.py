"""Three ways to send a query by HTTP, with nothing of ours."""

from __future__ import annotations

import urllib.error
import urllib.request
from urllib.parse import quote, urlencode

METHODS = ("get", "form", "direct")


class Refused(Exception):
    """The answer is an error, or not what was asked for."""


def ask(url: str, text: str, media_type: str, method: str, seconds: float) -> bytes:
    """Return the body. Raises Refused."""
    headers = {"Accept": media_type}
    data = None
    if method == "get":
        url = f"{url}?query={quote(text, safe='')}"
    elif method == "form":
        data = urlencode({"query": text}).encode()
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    else:
        data = text.encode()
        headers["Content-Type"] = "application/sparql-query"
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=seconds) as response:
            given = response.headers.get_content_type()
            if given != media_type:
                raise Refused(f"asked for {media_type}, given {given}")
            body = response.read()
            assert isinstance(body, bytes)
            return body
    except urllib.error.HTTPError as error:
        raise Refused(f"HTTP {error.code}: {error.read(1000).decode(errors='replace')}") from error
    except OSError as error:
        raise Refused(f"{type(error).__name__}: {error}") from error
