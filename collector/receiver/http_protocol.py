"""uvicorn with the limits that it lacks: time for headers, body and handshake; connections a peer and in all.

uvicorn closes none of: a silent connection, a header that trickles in, a body of one byte a second.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol


@dataclass(slots=True, frozen=True)
class ConnectionLimits:
    """Seconds and counts; a connection beyond one is closed."""

    header_s: float = 5.0
    body_s: float = 10.0
    idle_s: float = 60.0
    handshake_s: float = 5.0
    peer_connections: int = 200
    connections: int = 5_000


@dataclass(slots=True)
class Peers:
    """Open connections of one server, by address."""

    by_address: Counter[str] = field(default_factory=Counter)
    total: int = 0
    closed: Counter[str] = field(default_factory=Counter)


def limited_protocol(limits: ConnectionLimits, peers: Peers) -> type[H11Protocol]:
    """The protocol class of one server."""

    class Limited(_LimitedProtocol):
        _limits = limits
        _peers = peers

    return Limited


class _LimitedProtocol(H11Protocol):
    """Closes what is too slow or too much; one timer per connection, for the part that is awaited."""

    _limits: ConnectionLimits
    _peers: Peers
    _timer: asyncio.TimerHandle | None = None
    _awaited = ""
    _counted: str | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        peers, limits = self._peers, self._limits
        peers.by_address[address] += 1
        peers.total += 1
        self._counted = address
        if peers.total > limits.connections or peers.by_address[address] > limits.peer_connections:
            peers.closed["too many connections"] += 1
            transport.abort()
            return
        _watch_peer(transport)
        self._await("header", limits.header_s)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await("", 0)
        if self._counted is not None:
            peers = self._peers
            peers.total -= 1
            peers.by_address[self._counted] -= 1
            if not peers.by_address[self._counted]:
                del peers.by_address[self._counted]
            self._counted = None
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        state = self.conn.their_state
        if state is h11.SEND_BODY:
            self._await("body", self._limits.body_s)
        elif state is h11.IDLE and self.conn.trailing_data[0]:
            self._await("header", self._limits.header_s)
        elif state is not h11.IDLE:
            self._await("", 0)

    def _await(self, what: str, seconds: float) -> None:
        """Start the clock for a part, once; "" stops it."""
        if what == self._awaited:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._awaited = what
        if what:
            self._timer = self.loop.call_later(seconds, self._too_slow)

    def _too_slow(self) -> None:
        self._timer = None
        self._peers.closed[f"slow {self._awaited}"] += 1
        self.transport.abort()


def _watch_peer(transport: asyncio.Transport) -> None:
    """Let the kernel drop a peer that vanished or never reads its answer."""
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3), ("TCP_USER_TIMEOUT", 30_000)):
        option = getattr(socket, name, None)
        if option is not None:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)


class HttpServer:
    """One ASGI application on one bound socket, inside a running event loop."""

    def __init__(
        self, app: Any, sock: socket.socket, limits: ConnectionLimits, *, ssl_context: Any = None, grace_s: float = 4.0
    ) -> None:
        self.peers = Peers()
        config = uvicorn.Config(
            app,
            http=limited_protocol(limits, self.peers),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=int(limits.idle_s),
            timeout_graceful_shutdown=int(grace_s),
            h11_max_incomplete_event_size=32 * 1024,
        )
        self._server = _Server(config, sock, ssl_context, limits.handshake_s)
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Serve; returns when connections are accepted."""
        self._task = asyncio.create_task(self._server._serve())
        while not self._server.started:
            if self._task.done():
                self._task.result()
                raise RuntimeError("the HTTP server ended while starting")
            await asyncio.sleep(0.005)

    async def stop(self) -> None:
        """Stop accepting, let requests in progress finish within the grace."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task


class _Server(uvicorn.Server):
    """uvicorn's server on our socket: with a bound on the TLS handshake, and signals left to the process's owner."""

    def __init__(self, config: uvicorn.Config, sock: socket.socket, ssl_context: Any, handshake_s: float) -> None:
        super().__init__(config)
        self._socket = sock
        self._ssl_context = ssl_context
        self._handshake_s = handshake_s

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        config = self.config
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()

        def protocol() -> asyncio.Protocol:
            return config.http_protocol_class(  # type: ignore[call-arg]
                config=config, server_state=self.server_state, app_state=self.lifespan.state, _loop=loop
            )

        tls = {"ssl": self._ssl_context, "ssl_handshake_timeout": self._handshake_s} if self._ssl_context else {}
        self.servers = [await loop.create_server(protocol, sock=self._socket, backlog=1024, **tls)]
        self.started = True
