"""OTLP protobuf to rows: the upb parser, then tuned loops (attribute access is what costs, so each is read once)."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from google.protobuf.message import DecodeError as ProtobufDecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from analytics.spans import Attributes, Event, Link, LogRecord, Span
from collector.decode.caps import DEPTH_MARK, cap_key, cap_nested, cap_text, choose_attributes, thin
from collector.decode.decoded import Decoded, DecodeError, Signal
from collector.decode.limits import DecodeLimits
from collector.decode.wire import count_messages, count_records

_NO_TRACE, _NO_SPAN = bytes(16), bytes(8)
_MESSAGE: dict[Signal, Any] = {Signal.TRACES: ExportTraceServiceRequest, Signal.LOGS: ExportLogsServiceRequest}
_ODD = 128
"""Attribute keys longer than this get a second look."""


def decode(body: bytes, signal: Signal, project: str, received_ns: int, limits: DecodeLimits) -> Decoded:
    """Rows of one protobuf request; see `collector.decode.decode`."""
    count = count_records(body, limits.records)
    decoded = Decoded()
    if signal is Signal.METRICS:
        decoded.not_kept = count
        return decoded
    if len(body) > limits.wire_walk_bytes:
        count_messages(body, limits.wire_messages)
    try:
        request = _MESSAGE[signal].FromString(body)
    except ProtobufDecodeError:
        raise DecodeError(f"the body is not an OTLP {signal} request in protobuf") from None
    reader = _Reader(decoded, project, received_ns, limits)
    if signal is Signal.TRACES:
        for group in request.resource_spans:
            reader.resource_spans(group)
    else:
        for group in request.resource_logs:
            reader.resource_logs(group)
    return decoded


class _Reader:
    """Turns one parsed request into rows; holds what all of its rows share."""

    __slots__ = ("_decoded", "_limits", "_project", "_received_ns")

    def __init__(self, decoded: Decoded, project: str, received_ns: int, limits: DecodeLimits) -> None:
        self._decoded = decoded
        self._project = project
        self._received_ns = received_ns
        self._limits = limits

    def resource_spans(self, group: Any) -> None:
        """Every span of one ResourceSpans."""
        resource_cut: dict[str, int] = {}
        resource, _ = self._attributes(group.resource.attributes, resource_cut, "resource.")
        add = self._decoded.batch.spans.append
        for scoped in group.scope_spans:
            scope_cut = dict(resource_cut)
            scope = scoped.scope
            scope_attributes, _ = self._attributes(scope.attributes, scope_cut, "scope.")
            schema_url = (scoped.schema_url or group.schema_url)[:1024]
            shared = (scope.name[:1024], scope.version[:1024], scope_attributes, schema_url)
            for message in scoped.spans:
                span = self._span(message, resource, shared, scope_cut)
                if span is not None:
                    add(span)

    def _span(
        self, message: Any, resource: Attributes, shared: tuple[str, str, Attributes, str], shared_cut: dict[str, int]
    ) -> Span | None:
        trace_id, span_id, parent = message.trace_id, message.span_id, message.parent_span_id
        if len(trace_id) != 16 or len(span_id) != 8 or trace_id == _NO_TRACE or span_id == _NO_SPAN:
            self._decoded.reasons["spans rejected for an invalid trace_id or span_id"] += 1
            return None
        if len(parent) not in (0, 8):
            self._decoded.reasons["spans rejected for an invalid parent_span_id"] += 1
            return None
        limits = self._limits
        cut = dict(shared_cut)
        status = message.status
        start, end = message.start_time_unix_nano, message.end_time_unix_nano
        attributes, dropped = self._attributes(message.attributes, cut, "")
        events, dropped_events = self._events(message.events, cut) if message.events else ([], 0)
        links, dropped_links = self._links(message.links, cut) if message.links else ([], 0)
        notes = self._decoded.notes
        if end < start:
            notes["spans end before they start"] += 1
        if cut:
            notes["spans have values cut at a cap"] += 1
        if dropped or dropped_events or dropped_links:
            notes["spans have attributes, events or links beyond the caps"] += 1
        code = status.code
        # Positional, in the order of `analytics.spans.Span`: with keywords this call costs a microsecond more.
        return Span(
            trace_id.hex(),
            span_id.hex(),
            "" if parent == _NO_SPAN else parent.hex(),
            cap_text("name", message.name, cut, "name", limits),
            message.kind,
            start,
            end,
            code if code in (1, 2) else 0,
            cap_text("status", status.message, cut, "status_message", limits),
            attributes,
            events,
            links,
            resource,
            *shared,
            message.trace_state[:1024],
            message.flags & 0xFF,
            message.dropped_attributes_count + dropped,
            message.dropped_events_count + dropped_events,
            message.dropped_links_count + dropped_links,
            cut,
            self._project,
            self._received_ns,
        )

    def _events(self, messages: Sequence[Any], cut: dict[str, int]) -> tuple[list[Event], int]:
        kept, dropped = thin(messages, self._limits.events)
        events = []
        for message in kept:
            name = cap_text("name", message.name, cut, "event.name", self._limits)
            attributes, lost = self._attributes(message.attributes, cut, f"event.{name[:64]}.")
            dropped += lost
            events.append(Event(name, message.time_unix_nano, attributes))
        return events, dropped

    def _links(self, messages: Sequence[Any], cut: dict[str, int]) -> tuple[list[Link], int]:
        kept, dropped = thin(messages, self._limits.links)
        return [
            Link(message.trace_id.hex(), message.span_id.hex(), self._attributes(message.attributes, cut, "link.")[0])
            for message in kept
        ], dropped

    def resource_logs(self, group: Any) -> None:
        """Every record of one ResourceLogs."""
        resource_cut: dict[str, int] = {}
        resource, _ = self._attributes(group.resource.attributes, resource_cut, "resource.")
        for scoped in group.scope_logs:
            scope = scoped.scope
            for message in scoped.log_records:
                record = self._log(message, resource, scope.name[:1024], scope.version[:1024], dict(resource_cut))
                if record is not None:
                    self._decoded.batch.logs.append(record)

    def _log(
        self, message: Any, resource: Attributes, scope_name: str, scope_version: str, cut: dict[str, int]
    ) -> LogRecord | None:
        trace_id, span_id = message.trace_id, message.span_id
        if len(trace_id) not in (0, 16) or len(span_id) not in (0, 8):
            self._decoded.reasons["log records rejected for an invalid trace_id or span_id"] += 1
            return None
        attributes, dropped = self._attributes(message.attributes, cut, "")
        body = self._value("body", message.body, cut, "body")
        if cut:
            self._decoded.notes["log records have values cut at a cap"] += 1
        return LogRecord(
            trace_id="" if trace_id == _NO_TRACE else trace_id.hex(),
            span_id="" if span_id == _NO_SPAN else span_id.hex(),
            event_name=message.event_name[:1024],
            time_ns=message.time_unix_nano or message.observed_time_unix_nano,
            severity=message.severity_number,
            body=body,
            attributes=attributes,
            resource=resource,
            scope_name=scope_name,
            scope_version=scope_version,
            dropped_attributes=message.dropped_attributes_count + dropped,
            cut=cut,
            project=self._project,
            received_ns=self._received_ns,
        )

    def _attributes(self, pairs: Any, cut: dict[str, int], prefix: str) -> tuple[Attributes, int]:
        """Attributes as a dict (the last of equal keys wins), and how many were over the cap."""
        limits = self._limits
        dropped = 0
        if len(pairs) > limits.attributes:
            chosen = choose_attributes([pair.key for pair in pairs], limits.attributes)
            dropped = len(pairs) - len(chosen)
            pairs = [pair for n, pair in enumerate(pairs) if n in chosen]
        attributes: Attributes = {}
        small = limits.value_chars
        for pair in pairs:
            key, value = pair.key, pair.value
            if len(key) > _ODD or "\0" in key:
                key = cap_key(key)
            if text := value.string_value:
                if len(text) > small or "\0" in text:
                    text = cap_text(key, text, cut, prefix + key, limits)
                attributes[key] = text
            elif number := value.int_value:
                attributes[key] = number
            else:
                attributes[key] = self._value(key, value, cut, prefix + key)
        return attributes, dropped

    def _value(self, key: str, value: Any, cut: dict[str, int], mark: str) -> Any:
        kind = value.WhichOneof("value")
        if kind in ("array_value", "kvlist_value"):
            return cap_nested(key, self._nested(value, kind, 1, cut, mark), cut, mark, self._limits)
        if kind == "double_value":
            number = value.double_value
            if number - number != 0:  # NaN and infinities have no place in JSON columns
                cut[mark] = len(str(number))
                return None
            return number
        if kind == "bytes_value":
            return cap_text(key, base64.b64encode(value.bytes_value).decode(), cut, mark, self._limits)
        if kind == "string_value":
            return cap_text(key, value.string_value, cut, mark, self._limits)
        return getattr(value, kind) if kind in ("int_value", "bool_value") else None

    def _nested(self, value: Any, kind: str | None, depth: int, cut: dict[str, int], mark: str) -> Any:
        """A value inside a list or map; `depth` counts the lists and maps around it."""
        if kind == "array_value":
            if depth > self._limits.depth:
                return self._too_deep(cut, mark)
            return [
                self._nested(item, item.WhichOneof("value"), depth + 1, cut, mark) for item in value.array_value.values
            ]
        if kind == "kvlist_value":
            if depth > self._limits.depth:
                return self._too_deep(cut, mark)
            return {
                cap_key(pair.key): self._nested(pair.value, pair.value.WhichOneof("value"), depth + 1, cut, mark)
                for pair in value.kvlist_value.values
            }
        if kind == "string_value":
            text: str = value.string_value
            return text.replace("\0", "\u2400") if "\0" in text else text
        return self._value("", value, cut, mark)

    @staticmethod
    def _too_deep(cut: dict[str, int], mark: str) -> str:
        cut.setdefault(mark, len(DEPTH_MARK))
        return DEPTH_MARK
