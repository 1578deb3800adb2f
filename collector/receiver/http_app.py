"""OTLP/HTTP as an ASGI application: one POST path per signal, errors as `google.rpc.Status` in the request's encoding.

Statuses follow the OTLP specification ("OTLP/HTTP Response") and, where it is silent, the OpenTelemetry Collector.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import structlog
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from collector.access.hosts import HostCheck
from collector.access.ingest import IngestAccess
from collector.decode import Encoding, Signal
from collector.errors import Refusal, as_refusal, http_only
from collector.intake import InFlight, Intake
from collector.metrics import Metrics
from collector.receiver.body import body_too_large, coding_of, inflate, read_body, reservation
from collector.receiver.cors import Cors
from collector.receiver.responses import export_response, status_body

log = structlog.get_logger("collector.receiver.http")

PATHS = {f"/v1/{signal}": signal for signal in Signal}
"""Exactly these: a trailing slash or a doubled one is 404, a query string is ignored."""

_LINGER_S = 2.0
"""How long a refused request may go on sending before the connection is closed under it."""

_THREAD_BYTES = 64 * 1024
"""Bodies larger than this are inflated off the event loop."""


@dataclass(slots=True)
class _Answer:
    status: int
    encoding: Encoding
    body: bytes
    headers: list[tuple[bytes, bytes]]
    linger: bool = False


class HttpReceiver:
    """The application of the OTLP/HTTP port."""

    def __init__(
        self,
        intake: Intake,
        in_flight: InFlight,
        metrics: Metrics,
        access: IngestAccess,
        *,
        hosts: HostCheck,
        cors: Cors,
        body_bytes: int = 20 * 1024 * 1024,
    ) -> None:
        self._intake = intake
        self._in_flight = in_flight
        self._metrics = metrics
        self._access = access
        self._hosts = hosts
        self._cors = cors
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request (ASGI)."""
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        if scope["method"] == "OPTIONS" and (allowed := self._cors.preflight(headers)) is not None:
            await _send(_Answer(204, Encoding.JSON, b"", allowed), receive, send)
            return
        answer = await self._answer(scope, headers, receive)
        answer.headers += self._cors.headers(headers)
        await _send(answer, receive, send)

    async def _answer(self, scope: Scope, headers: Headers, receive: Receive) -> _Answer:
        encoding = _encoding(headers)
        body_read = False
        try:
            signal = self._check(scope, headers)
            sender = self._access.admit(headers.get("authorization"), _address(scope))
            if encoding is None:
                raise http_only(415, f"content types taken: {Encoding.PROTOBUF}, {Encoding.JSON}")
            coding = coding_of(headers.get("content-encoding", ""))
            if int(headers.get("content-length", "0")) > self._body_bytes:
                raise body_too_large(self._body_bytes)
            with reservation(self._in_flight) as held:
                body = await read_body(_chunks(receive), self._body_bytes, held)
                body_read = True
                self._access.spend(sender, len(body))
                if coding != "identity" and len(body) > _THREAD_BYTES:
                    body = await asyncio.to_thread(inflate, body, coding, self._body_bytes, held)
                else:
                    body = inflate(body, coding, self._body_bytes, held)
                decoded = await self._intake.submit(signal, encoding, body, sender.project)
            return _Answer(200, encoding, export_response(signal, decoded, encoding), [])
        except _DisconnectedError:
            return _Answer(400, Encoding.JSON, b"", [])
        except Exception as error:
            refusal = as_refusal(error)
            if refusal.reason == "internal":
                log.exception("export_failed", path=scope["path"][:64])
        self._metrics.refused_requests.labels("http", refusal.reason).inc()
        return _refused(refusal, encoding or Encoding.JSON, linger=not body_read)

    def _check(self, scope: Scope, headers: Headers) -> Signal:
        """Host, path and method."""
        if not self._hosts.allows(headers.getlist("host"), scope.get("server")):
            raise http_only(421, "the Host header names no host of this service")
        signal = PATHS.get(scope["path"])
        if signal is None or scope["raw_path"].decode("latin-1") != scope["path"]:
            raise http_only(404, f"no such path; OTLP is taken at {', '.join(PATHS)}")
        if scope["method"] != "POST":
            raise http_only(405, "OTLP is sent by POST")
        return signal


class _DisconnectedError(Exception):
    """The client went away."""


def _encoding(headers: Headers) -> Encoding | None:
    """The encoding that the Content-Type names; its parameters and case do not matter."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        return Encoding(media_type)
    except ValueError:
        return None


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


async def _chunks(receive: Receive) -> AsyncIterator[bytes]:
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _DisconnectedError
        yield message.get("body", b"")
        if not message.get("more_body", False):
            return


def _refused(refusal: Refusal, encoding: Encoding, *, linger: bool) -> _Answer:
    answer = _Answer(refusal.http_status, encoding, status_body(refusal, encoding), [], linger)
    if refusal.retry_after_s is not None:
        answer.headers.append((b"retry-after", str(refusal.retry_after_s).encode()))
    if refusal.http_status == 405:
        answer.headers.append((b"allow", b"POST"))
    if refusal.http_status == 401:
        answer.headers.append((b"www-authenticate", b"Bearer"))
    if refusal.http_status == 415:
        answer.headers.append((b"accept-post", ", ".join(Encoding).encode()))
    return answer


async def _send(answer: _Answer, receive: Receive, send: Send) -> None:
    headers = [
        (b"content-type", answer.encoding.encode()),
        (b"content-length", str(len(answer.body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        *answer.headers,
    ]
    if answer.status == 204:
        headers = answer.headers
    if answer.linger:
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if answer.linger:
        # A socket closed with unread bytes resets the connection, and the client never sees the answer.
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        await _drain(receive)
        await send({"type": "http.response.body", "body": b""})
    else:
        await send({"type": "http.response.body", "body": answer.body})


async def _drain(receive: Receive) -> None:
    """Read and forget what a refused client still sends, for a moment."""
    try:
        async with asyncio.timeout(_LINGER_S):
            async for _ in _chunks(receive):
                pass
    except (TimeoutError, _DisconnectedError):
        return
