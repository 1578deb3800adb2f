"""CORS for OTLP/HTTP from browsers: off by default; named origins only, never `*` with credentials (Fetch standard)."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence

from starlette.datastructures import Headers

_DEFAULT_HEADERS = ("content-type", "content-encoding", "authorization")
_MAX_AGE_S = 600


class Cors:
    """Which origins may send, and with which headers."""

    def __init__(self, origins: Sequence[str] = (), headers: Sequence[str] = ()) -> None:
        """Take the allowed origins (exact, or with `*` as a wildcard: `https://*.example.com`) and extra headers."""
        self._origins = tuple(origins)
        self._headers = ", ".join((*_DEFAULT_HEADERS, *(name.lower() for name in headers)))

    def headers(self, request: Headers) -> list[tuple[bytes, bytes]]:
        """Headers that an answer carries for this request; none for an origin that is not allowed."""
        if not self._origins:
            return []
        vary = [(b"vary", b"Origin")]
        origin = request.get("origin")
        if origin is None or not self.allows(origin):
            return vary
        return [*vary, (b"access-control-allow-origin", origin.encode("latin-1"))]

    def preflight(self, request: Headers) -> list[tuple[bytes, bytes]] | None:
        """Headers of the answer to a preflight; None when it is none, or its origin is not allowed."""
        if not self._origins or "access-control-request-method" not in request:
            return None
        headers = self.headers(request)
        if len(headers) < 2:
            return None
        return [
            *headers,
            (b"access-control-allow-methods", b"POST"),
            (b"access-control-allow-headers", self._headers.encode()),
            (b"access-control-max-age", str(_MAX_AGE_S).encode()),
        ]

    def allows(self, origin: str) -> bool:
        """Whether a page of this origin may send."""
        return any(fnmatch.fnmatchcase(origin.lower(), pattern.lower()) for pattern in self._origins)
