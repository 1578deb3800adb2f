"""OTLP/HTTP against the running service (rows 27 to 55 of the conformance table)."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
import pytest
import zstandard
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from analytics.store import Batch, Receipt, StoreUnavailable
from collector.service import Service
from tests.collector.otlp import logs, metrics, traces
from tests.collector.running import JSON, PROTOBUF, post, status, stored

BODY_LIMIT = 20 * 1024 * 1024
RETRYABLE = {429, 502, 503, 504}


def address(service: Service) -> tuple[str, int]:
    url = httpx.URL(service.urls.otlp_http)
    return url.host, int(url.port or 0)


@contextmanager
def connection(service: Service) -> Iterator[socket.socket]:
    """A raw TCP connection to the port."""
    made = socket.create_connection(address(service), timeout=30)
    try:
        yield made
    finally:
        made.close()


def answer_on(made: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """One HTTP answer from a raw connection, and not a byte more."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = made.recv(1)
        assert byte, "the connection ended instead of an answer"
        head += byte
    status_line, *lines = head.decode().strip().split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = b""
    while len(body) < int(headers.get("content-length", "0")):
        body += made.recv(1)
    return int(status_line.split()[1]), headers, body


@pytest.mark.otlp(27, 31, 57)
def test_protobuf_is_answered_in_protobuf(service: Service) -> None:
    """POST /v1/traces with protobuf: 200, the same content type, a response without partial success; on loopback."""
    request = traces()
    answer = post(service, request.SerializeToString())
    assert answer.status_code == 200
    assert answer.headers["content-type"] == PROTOBUF
    assert not ExportTraceServiceResponse.FromString(answer.content).HasField("partial_success")
    assert stored(service, request.resource_spans[0].scope_spans[0].spans[0].trace_id).spans
    assert address(service)[0] == "127.0.0.1"


@pytest.mark.otlp(28, 29, 48)
def test_json_is_answered_in_json(service: Service) -> None:
    """POST with JSON: 200, application/json, `{}`; the empty requests of both encodings too."""
    answer = post(service, b"{}", JSON)
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, JSON, b"{}")
    assert post(service, b"").status_code == 200


@pytest.mark.otlp(30)
@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json ;x=y"]
)
def test_the_media_type_is_parsed(service: Service, content_type: str) -> None:
    """Parameters and case of the content type do not matter; the answer names the bare type."""
    answer = post(service, b"{}", content_type)
    assert (answer.status_code, answer.headers["content-type"]) == (200, JSON)


@pytest.mark.otlp(32)
@pytest.mark.parametrize("content_type", ["", "text/plain", "application/protobuf", "application/x-ndjson"])
def test_other_content_types_are_415(service: Service, content_type: str) -> None:
    """A missing or other content type is 415 with a JSON Status."""
    answer = post(service, b"{}", content_type)
    assert answer.status_code == 415
    assert status(answer).message


@pytest.mark.otlp(33)
@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "HEAD", "DELETE", "OPTIONS"])
def test_other_methods_are_405(service: Service, method: str) -> None:
    """Everything but POST is 405 and names what is allowed."""
    answer = httpx.request(method, service.urls.otlp_http + "/v1/traces")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


@pytest.mark.otlp(34)
@pytest.mark.parametrize(
    "path", ["/v1/traces/", "//v1/traces", "/v1/trace", "/", "/v1/%74races", "/v1development/profiles"]
)
def test_other_paths_are_404(service: Service, path: str) -> None:
    """Only the exact paths answer: no trailing slash, no doubled one, no escapes."""
    with connection(service) as made:
        made.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".encode())
        assert answer_on(made)[0] == 404


@pytest.mark.otlp(34)
def test_a_query_string_is_ignored(service: Service) -> None:
    """`?x=1` does not matter."""
    assert post(service, b"{}", JSON, "/v1/traces?x=1").status_code == 200


def packed(coding: str, body: bytes) -> bytes:
    match coding:
        case "gzip":
            return gzip.compress(body)
        case "zstd":
            return zstandard.ZstdCompressor().compress(body)
        case "deflate":
            return zlib.compress(body)
        case "raw deflate":
            made = zlib.compressobj(wbits=-15)
            return made.compress(body) + made.flush()
    return body


@pytest.mark.otlp(35)
@pytest.mark.parametrize("coding", ["gzip", "zstd", "deflate", "raw deflate", "identity", "GZIP", "x-gzip"])
def test_content_codings(service: Service, coding: str) -> None:
    """gzip, zstd, deflate (wrapped or raw) and identity are decoded, in any case."""
    request = traces()
    body = packed({"GZIP": "gzip", "x-gzip": "gzip"}.get(coding, coding), request.SerializeToString())
    answer = post(service, body, content_encoding=coding.removeprefix("raw "))
    assert answer.status_code == 200
    assert stored(service, request.resource_spans[0].scope_spans[0].spans[0].trace_id).spans


@pytest.mark.otlp(36, 43)
@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"{}"),
        ("gzip", b""),
        ("gzip", gzip.compress(b"{}" * 500)[:-9]),
        ("zstd", b"{}"),
        ("zstd", zstandard.ZstdCompressor().compress(b" " * 5000)[:-3]),
        ("deflate", b"{}"),
        ("br", b"{}"),
        ("snappy", b"{}"),
    ],
    ids=["gzip plain", "gzip empty", "gzip cut", "zstd plain", "zstd cut", "deflate plain", "br", "snappy"],
)
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_bad_codings_are_400(service: Service, coding: str, body: bytes, content_type: str) -> None:
    """Not that coding, cut short, or an unknown one: 400 with a Status of code 3 in the request's encoding."""
    answer = post(service, body, content_type, content_encoding=coding)
    assert (answer.status_code, answer.headers["content-type"]) == (400, content_type)
    assert status(answer).code == 3
    assert status(answer).message


@pytest.mark.otlp(37)
def test_odd_gzip_streams(service: Service) -> None:
    """Two members are one body; trailing garbage and doubled coding are 400; nothing crashes."""
    body = traces().SerializeToString()
    assert (
        post(service, gzip.compress(body[:10]) + gzip.compress(body[10:]), content_encoding="gzip").status_code == 200
    )
    assert post(service, gzip.compress(body) + b"garbage", content_encoding="gzip").status_code == 400
    doubled = gzip.compress(gzip.compress(body))
    assert post(service, doubled, content_encoding="gzip, gzip").status_code == 400


def padded(size: int) -> bytes:
    """An empty JSON request of exactly `size` bytes."""
    return b"{}" + b" " * (size - 2)


@pytest.mark.otlp(38, 39)
@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_of_many_members(service: Service, coding: str) -> None:
    """A few members or frames are one body; thousands are refused, for each costs a start of the decompressor."""
    body = traces(1).SerializeToString()
    few = b"".join(packed(coding, body[at : at + 8]) for at in range(0, len(body), 8))
    assert post(service, few, content_encoding=coding).status_code == 200
    many = packed(coding, b"") * 50_000
    assert post(service, many + few, content_encoding=coding).status_code == 400


@pytest.mark.parametrize("unit", [b"\x0a\x00", b"\x0a\x02\x12\x00"], ids=["resources", "resources with a scope"])
def test_empty_groups_are_counted(service: Service, unit: bytes) -> None:
    """Resources and scopes without a record cost time as records do: so many of them are refused as records are."""
    assert post(service, unit * 1_000).status_code == 200
    assert post(service, unit * 60_000).status_code == 413
    inner = '{"scopeSpans": [{}]}' if len(unit) > 2 else "{}"
    for count, told in ((1_000, 200), (110_000, 413)):
        body = '{"resourceSpans": [' + ", ".join([inner] * count) + "]}"
        answer = post(service, body.encode(), "application/json")
        assert answer.status_code == told


@pytest.mark.parametrize("coding", ["identity", "gzip", "zstd"])
def test_the_body_limit_is_inclusive_and_counts_inflated_bytes(service: Service, coding: str) -> None:
    """Exactly the limit is taken, one byte more is 413, plain or inflated."""
    assert post(service, packed(coding, padded(BODY_LIMIT)), JSON, content_encoding=coding).status_code == 200
    answer = post(service, packed(coding, padded(BODY_LIMIT + 1)), JSON, content_encoding=coding)
    assert answer.status_code == 413
    assert status(answer).message


@pytest.mark.otlp(40)
def test_a_content_length_beyond_the_limit_is_refused_before_the_body(service: Service) -> None:
    """413 comes back although no byte of the body was sent."""
    with connection(service) as made:
        head = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nContent-Length: {2**40}\r\n\r\n"
        made.sendall(head.encode())
        code, headers, _ = answer_on(made)
    assert (code, headers["connection"]) == (413, "close")


@pytest.mark.otlp(41)
def test_a_chunked_body_is_taken_up_to_the_same_limit(service: Service) -> None:
    """A body without a length: taken, and 413 once it exceeds the limit."""

    def chunks(size: int) -> Iterator[bytes]:
        yield b"{}"
        for _ in range(size // 65536):
            yield b" " * 65536

    url, headers = service.urls.otlp_http + "/v1/traces", {"content-type": JSON}
    assert httpx.post(url, content=chunks(65536), headers=headers, timeout=30).status_code == 200
    assert httpx.post(url, content=chunks(BODY_LIMIT + 65536), headers=headers, timeout=30).status_code == 413


@pytest.mark.otlp(31, 42, 43)
@pytest.mark.parametrize(
    ("content_type", "body"), [(PROTOBUF, b"\x0a\xff"), (JSON, b"{"), (JSON, b"[]"), (JSON, b"nope")]
)
def test_malformed_bodies_are_400_in_their_own_encoding(service: Service, content_type: str, body: bytes) -> None:
    """400, the request's content type, a Status with a message and a BadRequest detail."""
    answer = post(service, body, content_type)
    assert (answer.status_code, answer.headers["content-type"]) == (400, content_type)
    assert status(answer).details[0].type_url.endswith("google.rpc.BadRequest")


@pytest.mark.otlp(49)
def test_an_empty_json_body_is_400(service: Service) -> None:
    """0 bytes are not JSON."""
    assert post(service, b"", JSON).status_code == 400


@pytest.mark.otlp(31, 44, 45, 46, 47)
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
@pytest.mark.parametrize("error", [StoreUnavailable("secret"), RuntimeError("secret")])
def test_a_failing_store_is_503_with_retry_after(
    service: Service, monkeypatch: pytest.MonkeyPatch, content_type: str, error: Exception
) -> None:
    """Whatever fails inside is 503 with whole seconds to wait, UNAVAILABLE in the Status, no text of the exception."""

    def fail(_: Batch) -> Receipt:
        raise error

    monkeypatch.setattr(service.store, "append", fail)
    body = traces().SerializeToString()
    if content_type == JSON:
        span = {"traceId": "5b" * 16, "spanId": "ab" * 8}
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    answer = post(service, body, content_type)
    assert answer.status_code == 503
    assert answer.headers["content-type"] == content_type
    assert int(answer.headers["retry-after"]) >= 1
    assert status(answer).code == 14
    assert "secret" not in answer.text


@pytest.mark.otlp(11, 12)
def test_partial_success_in_both_encodings(service: Service) -> None:
    """Rejected spans and metrics not kept are told in the answer's own encoding."""
    request = traces(2)
    request.resource_spans[0].scope_spans[0].spans[0].span_id = bytes(8)
    answer = ExportTraceServiceResponse.FromString(post(service, request.SerializeToString()).content)
    assert answer.partial_success.rejected_spans == 1
    zero = {"traceId": "0" * 32, "spanId": "ab" * 8}
    told = post(service, json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [zero]}]}]}).encode(), JSON).json()
    assert told["partialSuccess"]["rejectedSpans"] == "1"
    warned = post(service, metrics(2).SerializeToString(), path="/v1/metrics")
    partial = ExportMetricsServiceResponse.FromString(warned.content).partial_success
    assert (partial.rejected_data_points, "2 metrics" in partial.error_message) == (0, True)
    body = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "a"}]}]}]}
    told = post(service, json.dumps(body).encode(), JSON, "/v1/metrics").json()
    assert told["partialSuccess"]["rejectedDataPoints"] == "0"
    assert post(service, logs().SerializeToString(), path="/v1/logs").status_code == 200


@pytest.mark.otlp(50)
def test_a_hundred_requests_on_one_connection(service: Service) -> None:
    """Keep-alive: one connection answers a hundred requests."""
    made = http.client.HTTPConnection(*address(service), timeout=30)
    for _ in range(100):
        made.request("POST", "/v1/traces", b"{}", {"content-type": JSON})
        answer = made.getresponse()
        assert (answer.status, answer.read()) == (200, b"{}")
    made.close()


@pytest.mark.otlp(50, 51)
def test_pipelined_requests_are_answered_in_order(service: Service) -> None:
    """Three requests in one packet: three answers in order; `Connection: close` ends the connection."""
    good = f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: {JSON}\r\nContent-Length: 2\r\n\r\n{{}}"
    bad = good.replace("{}", "[]")
    last = good.replace("Host:", "Connection: close\r\nHost:")
    with connection(service) as made:
        made.sendall((good + bad + last).encode())
        assert [answer_on(made)[0] for _ in range(2)] == [200, 400]
        code, headers, _ = answer_on(made)
        assert (code, headers["connection"], made.recv(1)) == (200, "close", b"")


@pytest.mark.otlp(52)
def test_answers_are_never_compressed_unasked(service: Service) -> None:
    """Small answers are sent plain, whether or not gzip is accepted."""
    for accepted in ("gzip", "identity"):
        answer = post(service, b"{}", JSON, accept_encoding=accepted)
        assert "content-encoding" not in answer.headers


@pytest.mark.otlp(53)
def test_cors_is_off_by_default(service: Service) -> None:
    """No origin gets CORS headers unless it is configured."""
    headers = {"origin": "https://app.example", "access-control-request-method": "POST"}
    answer = httpx.options(service.urls.otlp_http + "/v1/traces", headers=headers)
    assert "access-control-allow-origin" not in answer.headers
    assert "access-control-allow-origin" not in post(service, b"{}", JSON, origin="https://app.example").headers


def test_a_host_that_is_not_ours_is_refused(service: Service) -> None:
    """A request that names another host (DNS rebinding) is 421, also in the API; loopback names are fine."""
    for base in (service.urls.otlp_http, service.urls.api):
        answer = httpx.get(base + "/healthz", headers={"host": "evil.example"})
        assert answer.status_code == 421
    assert post(service, b"{}", JSON, host="localhost:1234").status_code == 200


def test_request_smuggling_shapes_are_refused(service: Service) -> None:
    """Two lengths, a bad length, and a length beside chunks end in 400 or a close, never in two answers."""
    for extra in ("Content-Length: 2\r\nContent-Length: 3", "Content-Length: -1", "Content-Length: 2x"):
        with connection(service) as made:
            made.sendall(f"POST /v1/traces HTTP/1.1\r\nHost: localhost\r\n{extra}\r\n\r\n{{}}".encode())
            assert answer_on(made)[0] == 400
