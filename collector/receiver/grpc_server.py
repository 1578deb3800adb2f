"""OTLP/gRPC: raw bytes in, so that a body that cannot be decoded is answered INVALID_ARGUMENT and not INTERNAL."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable
from urllib.parse import unquote

import grpc
import grpc.aio
import structlog

from collector.access.ingest import IngestAccess
from collector.decode import Encoding, Signal
from collector.errors import Refusal, as_refusal, overloaded
from collector.intake import InFlight, Intake
from collector.metrics import Metrics
from collector.receiver.grpc_connections import GrpcConnections
from collector.receiver.http_protocol import ConnectionLimits
from collector.receiver.responses import export_response, retry_info, status_of

log = structlog.get_logger("collector.receiver.grpc")

SERVICES = {
    "opentelemetry.proto.collector.trace.v1.TraceService": Signal.TRACES,
    "opentelemetry.proto.collector.logs.v1.LogsService": Signal.LOGS,
    "opentelemetry.proto.collector.metrics.v1.MetricsService": Signal.METRICS,
}
"""Metrics are answered too: an SDK told UNIMPLEMENTED would log it for ever."""

Handler = Callable[[bytes, "grpc.aio.ServicerContext[bytes, bytes]"], Awaitable[bytes]]


class GrpcReceiver:
    """Answers Export calls of the three services."""

    def __init__(
        self,
        intake: Intake,
        in_flight: InFlight,
        metrics: Metrics,
        access: IngestAccess,
        *,
        message_bytes: int = 4 * 1024 * 1024,
        connections: ConnectionLimits | None = None,
        concurrent: int = 512,
    ) -> None:
        self._intake = intake
        self._in_flight = in_flight
        self._metrics = metrics
        self._access = access
        self._message_bytes = message_bytes
        self._concurrent = concurrent
        self._active = 0
        self._limits = connections or ConnectionLimits()
        self._server: grpc.aio.Server | None = None
        self._watch: asyncio.Task[None] | None = None

    async def start(self, address: str, credentials: grpc.ServerCredentials | None = None) -> int:
        """Bind and serve; returns the port.

        Raises:
            OSError: the address is taken or cannot be bound.
        """
        server = grpc.aio.server(options=_options(self._message_bytes))
        server.add_generic_rpc_handlers([self._handler(service, signal) for service, signal in SERVICES.items()])
        try:
            if credentials is None:
                port: int = server.add_insecure_port(address)
            else:
                port = server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise OSError(str(error)) from None
        if port == 0:
            raise OSError(f"cannot bind {address}")
        await server.start()
        self._server = server
        self.connections = GrpcConnections(port, self._limits)
        self._watch = asyncio.create_task(self.connections.watch())
        return port

    async def stop(self, grace_s: float) -> None:
        """Stop accepting; calls in progress get `grace_s` seconds."""
        if self._watch is not None:
            self._watch.cancel()
        if self._server is not None:
            await self._server.stop(grace_s)

    def _handler(self, service: str, signal: Signal) -> grpc.GenericRpcHandler:
        async def export(body: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
            return await self._export(signal, body, context)

        method = grpc.unary_unary_rpc_method_handler(export)  # no deserializer: the handler gets bytes
        return grpc.method_handlers_generic_handler(service, {"Export": method})

    async def _export(self, signal: Signal, body: bytes, context: grpc.aio.ServicerContext[bytes, bytes]) -> bytes:
        self._active += 1
        try:
            if self._active > self._concurrent:
                raise overloaded("too many calls at once; try again")
            sender = self._access.admit(_authorization(context), _peer_address(context.peer()))
            self._access.spend(sender, len(body))
            self._in_flight.take(len(body))
            try:
                decoded = await self._intake.submit(signal, Encoding.PROTOBUF, body, sender.project)
            finally:
                self._in_flight.give(len(body))
        except Exception as error:
            refusal = as_refusal(error)
            if refusal.reason == "internal":
                log.exception("export_failed", signal=signal)
        else:
            return export_response(signal, decoded, Encoding.PROTOBUF)
        finally:
            self._active -= 1
        self._metrics.refused_requests.labels("grpc", refusal.reason).inc()
        await context.abort(refusal.grpc_code, refusal.message, _trailers(refusal))
        raise AssertionError("abort raises")


def _options(message_bytes: int) -> list[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", message_bytes),
        ("grpc.so_reuseport", 0),
        ("grpc.server_handshake_timeout_ms", 3_000),
        ("grpc.keepalive_time_ms", 15_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.ping_timeout_ms", 10_000),  # else a ping has a minute, whatever the keepalive says
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
        ("grpc.max_connection_idle_ms", 600_000),
        ("grpc.max_connection_age_ms", 3_600_000),
        ("grpc.max_connection_age_grace_ms", 20_000),
        ("grpc.max_metadata_size", 16_384),
        ("grpc.max_concurrent_streams", 64),
    ]


def _trailers(refusal: Refusal) -> tuple[tuple[str, bytes], ...]:
    """The rich status; RetryInfo twice, because the Python SDK reads only the trailer of its own name."""
    trailers = (("grpc-status-details-bin", status_of(refusal).SerializeToString()),)
    if refusal.retry_after_s is None:
        return trailers
    return (*trailers, ("google.rpc.retryinfo-bin", retry_info(refusal.retry_after_s).SerializeToString()))


def _authorization(context: grpc.aio.ServicerContext[bytes, bytes]) -> str | None:
    for key, value in context.invocation_metadata() or ():
        if key.lower() == "authorization":
            return value if isinstance(value, str) else value.decode("latin-1")
    return None


def _peer_address(peer: str) -> str:
    """The address in gRPC's notation: `ipv4:127.0.0.1:5000`, `ipv6:%5B::1%5D:5000`."""
    host = unquote(peer).partition(":")[2].rpartition(":")[0].strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        return peer
