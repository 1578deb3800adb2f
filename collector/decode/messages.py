"""OTLP's messages, declared so that texts and attributes stay bytes while a request is parsed.

Most attributes of a request are the same few bytes again and again (`gen_ai.operation.name: execute_tool`), so reading
each distinct one once is a third of the work of building protobuf objects for all; and a text that is not UTF-8 costs
its own span instead of the whole request. Numbers and names of the fields are those of opentelemetry-proto 1.x; what a
row does not need is left out and skipped.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "telltale.otlp"

_BYTES, _INT32, _UINT32, _FIXED32, _FIXED64 = "bytes", "int32", "uint32", "fixed32", "fixed64"
_PLAIN = {
    _BYTES: descriptor_pb2.FieldDescriptorProto.TYPE_BYTES,
    _INT32: descriptor_pb2.FieldDescriptorProto.TYPE_INT32,
    _UINT32: descriptor_pb2.FieldDescriptorProto.TYPE_UINT32,
    _FIXED32: descriptor_pb2.FieldDescriptorProto.TYPE_FIXED32,
    _FIXED64: descriptor_pb2.FieldDescriptorProto.TYPE_FIXED64,
}

_Field = tuple[int, str, str]
"""Number, name, type: one of `_PLAIN` or a message of `_MESSAGES`; `*` after it where the field repeats."""

_MESSAGES: dict[str, tuple[_Field, ...]] = {
    "TraceRequest": ((1, "resource_spans", "ResourceSpans*"),),
    "ResourceSpans": ((1, "resource", "Resource"), (2, "scope_spans", "ScopeSpans*"), (3, "schema_url", _BYTES)),
    "ScopeSpans": ((1, "scope", "Scope"), (2, "spans", "Span*"), (3, "schema_url", _BYTES)),
    "LogRequest": ((1, "resource_logs", "ResourceLogs*"),),
    "ResourceLogs": ((1, "resource", "Resource"), (2, "scope_logs", "ScopeLogs*")),
    "ScopeLogs": ((1, "scope", "Scope"), (2, "log_records", "LogRecord*")),
    "Resource": ((1, "attributes", "bytes*"),),
    "Scope": ((1, "name", _BYTES), (2, "version", _BYTES), (3, "attributes", "bytes*")),
    "Span": (
        (1, "trace_id", _BYTES),
        (2, "span_id", _BYTES),
        (3, "trace_state", _BYTES),
        (4, "parent_span_id", _BYTES),
        (5, "name", _BYTES),
        (6, "kind", _INT32),
        (7, "start_time_unix_nano", _FIXED64),
        (8, "end_time_unix_nano", _FIXED64),
        (9, "attributes", "bytes*"),
        (10, "dropped_attributes_count", _UINT32),
        (11, "events", "Event*"),
        (12, "dropped_events_count", _UINT32),
        (13, "links", "Link*"),
        (14, "dropped_links_count", _UINT32),
        (15, "status", "Status"),
        (16, "flags", _FIXED32),
    ),
    "Status": ((2, "message", _BYTES), (3, "code", _INT32)),
    "Event": ((1, "time_unix_nano", _FIXED64), (2, "name", _BYTES), (3, "attributes", "bytes*")),
    "Link": ((1, "trace_id", _BYTES), (2, "span_id", _BYTES), (4, "attributes", "bytes*")),
    "LogRecord": (
        (1, "time_unix_nano", _FIXED64),
        (2, "severity_number", _INT32),
        (5, "body", _BYTES),
        (6, "attributes", "bytes*"),
        (7, "dropped_attributes_count", _UINT32),
        (9, "trace_id", _BYTES),
        (10, "span_id", _BYTES),
        (11, "observed_time_unix_nano", _FIXED64),
        (12, "event_name", _BYTES),
    ),
    "KeyValue": ((1, "key", _BYTES), (2, "value", "AnyValue")),
    "AnyValue": ((1, "string_value", _BYTES), (5, "array_value", "ArrayValue"), (6, "kvlist_value", "KeyValueList")),
    "ArrayValue": ((1, "values", "AnyValue*"),),
    "KeyValueList": ((1, "values", "KeyValue*"),),
}


def _classes() -> dict[str, Any]:
    """A message class by name, from a pool of its own: the process's pool keeps OTLP's own declarations."""
    file = descriptor_pb2.FileDescriptorProto(name="telltale_otlp.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for number, field_name, kind in fields:
            made = message.field.add(name=field_name, number=number)
            made.label = made.LABEL_REPEATED if kind.endswith("*") else made.LABEL_OPTIONAL
            plain = _PLAIN.get(kind.rstrip("*"))
            if plain is None:
                made.type, made.type_name = made.TYPE_MESSAGE, f".{_PACKAGE}.{kind.rstrip('*')}"
            else:
                made.type = plain
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES
    }


_CLASSES = _classes()

TraceRequest: Any = _CLASSES["TraceRequest"]
LogRequest: Any = _CLASSES["LogRequest"]
KeyValue: Any = _CLASSES["KeyValue"]
AnyValue: Any = _CLASSES["AnyValue"]
