"""`/healthz`, `/readyz`, `/metrics` and the backup, in front of the query API."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.types import ASGIApp, Receive, Scope, Send

from collector.store.backup import BackupDone, BackupError

Ready = Callable[[], str | None]
"""Why the service is not ready to take spans; None when it is. Questions are answered all the same."""


class SystemRoutes:
    """Answers the paths of the operator, passes the rest on (ASGI)."""

    def __init__(
        self, app: ASGIApp, ready: Ready, metrics_text: Callable[[], bytes], backup: Callable[[], BackupDone]
    ) -> None:
        self._app = app
        self._backup = backup
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
        elif path == "/api/v1/backup" and scope["method"] == "POST":
            await self._answer_backup(send)
        else:
            await self._app(scope, receive, send)

    async def _answer_backup(self, send: Send) -> None:
        """Make a backup in the configured folder; the caller names nothing, so nothing can be named wrongly."""
        try:
            done = await asyncio.to_thread(self._backup)
        except BackupError as error:
            await _json(send, 409, {"error": str(error)})
        else:
            await _json(send, 200, {"path": str(done.path), "bytes": done.bytes, "seconds": round(done.seconds, 3)})


async def _json(send: Send, status: int, body: Mapping[str, object]) -> None:
    await _send(send, status, "application/json", json.dumps(body).encode())


async def _send(send: Send, status: int, media_type: str, body: bytes) -> None:
    headers = [(b"content-type", media_type.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
