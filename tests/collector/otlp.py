"""OTLP requests for tests, built from plain values."""

from __future__ import annotations

import os
import struct
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

NOW = 1_796_000_000_000_000_000


def any_value(value: Any) -> AnyValue:
    """A value as OTLP carries it."""
    made = AnyValue()
    match value:
        case bool():
            made.bool_value = value
        case int():
            made.int_value = value
        case float():
            made.double_value = value
        case bytes():
            made.bytes_value = value
        case list():
            made.array_value.SetInParent()
            made.array_value.values.extend(any_value(item) for item in value)
        case dict():
            made.kvlist_value.SetInParent()
            made.kvlist_value.values.extend(pairs(value))
        case str():
            made.string_value = value
    return made


def pairs(attributes: dict[str, Any]) -> list[KeyValue]:
    """Attributes as OTLP carries them."""
    return [KeyValue(key=key, value=any_value(value)) for key, value in attributes.items()]


def span_id() -> bytes:
    """A new span id."""
    return os.urandom(8)


def traces(count: int = 1, *, trace_id: bytes | None = None, **fields: Any) -> ExportTraceServiceRequest:
    """A request of `count` tool spans; `fields` go to every span."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(pairs({"service.name": "tests"}))
    scoped = group.scope_spans.add()
    scoped.scope.name = "tests"
    attributes = fields.pop("attributes", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look"})
    for _ in range(count):
        span = scoped.spans.add(
            trace_id=trace_id or os.urandom(16),
            span_id=span_id(),
            name="execute_tool look",
            kind=1,
            start_time_unix_nano=NOW,
            end_time_unix_nano=NOW + 1_000_000,
        )
        span.attributes.extend(pairs(attributes))
        for name, value in fields.items():
            setattr(span, name, value)
    return request


def logs(count: int = 1, body: Any = "hello") -> ExportLogsServiceRequest:
    """A request of log records."""
    request = ExportLogsServiceRequest()
    scoped = request.resource_logs.add().scope_logs.add()
    for _ in range(count):
        scoped.log_records.add(time_unix_nano=NOW, body=any_value(body), event_name="gen_ai.choice")
    return request


def metrics(count: int = 1) -> ExportMetricsServiceRequest:
    """A request of metrics."""
    request = ExportMetricsServiceRequest()
    scoped = request.resource_metrics.add().scope_metrics.add()
    for n in range(count):
        scoped.metrics.add(name=f"metric-{n}").gauge.data_points.add(time_unix_nano=NOW, as_int=n)
    return request


def field(number: int, payload: bytes) -> bytes:
    """A length-delimited protobuf field, also for numbers that no message has."""
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def varint(value: int) -> bytes:
    """Protobuf's variable-length integer."""
    out = b""
    while value > 0x7F:
        out += struct.pack("B", value & 0x7F | 0x80)
        value >>= 7
    return out + struct.pack("B", value)
