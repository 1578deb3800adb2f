"""`/healthz`, `/readyz` and `/metrics`, in front of the query API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Receive, Scope, Send

Ready = Callable[[], str | None]
"""Why the service is not ready; None when it is."""


class SystemRoutes:
    """Answers the paths of the operator, passes the rest on (ASGI)."""

    def __init__(self, app: ASGIApp, ready: Ready, metrics_text: Callable[[], bytes]) -> None:
        self._app = app
        self._ready = ready
        self._metrics_text = metrics_text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        path = scope.get("path")
        if path == "/healthz":
            await _json(send, 200, {"status": "ok"})
        elif path == "/readyz":
            why_not = self._ready()
            await _json(
                send,
                503 if why_not else 200,
                {"status": "not ready", "why": why_not} if why_not else {"status": "ready"},
            )
        elif path == "/metrics":
            text = await asyncio.to_thread(self._metrics_text)
            await _send(send, 200, CONTENT_TYPE_LATEST, text)
        else:
            await self._app(scope, receive, send)


async def _json(send: Send, status: int, body: dict[str, str | None]) -> None:
    await _send(send, status, "application/json", json.dumps(body).encode())


async def _send(send: Send, status: int, media_type: str, body: bytes) -> None:
    headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
