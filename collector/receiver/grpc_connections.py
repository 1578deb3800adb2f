"""Connections a peer and in all on the gRPC port: counted and cut from outside of gRPC.

grpc.aio bounds message size, streams a connection, its age, idleness and keepalive, but not how many connections there
are, and it shows no connection to its owner before a call comes in. So the process looks at its own sockets once a
second and shuts down what is beyond the limits, the youngest first: gRPC sees the end of the connection, as if the peer
had gone. Between two looks there may be more; the limit on open files bounds that, and gRPC goes on accepting when it
was met.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import socket
import stat
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import structlog

from collector.receiver.http_protocol import ConnectionLimits

log = structlog.get_logger("collector.receiver.grpc")

LOOK_EVERY_S = 1.0

Peer = tuple[str, int]
"""Address and port of the other side."""


class GrpcConnections:
    """Holds the connections of one listening port to `limits.peer_connections` and `limits.connections`."""

    def __init__(self, port: int, limits: ConnectionLimits) -> None:
        self.closed = 0
        self._port = port
        self._limits = limits
        self._known: dict[Peer, None] = {}

    async def watch(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            with suppress(OSError):  # no file is free for the look itself: the next one will do
                self.look()

    def look(self) -> None:
        """Cut what is too much now."""
        found = {peer: own for own, peer in _connected(self._port)}
        try:
            self._known = {peer: None for peer in self._known if peer in found} | dict.fromkeys(found)
            for peer in self._too_many():
                with suppress(OSError):  # it went by itself
                    found[peer].shutdown(socket.SHUT_RDWR)
        finally:
            for own in found.values():
                own.close()

    def _too_many(self) -> list[Peer]:
        """The connections beyond the limits; those known longest stay."""
        by_address: Counter[str] = Counter()
        cut: list[Peer] = []
        for peer in self._known:
            by_address[peer[0]] += 1
            if (
                by_address[peer[0]] > self._limits.peer_connections
                or by_address.total() - len(cut) > self._limits.connections
            ):
                cut.append(peer)
        if cut:
            self.closed += len(cut)
            log.warning("connections_cut", addresses=dict(Counter(peer[0] for peer in cut).most_common(3)))
        return cut


def _connected(port: int) -> Iterator[tuple[socket.socket, Peer]]:
    """Own handles on the process's connections that were accepted on this port."""
    for name in os.listdir("/dev/fd"):
        with suppress(OSError):  # closed meanwhile, or a socket that listens
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            own = socket.socket(fileno=os.dup(int(name)))
            try:
                peer = _peer(own, port)
            except OSError:
                peer = None
            if peer is None:
                own.close()
            else:
                yield own, peer


def _peer(own: socket.socket, port: int) -> Peer | None:
    if own.family not in (socket.AF_INET, socket.AF_INET6) or own.getsockname()[1] != port:
        return None
    host, peer_port, *_ = own.getpeername()
    address = ipaddress.ip_address(host.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or address
    return str(address), peer_port
