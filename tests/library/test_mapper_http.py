"""The mapper over HTTP: statuses in every client's own exception, requests without an answer, Retry-After.

Libraries that are installed here are the real ones; of the others, classes of the same name and module stand in.
"""

from __future__ import annotations

import concurrent.futures
import errno
import socket
import ssl
import urllib.error
from email.message import Message
from email.utils import formatdate
from typing import Any

import aiohttp
import httpx
import pytest
import requests
import urllib3
from exceptions import URL, code_and_source, httpx_error, mapper, stand_in

from telltale import Code
from telltale._families._retry_after import from_headers

# --- HTTP status, in every client's own exception --------------------------------------------------------------------

STATUSES = {
    400: "INVALID_ARGUMENT",
    422: "INVALID_ARGUMENT",
    401: "PERMISSION_DENIED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    410: "NOT_FOUND",
    409: "CONFLICT",
    412: "CONFLICT",
    408: "UNAVAILABLE",
    425: "UNAVAILABLE",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "UNAVAILABLE",
    429: "RATE_LIMITED",
    500: "INTERNAL",
    501: "INTERNAL",
    418: "INVALID_ARGUMENT",
}


@pytest.mark.parametrize(("status", "code"), STATUSES.items())
def test_each_http_status_has_its_code(status: int, code: str) -> None:
    """The table of the contract, through httpx."""
    assert code_and_source(httpx_error(status)) == (code, f"http {status}")


def test_requests_status() -> None:
    """requests keeps the response on the exception."""
    response = requests.Response()
    response.status_code, response.url = 429, URL
    response.headers["Retry-After"] = "7"

    found = mapper.map(requests.HTTPError("429", response=response))

    assert (found.code, found.mapped_from, found.retry_after_seconds) == (Code.RATE_LIMITED, "http 429", 7)


def test_aiohttp_status() -> None:
    """aiohttp carries the status itself."""
    info: Any = None
    headers: Any = {"Retry-After": "3"}
    exc = aiohttp.ClientResponseError(info, (), status=503, headers=headers)

    found = mapper.map(exc)

    assert (found.code, found.mapped_from, found.retry_after_seconds) == (Code.UNAVAILABLE, "http 503", 3)


def test_urllib_status() -> None:
    """The standard library's client too."""
    headers = Message()
    headers["Retry-After"] = "5"
    with urllib.error.HTTPError(URL, 404, "gone", headers, None) as exc:
        assert code_and_source(exc) == ("NOT_FOUND", "http 404")


def test_api_clients_with_a_status_code() -> None:
    """API clients (OpenAI, Stripe, Google) name it `status_code`, `status` or `code`."""
    for path, name in (("openai.APIStatusError", "status_code"), ("google.api_core.exceptions.Conflict", "code")):
        assert code_and_source(stand_in(path, **{name: 409})()) == ("CONFLICT", "http 409")


# --- Requests without an answer --------------------------------------------------------------------------------------

UNANSWERED: list[tuple[Exception, str]] = [
    (httpx.ReadTimeout("x"), "timeout ReadTimeout"),
    (httpx.PoolTimeout("x"), "timeout PoolTimeout"),
    (httpx.ConnectError("x"), "connection ConnectError"),
    (httpx.RemoteProtocolError("x"), "connection RemoteProtocolError"),
    (requests.ConnectTimeout("x"), "timeout ConnectTimeout"),
    (requests.ConnectionError("x"), "connection ConnectionError"),
    (urllib3.exceptions.ReadTimeoutError(None, URL, "x"), "timeout ReadTimeoutError"),  # type: ignore[arg-type]
    (urllib3.exceptions.MaxRetryError(None, URL, None), "connection MaxRetryError"),  # type: ignore[arg-type]
    (aiohttp.ServerTimeoutError("x"), "timeout ServerTimeoutError"),
    (aiohttp.ServerDisconnectedError("x"), "connection ServerDisconnectedError"),
    (urllib.error.URLError(ConnectionRefusedError()), "connection ConnectionRefusedError"),
    (TimeoutError(), "timeout TimeoutError"),
    (TimeoutError(), "timeout TimeoutError"),
    (concurrent.futures.TimeoutError(), "timeout TimeoutError"),
    (concurrent.futures.CancelledError(), "timeout CancelledError"),
    (TimeoutError(), "timeout TimeoutError"),
    (socket.gaierror(-2, "Name or service not known"), "connection gaierror"),
    (ConnectionResetError(), "connection ConnectionResetError"),
    (BrokenPipeError(), "connection BrokenPipeError"),
    (ssl.SSLError(1, "handshake"), "connection SSLError"),
    (OSError(errno.EHOSTUNREACH, "x"), "os EHOSTUNREACH"),
    (stand_in("trio.TooSlowError")(), "timeout TooSlowError"),
]


@pytest.mark.parametrize(
    ("exc", "source"), UNANSWERED, ids=lambda value: getattr(value, "args", value) and str(value)[:30]
)
def test_what_got_no_answer_is_unavailable(exc: Exception, source: str) -> None:
    """Timeouts, refused and broken connections may pass."""
    assert code_and_source(exc) == ("UNAVAILABLE", source)


def test_a_bad_certificate_is_nobodys_outage() -> None:
    """Waiting does not mend a certificate, on its own or inside a client's connection error."""
    bad = ssl.SSLCertVerificationError(1, "certificate verify failed")
    wrapped = httpx.ConnectError("x")
    wrapped.__cause__ = bad

    assert code_and_source(bad) == ("INTERNAL", "tls SSLCertVerificationError")
    assert code_and_source(wrapped) == ("INTERNAL", "tls ConnectError")


def test_an_unusable_url_is_the_callers() -> None:
    """A URL that the model made up is an argument."""
    for exc in (httpx.UnsupportedProtocol("x"), requests.exceptions.MissingSchema("x"), aiohttp.InvalidURL("x")):
        assert code_and_source(exc)[0] == "INVALID_ARGUMENT"


# --- Retry-After -----------------------------------------------------------------------------------------------------

NOW = 1_800_000_000.0
WAITS: list[tuple[dict[str, str], float | None]] = [
    ({"Retry-After": "120"}, 120),
    ({"retry-after": formatdate(NOW + 60, usegmt=True)}, 60),
    ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0),
    ({"retry-after-ms": "1500"}, 1.5),
    ({"RateLimit": '"default";r=0;t=30'}, 30),
    ({"RateLimit-Reset": "12"}, 12),
    ({"X-RateLimit-Reset": str(int(NOW + 40))}, 40),
    ({"X-RateLimit-Reset": str(int((NOW + 40) * 1000))}, 40),
    ({"x-ratelimit-reset-after": "2.5"}, 2.5),
    ({"x-ratelimit-reset-requests": "1m30s"}, 90),
    ({"x-ratelimit-reset-requests": "250ms"}, 0.25),
    ({"retry-after": "soon"}, None),
    ({"retry-after": "-3"}, None),
    ({}, None),
]


@pytest.mark.parametrize(("headers", "seconds"), WAITS)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, dates, milliseconds, resets as duration or moment; what is not readable is not there."""
    assert from_headers(headers, NOW) == (None if seconds is None else pytest.approx(seconds))


def test_headers_that_are_none_at_all() -> None:
    """Anything may stand where headers should."""
    assert [from_headers(found) for found in (None, 3, "x", [("retry-after", "3")])] == [None] * 4
    assert from_headers({b"retry-after": b"4"}) == 4


def test_retry_after_reaches_the_envelope() -> None:
    """The model is told how long to wait."""
    assert mapper.map(httpx_error(503, {"retry-after": "9"})).envelope()["error"]["retry_after_seconds"] == 9
