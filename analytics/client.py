"""The client of the query API, for the dashboard, the command line and scripts.

Errors:

    ApiError                the service answered, and says what is wrong
    └── ApiUnavailable      nobody answered, or the service cannot answer now
"""

from __future__ import annotations

import io
from typing import Any, cast
from urllib.parse import quote

import httpx
import pyarrow as pa
import pyarrow.ipc

ARROW = "application/vnd.apache.arrow.stream"
DEFAULT_URL = "http://127.0.0.1:4319"

Filter = str | int | bool | None


class ApiError(Exception):
    """The service refused the request; the text is its sentence. `status` is the HTTP status, 0 without an answer."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class ApiUnavailable(ApiError):
    """No answer can be had now: nobody listens, it took too long, or the service says to come back later."""


class ApiClient:
    """Asks one service. Safe to share between threads; use as a context manager or call `close`."""

    def __init__(
        self,
        base_url: str = DEFAULT_URL,
        timeout: float = 10.0,
        *,
        token: str | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """
        Args:
            base_url: where the API listens, without `/api/v1`.
            timeout: seconds for one request.
            token: sent as a bearer token where the service asks for one.
            transport: another way to reach the service, for tests.
        """
        self.base_url = base_url.rstrip("/")
        headers = {"x-telltale-request": "1", **({"authorization": f"Bearer {token}"} if token else {})}
        self._http = httpx.Client(
            base_url=f"{self.base_url}/api/v1/", timeout=timeout, headers=headers, transport=transport, trust_env=False
        )

    def get(self, *path: str, **filters: Filter) -> dict[str, Any]:
        """The JSON answer of an endpoint: `get("tools", since="7d")`, `get("sessions", session_id, "replay")`.

        Raises:
            ApiUnavailable: no answer can be had now.
            ApiError: the request is refused.
        """
        return self._object(self._send("GET", path, filters))

    def table(self, *path: str, **filters: Filter) -> pa.Table:
        """The rows of a list endpoint as an Arrow table; `as_of` and `total` are in its schema metadata.

        Raises:
            ApiUnavailable: no answer can be had now.
            ApiError: the request is refused.
        """
        answer = self._send("GET", path, filters, accept=ARROW)
        with pa.ipc.open_stream(io.BytesIO(answer.content)) as reader:
            return reader.read_all()

    def post(self, *path: str, body: dict[str, Any] | None = None, **filters: Filter) -> dict[str, Any]:
        """Send something: `post("corrections", body={...})`.

        Raises:
            ApiUnavailable: no answer can be had now.
            ApiError: the request is refused.
        """
        return self._object(self._send("POST", path, filters, body=body or {}))

    def close(self) -> None:
        """Release the connections."""
        self._http.close()

    def __enter__(self) -> ApiClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(
        self,
        method: str,
        path: tuple[str, ...],
        filters: dict[str, Filter],
        accept: str = "application/json",
        body: dict[str, Any] | None = None,
    ) -> httpx.Response:
        place = path[0] if len(path) == 1 else "/".join(quote(part, safe="") for part in path)
        given = {name: _text(value) for name, value in filters.items() if value is not None}
        try:
            answer = self._http.request(method, place, params=given, json=body, headers={"accept": accept})
        except httpx.TimeoutException:
            raise ApiUnavailable(f"the service at {self.base_url} did not answer in time") from None
        except httpx.HTTPError as error:
            raise ApiUnavailable(f"no service answers at {self.base_url} ({type(error).__name__})") from None
        except httpx.InvalidURL:
            raise ApiError(f"{self.base_url!r} is not the address of a service") from None
        if answer.is_success:
            return answer
        kind = ApiUnavailable if answer.status_code in (429, 502, 503, 504) else ApiError
        raise kind(_sentence(answer), answer.status_code)

    def _object(self, answer: httpx.Response) -> dict[str, Any]:
        try:
            return cast("dict[str, Any]", answer.json())
        except ValueError:
            raise ApiError(f"what answers at {self.base_url} is not a Telltale service", answer.status_code) from None


def _text(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _sentence(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["error"])[:500]
    except (ValueError, KeyError, TypeError):
        return f"the service answered {answer.status_code} without a reason"
