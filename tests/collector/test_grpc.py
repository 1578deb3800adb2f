"""OTLP/gRPC against the running service (rows 1 to 26 of the conformance table)."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, RetryInfo
from google.rpc.status_pb2 import Status
from opentelemetry.proto.collector.logs.v1.logs_service_pb2_grpc import LogsServiceStub
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2_grpc import MetricsServiceStub
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import TraceServiceStub

from analytics.store import Batch, Receipt, StoreUnavailable
from collector.service import Service
from tests.collector.otlp import logs, metrics, traces
from tests.collector.running import stored, wait_for

EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
MIB = 1024 * 1024


def address(service: Service) -> str:
    return service.urls.otlp_grpc.removeprefix("http://")


@pytest.fixture
def channel(service: Service) -> Iterator[grpc.Channel]:
    """A client of the service."""
    with grpc.insecure_channel(address(service)) as made:
        yield made


def raw(channel: grpc.Channel, body: bytes, method: str = EXPORT, **more: Any) -> bytes:
    """Call with bytes as they are."""
    answer: bytes = channel.unary_unary(method)(body, timeout=30, **more)
    return answer


def refused(channel: grpc.Channel, body: bytes, method: str = EXPORT) -> grpc.RpcError:
    """Call and return the error."""
    with pytest.raises(grpc.RpcError) as caught:
        raw(channel, body, method)
    return caught.value


def trailers(error: Any) -> dict[str, bytes]:
    return dict(error.trailing_metadata())


def only_trace(request: ExportTraceServiceRequest) -> bytes:
    trace_id: bytes = request.resource_spans[0].scope_spans[0].spans[0].trace_id
    return trace_id


@pytest.mark.otlp(1, 2)
def test_success_leaves_partial_success_unset(service: Service, channel: grpc.Channel) -> None:
    """An Export is answered OK, its spans are stored, and partial_success is unset."""
    request = traces()
    answer = TraceServiceStub(channel).Export(request)
    assert not answer.HasField("partial_success")
    assert stored(service, only_trace(request)).spans


@pytest.mark.otlp(3)
def test_empty_requests_are_taken(channel: grpc.Channel) -> None:
    """No bytes, and a resource without spans, are both a success."""
    assert raw(channel, b"") == b""
    empty = ExportTraceServiceRequest()
    empty.resource_spans.add().scope_spans.add()
    assert raw(channel, empty.SerializeToString()) == b""


@pytest.mark.otlp(4)
def test_gzip_stores_the_same_rows(service: Service, channel: grpc.Channel) -> None:
    """gzip and no compression are both taken and give equal rows."""
    plain, packed = traces(), traces()
    TraceServiceStub(channel).Export(plain)
    TraceServiceStub(channel).Export(packed, compression=grpc.Compression.Gzip)
    spans = [stored(service, only_trace(request)).spans[0] for request in (plain, packed)]
    assert spans[0].attributes == spans[1].attributes
    assert spans[0].name == spans[1].name


@pytest.mark.otlp(5, 10)
def test_a_message_beyond_the_limit_is_final(channel: grpc.Channel) -> None:
    """4 MiB + 1 is RESOURCE_EXHAUSTED without RetryInfo, so that the sender does not try again."""
    error = refused(channel, bytes(4 * MIB + 1))
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "google.rpc.retryinfo-bin" not in trailers(error)


@pytest.mark.otlp(6)
def test_the_limit_counts_inflated_bytes(channel: grpc.Channel) -> None:
    """64 MiB of zeros, small as gzip, are refused by size."""
    with pytest.raises(grpc.RpcError) as caught:
        raw(channel, bytes(64 * MIB), compression=grpc.Compression.Gzip)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.otlp(8)
@pytest.mark.parametrize("body", [b"\xff" * 40, b"\x0a\x05ab", b"not protobuf at all"])
def test_undecodable_bytes_are_an_invalid_argument(channel: grpc.Channel, body: bytes) -> None:
    """Bytes that are no request: INVALID_ARGUMENT with a BadRequest detail, never INTERNAL, no RetryInfo."""
    error = refused(channel, body)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    status = Status.FromString(trailers(error)["grpc-status-details-bin"])
    detail = BadRequest()
    assert status.details[0].Unpack(detail)
    assert detail.field_violations[0].description
    assert "google.rpc.retryinfo-bin" not in trailers(error)


@pytest.mark.otlp(9, 14, 15)
@pytest.mark.parametrize("error", [StoreUnavailable("no space left on /secret/path"), RuntimeError("secret detail")])
def test_a_failing_store_is_unavailable_with_retry_info_in_both_places(
    service: Service, channel: grpc.Channel, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """Whatever fails inside: UNAVAILABLE, RetryInfo in the details and as a trailer, no text of the exception."""

    def fail(_: Batch) -> Receipt:
        raise error

    monkeypatch.setattr(service.store, "append", fail)
    told = refused(channel, traces().SerializeToString())
    assert told.code() is grpc.StatusCode.UNAVAILABLE
    assert "secret" not in told.details()
    details = Status.FromString(trailers(told)["grpc-status-details-bin"])
    assert "secret" not in details.message
    assert details.details[0].Is(RetryInfo.DESCRIPTOR)
    info = RetryInfo.FromString(trailers(told)["google.rpc.retryinfo-bin"])
    assert info.retry_delay.seconds >= 1


@pytest.mark.otlp(11, 13, 70, 71)
def test_a_span_with_a_bad_id_is_rejected_alone(service: Service, channel: grpc.Channel) -> None:
    """Zero or short ids reject that span; the answer counts it, says why, and the rest is durable by then."""
    request = traces(3)
    spans = request.resource_spans[0].scope_spans[0].spans
    good = spans[0].trace_id
    spans[1].trace_id = bytes(16)
    spans[2].span_id = b"abc"
    answer = TraceServiceStub(channel).Export(request)
    assert answer.partial_success.rejected_spans == 2
    assert answer.partial_success.error_message
    assert len(stored(service, good).spans) == 1


@pytest.mark.otlp(12, 17)
def test_metrics_are_accepted_with_a_warning(channel: grpc.Channel) -> None:
    """Metrics get OK, rejected 0 and a message that they are not kept."""
    answer = MetricsServiceStub(channel).Export(metrics(3))
    assert answer.partial_success.rejected_data_points == 0
    assert "3 metrics" in answer.partial_success.error_message


@pytest.mark.otlp(17)
def test_logs_are_taken_and_unknown_methods_are_unimplemented(channel: grpc.Channel) -> None:
    """Log records are a success; a service or method that does not exist is UNIMPLEMENTED."""
    assert not LogsServiceStub(channel).Export(logs()).HasField("partial_success")
    for method in ("/opentelemetry.proto.collector.profiles.v1.ProfilesService/Export", EXPORT + "ed"):
        assert refused(channel, b"", method).code() is grpc.StatusCode.UNIMPLEMENTED


@pytest.mark.otlp(18)
def test_parallel_calls_do_not_mix(service: Service) -> None:
    """Forty calls over four connections are all answered, and each finds its own spans."""
    requests = [traces(2, trace_id=bytes([n + 1] * 16)) for n in range(40)]
    channels = [grpc.insecure_channel(address(service)) for _ in range(4)]

    def send(n: int) -> None:
        TraceServiceStub(channels[n % 4]).Export(requests[n], timeout=60)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(send, range(40)))
    for made in channels:
        made.close()
    for request in requests:
        assert len(stored(service, only_trace(request)).spans) == 2


@pytest.mark.otlp(19)
def test_pings_within_the_policy_keep_the_connection(service: Service) -> None:
    """A client that pings every eleven seconds is not told ENHANCE_YOUR_CALM."""
    options = [("grpc.keepalive_time_ms", 11_000), ("grpc.keepalive_permit_without_calls", 1)]
    with grpc.insecure_channel(address(service), options=options) as channel:
        TraceServiceStub(channel).Export(traces())
        time.sleep(0.5)
        TraceServiceStub(channel).Export(traces())


@pytest.mark.otlp(20)
def test_a_silent_connection_is_closed(service: Service) -> None:
    """A TCP connection that never speaks HTTP/2 is closed by the handshake timeout; good calls go on meanwhile."""
    host, _, port = address(service).rpartition(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(20)]
    with grpc.insecure_channel(address(service)) as channel:
        TraceServiceStub(channel).Export(traces(), timeout=30)
    for connection in silent:
        connection.settimeout(30)
        try:
            while connection.recv(1024):
                pass
        except ConnectionResetError:
            pass
        connection.close()


@pytest.mark.otlp(23)
def test_metadata_keys_are_case_insensitive(channel: grpc.Channel) -> None:
    """An authorization entry is read whatever its case (HTTP/2 sends lower case; the check lowers it again)."""
    assert raw(channel, b"", metadata=(("authorization", "Bearer unknown"),)) == b""


def test_too_many_calls_at_once_are_told_to_come_back(
    service: Service, channel: grpc.Channel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the limit of concurrent calls: UNAVAILABLE with RetryInfo, and counted."""
    monkeypatch.setattr(service._grpc, "_concurrent", 0)
    error = refused(channel, b"")
    assert error.code() is grpc.StatusCode.UNAVAILABLE
    assert "google.rpc.retryinfo-bin" in trailers(error)
    monkeypatch.undo()
    assert b'telltale_refused_requests_total{reason="overloaded",transport="grpc"}' in service.metrics.text()


def test_a_full_queue_is_refused_and_drains(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the store hangs, requests beyond the byte limit are UNAVAILABLE; when it moves on, the others are OK."""
    assert service.store is not None
    gate = threading.Event()
    append = service.store.append

    def slow(batch: Batch) -> Receipt:
        gate.wait(30)
        return append(batch)

    monkeypatch.setattr(service.store, "append", slow)
    request = traces(20, attributes={"note": "x" * 10_000})
    monkeypatch.setattr(service._in_flight, "_limit", int(request.ByteSize() * 3.5))
    codes: list[grpc.StatusCode] = []

    def send() -> None:
        with grpc.insecure_channel(address(service)) as channel:
            try:
                TraceServiceStub(channel).Export(request, timeout=30)
                codes.append(grpc.StatusCode.OK)
            except grpc.RpcError as error:
                codes.append(error.code())

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    wait_for(lambda: codes.count(grpc.StatusCode.UNAVAILABLE) == 3)
    gate.set()
    for thread in threads:
        thread.join()
    assert sorted(code.name for code in codes) == ["OK"] * 3 + ["UNAVAILABLE"] * 3
    assert service._in_flight._used == 0
