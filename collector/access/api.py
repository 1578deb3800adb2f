"""The door of the query API, around whatever application answers: Host, token, role, and no cross-site changes."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import urlsplit

import structlog
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from collector.access.backoff import BackOff
from collector.access.hosts import HostCheck
from collector.access.tokens import API_ROLES, Role, Token, TokenTable, bearer

log = structlog.get_logger("collector.access")

OPEN_PATHS = frozenset({"/healthz", "/readyz"})
"""Answered without a token, for probes; they tell nothing but whether the service is well."""

_OPERATOR_PATHS = ("/api/v1/incidents/", "/api/v1/corrections", "/api/v1/silences")
"""Changes that an operator may make; every other change needs an admin."""

_READS = ("GET", "HEAD")


class ApiDoor:
    """Lets a request through or answers it with 4xx (ASGI)."""

    def __init__(
        self, app: ASGIApp, tokens: TokenTable, hosts: HostCheck, origin_allowed: Callable[[str], bool]
    ) -> None:
        """`origin_allowed` says of which other origins pages may make changes (CORS)."""
        self._app = app
        self._origin_allowed = origin_allowed
        self._tokens = tokens
        self._hosts = hosts
        self._backoff = BackOff()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await _send(send, *refusal)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str, int | None] | None:
        """Status, sentence and seconds to wait of a refusal; None lets the request through."""
        if not self._hosts.allows(headers.getlist("host"), scope.get("server")):
            return 421, "the Host header names no host of this service; see allowed_hosts", None
        path, method = scope["path"], scope["method"]
        if method not in _READS and not _meant(headers):
            return 415, "a change needs content-type application/json and the header x-telltale-request: 1", None
        if method not in _READS and not self._of_our_own(headers):
            return 403, "a page of another origin may change nothing here; see cors_origins", None
        if path in OPEN_PATHS or not self._tokens.demanded(API_ROLES):
            return None
        return self._token_refusal(scope, headers, needed_role(method, path))

    def _of_our_own(self, headers: Headers) -> bool:
        """Whether no page of a stranger asks: no browser, the service's own address, or an origin that is allowed.

        Host is checked before, so an origin of the same name and port is a page that this service answered.
        """
        origins = headers.getlist("origin")
        return all(
            urlsplit(origin).netloc.lower() == headers["host"].lower() or self._origin_allowed(origin)
            for origin in origins
        )

    def _token_refusal(self, scope: Scope, headers: Headers, needed: Role) -> tuple[int, str, int | None] | None:
        address = scope["client"][0] if scope.get("client") else ""
        secret = bearer(headers.get("authorization"))
        token: Token | None = self._tokens.find(secret, API_ROLES) if secret else None
        if token is None:
            if secret:
                wait = self._backoff.wait_s(address)
                if wait:
                    return 429, "too many wrong tokens from this address", wait
                self._backoff.failed(address)
                log.warning("token_refused", address=address, kind="api")
            return 401, _NEEDED, None
        if API_ROLES.index(token.role) < API_ROLES.index(needed):
            return 403, f"this needs the role {needed}; the token's role is {token.role}", None
        return None


_NEEDED = "a valid API token is needed: send one as Authorization: Bearer (commands: TELLTALE_API_TOKEN)"


def needed_role(method: str, path: str) -> Role:
    """The weakest role that may do this."""
    if method in _READS:
        return Role.VIEWER
    return Role.OPERATOR if path.startswith(_OPERATOR_PATHS) else Role.ADMIN


def _meant(headers: Headers) -> bool:
    """Whether a change comes from a client of ours: a page of a stranger can send neither header unasked."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    return media_type == "application/json" and "x-telltale-request" in headers


async def _send(send: Send, status: int, sentence: str, wait: int | None) -> None:
    body = json.dumps({"error": sentence}).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if wait is not None:
        headers.append((b"retry-after", str(wait).encode()))
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
