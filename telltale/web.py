"""Tools behind HTTP: an envelope answered with its honest status and `Retry-After`, for ASGI and WSGI apps.

```python
app.add_middleware(ASGIGuard)             # Starlette, FastAPI: what handlers raise becomes an envelope
app = ASGIGuard(app)                      # any other ASGI app
return ASGIAnswer(envelope)               # an envelope as a response of its own
```
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from typing import Any

from telltale._call import Call, Policy
from telltale._envelope import Envelope, http_status, is_error

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
WSGIApp = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

_REASONS = {
    200: "OK",
    400: "Bad Request",
    403: "Forbidden",
    404: "Not Found",
    409: "Conflict",
    429: "Too Many Requests",
    500: "Internal Server Error",
    503: "Service Unavailable",
}

__all__ = ["ASGIAnswer", "ASGIGuard", "WSGIGuard", "http_answer", "wsgi_answer"]


def http_answer(envelope: Mapping[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body for an envelope of either dialect.

    A failed call never travels under 200 (background text, "Stop masking failures"); an unknown code is a 500.
    """
    body = json.dumps(envelope, ensure_ascii=False, default=str).encode()
    headers = {"content-type": "application/json", "content-length": str(len(body))}
    if not is_error(envelope):
        return 200, headers, body
    try:
        status = http_status(envelope["error"].get("code"))
    except ValueError:
        status = 500
    after = envelope["error"].get("retry_after_seconds")
    if isinstance(after, int) and status in (429, 503):
        headers["retry-after"] = str(after)
    return status, headers, body


class ASGIAnswer:
    """An envelope as an ASGI app, which is also what Starlette and FastAPI accept as a response's place."""

    def __init__(self, envelope: Envelope) -> None:
        self.status_code, self.headers, self.body = http_answer(envelope)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        await send({"type": "http.response.start", "status": self.status_code, "headers": raw})
        await send({"type": "http.response.body", "body": self.body})


class ASGIGuard:
    """Answers what an ASGI app raises with an envelope; a response that has begun is left to the server.

    Args:
        app: the app behind.
        policy: mapper and fatal exceptions; its budget and retries do not apply to HTTP.
    """

    def __init__(self, app: ASGIApp, policy: Policy | None = None) -> None:
        self._app = app
        self._policy = policy or Policy(budget=None)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def watched(message: MutableMapping[str, Any]) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as exc:
            envelope = None if begun else _envelope_of(exc, self._policy, str(scope.get("path", "")))
            if envelope is None:
                raise
            await ASGIAnswer(envelope)(scope, receive, send)


def wsgi_answer(envelope: Envelope, start_response: Callable[..., Any]) -> list[bytes]:
    """Answer a WSGI request with an envelope: `return wsgi_answer(envelope, start_response)`."""
    status, headers, body = http_answer(envelope)
    start_response(f"{status} {_REASONS.get(status, 'Error')}", list(headers.items()))
    return [body]


class WSGIGuard:
    """Answers what a WSGI app raises before its first byte with an envelope. Arguments as for `ASGIGuard`."""

    def __init__(self, app: WSGIApp, policy: Policy | None = None) -> None:
        self._app = app
        self._policy = policy or Policy(budget=None)

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        try:
            return self._app(environ, start_response)
        except Exception as exc:
            envelope = _envelope_of(exc, self._policy, str(environ.get("PATH_INFO", "")))
            if envelope is None:
                raise
            return wsgi_answer(envelope, start_response)


def _envelope_of(exc: Exception, policy: Policy, path: str) -> Envelope | None:
    """The envelope for an exception, None for one that passes through; the log gets the detail."""
    call = Call(path.rpartition("/")[2] or "http", policy, quiet=True)
    if call.passes_through(exc):
        return None
    return call.judge_exception(exc).envelope()
