"""httpx, requests, urllib3, aiohttp, urllib, and the API clients built upon them."""

from __future__ import annotations

from telltale._families import _retry_after
from telltale._families._names import ancestry, comes_from
from telltale._mapper import Failure
from telltale.vocabulary import Code, code_of_http

_CLIENTS = ("httpx", "httpcore", "requests", "urllib3", "aiohttp", "http")
_BAD_URL = "The address is not a valid URL. Correct it and try again."
_UNREACHABLE = "The service could not be reached. Try once more later."
_TIMEOUTS = frozenset(
    {
        "httpx.TimeoutException",
        "httpcore.TimeoutException",
        "requests.Timeout",
        "urllib3.TimeoutError",
        "aiohttp.ServerTimeoutError",
    }
)
_CALLER = frozenset(
    {
        "httpx.UnsupportedProtocol",
        "httpx.InvalidURL",
        "httpx.LocalProtocolError",
        "requests.InvalidURL",
        "requests.MissingSchema",
        "requests.InvalidSchema",
        "urllib3.LocationParseError",
        "aiohttp.InvalidURL",
        "http.InvalidURL",
    }
)
_BROKEN_LINE = frozenset(
    {
        "httpx.NetworkError",
        "httpx.ProxyError",
        "httpx.RemoteProtocolError",
        "httpcore.NetworkError",
        "httpcore.RemoteProtocolError",
        "httpcore.ProxyError",
        "requests.ConnectionError",
        "requests.ChunkedEncodingError",
        "requests.RetryError",
        "urllib3.MaxRetryError",
        "urllib3.ProtocolError",
        "urllib3.NewConnectionError",
        "urllib3.ProxyError",
        "urllib3.PoolError",
        "urllib3.SSLError",
        "aiohttp.ClientConnectionError",
        "aiohttp.ClientPayloadError",
        "http.RemoteDisconnected",
        "http.IncompleteRead",
        "http.BadStatusLine",
    }
)
_CERTIFICATE = frozenset({"ssl.SSLCertVerificationError", "aiohttp.ClientConnectorCertificateError"})


def http_status_error(exc: BaseException) -> Failure | None:
    """An exception that carries an HTTP status: httpx and requests (`response.status_code`), aiohttp (`status`),
    urllib (`code`), and API clients (`status_code`).
    """
    status, headers = _status_of(exc)
    code = code_of_http(status) if status is not None else None
    if code is None:
        return None
    return Failure(code, f"http {status}", retry_after_seconds=_retry_after.from_headers(headers))


def http_client_fault(exc: BaseException) -> Failure | None:
    """A request that got no answer: timeouts, refused and broken connections, unusable URLs, bad certificates."""
    names = ancestry(exc)
    kind = type(exc).__name__
    if names & _TIMEOUTS:
        return Failure(Code.UNAVAILABLE, f"timeout {kind}", "The service did not answer in time. Try once more later.")
    if names & _CERTIFICATE or _certificate_inside(exc):
        return Failure(Code.INTERNAL, f"tls {kind}")
    if names & _CALLER:
        return Failure(Code.INVALID_ARGUMENT, f"url {kind}", _BAD_URL)
    if names & _BROKEN_LINE:
        return Failure(Code.UNAVAILABLE, f"connection {kind}", _UNREACHABLE)
    return None


def _status_of(exc: BaseException) -> tuple[int | None, object]:
    response = getattr(exc, "response", None)
    for owner, name in (
        (response, "status_code"),
        (response, "status"),
        (exc, "status_code"),
        (exc, "status"),
        (exc, "code"),
    ):
        value = getattr(owner, name, None) if owner is not None else None
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value <= 599:
            headers = getattr(response, "headers", None)
            return int(value), headers if headers is not None else getattr(exc, "headers", None)
    return None, None


def _certificate_inside(exc: BaseException) -> bool:
    """Whether a client's connection error was a certificate that did not verify: waiting will not mend that."""
    if not comes_from(exc, *_CLIENTS):
        return False
    from telltale._mapper import chain

    return any(ancestry(inner) & _CERTIFICATE for inner in chain(exc))
