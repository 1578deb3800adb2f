"""The shapes of OTLP/JSON as msgspec structs: lowerCamelCase keys, null the same as absent, unknown fields ignored.

Source: opentelemetry-proto trace.proto, logs.proto, metrics.proto, common.proto and resource.proto.
"""

from __future__ import annotations

import msgspec
from opentelemetry.proto.logs.v1.logs_pb2 import SeverityNumber
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage
from opentelemetry.proto.trace.v1.trace_pb2 import Status as StatusMessage

SPAN_KINDS: dict[str, int] = dict(SpanMessage.SpanKind.items())
STATUS_CODES: dict[str, int] = dict(StatusMessage.StatusCode.items())
SEVERITIES: dict[str, int] = dict(SeverityNumber.items())

Number = int | float | str
"""A 64-bit integer, a double or an enum as JSON senders write them; checked where it is used."""


class _Shape(msgspec.Struct, rename="camel", gc=False):
    """A message of OTLP/JSON."""


class ArrayValue(_Shape):
    values: list[AnyValue | None] | None = None


class KeyValueList(_Shape):
    values: list[KeyValue] | None = None


class AnyValue(_Shape):
    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Number | None = None
    double_value: Number | None = None
    array_value: ArrayValue | None = None
    kvlist_value: KeyValueList | None = None
    bytes_value: str | None = None


class KeyValue(_Shape):
    key: str | None = None
    value: AnyValue | None = None


class Resource(_Shape):
    attributes: list[KeyValue] | None = None


class Scope(_Shape):
    name: str | None = None
    version: str | None = None
    attributes: list[KeyValue] | None = None


class Event(_Shape):
    name: str | None = None
    time_unix_nano: Number | None = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number | None = None


class Link(_Shape):
    trace_id: str | None = None
    span_id: str | None = None
    attributes: list[KeyValue] | None = None


class Status(_Shape):
    code: Number | None = None
    message: str | None = None


class Span(_Shape):
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    trace_state: str | None = None
    flags: Number | None = None
    name: str | None = None
    kind: Number | None = None
    start_time_unix_nano: Number | None = None
    end_time_unix_nano: Number | None = None
    attributes: list[KeyValue] | None = None
    events: list[Event] | None = None
    links: list[Link] | None = None
    status: Status | None = None
    dropped_attributes_count: Number | None = None
    dropped_events_count: Number | None = None
    dropped_links_count: Number | None = None


class ScopeSpans(_Shape):
    scope: Scope | None = None
    spans: list[Span] | None = None
    schema_url: str | None = None


class ResourceSpans(_Shape):
    resource: Resource | None = None
    scope_spans: list[ScopeSpans] | None = None
    schema_url: str | None = None


class TracesRequest(_Shape):
    resource_spans: list[ResourceSpans] | None = None


class LogRecord(_Shape):
    trace_id: str | None = None
    span_id: str | None = None
    time_unix_nano: Number | None = None
    observed_time_unix_nano: Number | None = None
    severity_number: Number | None = None
    event_name: str | None = None
    body: AnyValue | None = None
    attributes: list[KeyValue] | None = None
    dropped_attributes_count: Number | None = None


class ScopeLogs(_Shape):
    scope: Scope | None = None
    log_records: list[LogRecord] | None = None


class ResourceLogs(_Shape):
    resource: Resource | None = None
    scope_logs: list[ScopeLogs] | None = None


class LogsRequest(_Shape):
    resource_logs: list[ResourceLogs] | None = None


class ScopeMetrics(_Shape):
    metrics: list[msgspec.Raw] | None = None


class ResourceMetrics(_Shape):
    scope_metrics: list[ScopeMetrics] | None = None


class MetricsRequest(_Shape):
    resource_metrics: list[ResourceMetrics] | None = None
