"""OTLP/JSON to rows, with msgspec: ids are hex, 64-bit integers strings or numbers, unknown fields ignored.

protobuf's own `json_format` must not be used here: it reads the hex ids as base64 and accepts snake_case.
Specification: opentelemetry-proto/docs/specification.md, "JSON Protobuf Encoding".
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from analytics.spans import Attributes, Event, Link, LogRecord, Span
from collector.decode import json_shapes as shapes
from collector.decode.caps import (
    DEPTH_MARK,
    BytesText,
    cap_key,
    cap_nested,
    cap_short,
    cap_text,
    choose_attributes,
    event_mark,
    thin,
    visible,
)
from collector.decode.decoded import Decoded, DecodeError, Signal, TooManyRecordsError
from collector.decode.json_scalars import IdError, base64_bytes, double, enum, hex_id, integer, uint64
from collector.decode.json_utf8 import decode_without, is_utf8
from collector.decode.limits import DecodeLimits

_DECODERS: Mapping[Signal, msgspec.json.Decoder[Any]] = {
    Signal.TRACES: msgspec.json.Decoder(shapes.TracesRequest),
    Signal.LOGS: msgspec.json.Decoder(shapes.LogsRequest),
    Signal.METRICS: msgspec.json.Decoder(shapes.MetricsRequest),
}
_NO_RESOURCE = shapes.Resource()

_ESCAPE = re.compile(
    rb"\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}|(?P<half>\\u[Dd][89A-Fa-f][0-9A-Fa-f]{2})|\\."
)
"""A whole surrogate pair, half of one, or any other escape (so that the u of `\\\\u` begins none)."""


def decode(
    body: bytes, signal: Signal, project: str, received_ns: int, limits: DecodeLimits, *, of_bytes: BytesText
) -> Decoded:
    """Rows of one JSON request; see `collector.decode.decode`."""
    if body.count(b"{") > limits.json_objects:
        raise TooManyRecordsError("the body holds too many objects; send smaller batches")
    decoded = Decoded()
    try:
        request = _parse(body, signal)
    except DecodeError:
        if signal is Signal.METRICS or is_utf8(body):
            raise
        request = decode_without(body, signal, lambda text: _parse(text, signal), decoded)
    reader = _Reader(decoded, project, received_ns, limits, of_bytes=of_bytes)
    if signal is Signal.METRICS:
        decoded.not_kept = sum(
            len(scoped.metrics or ())
            for group in request.resource_metrics or ()
            for scoped in group.scope_metrics or ()
        )
        return decoded
    for group in (request.resource_spans if signal is Signal.TRACES else request.resource_logs) or ():
        if signal is Signal.TRACES:
            reader.resource_spans(group)
        else:
            reader.resource_logs(group)
    if reader.malformed is not None and not (decoded.batch.spans or decoded.batch.logs):
        raise reader.malformed  # nothing can be kept: a sender that spells all ids another way must hear of it
    return decoded


def whole_characters(body: bytes) -> bytes:
    """JSON with U+FFFD for every escaped half of a surrogate pair, as the OpenTelemetry Collector reads it.

    JSON.stringify and json.dumps write such halves where a text was cut within an emoji; refusing the request would
    lose every span that was sent with it.
    """
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found["half"] else found[0], body)


def _parse(body: bytes, signal: Signal) -> Any:
    try:
        return _DECODERS[signal].decode(body)
    except msgspec.ValidationError as error:
        # The text names a path and types, never a value of the payload.
        raise DecodeError(f"the body is not an OTLP {signal} request in JSON: {error}") from None
    except msgspec.DecodeError as error:
        whole = whole_characters(body)
        if whole != body:
            return _parse(whole, signal)
        raise DecodeError(f"the body is not JSON: {error}") from None
    except RecursionError:
        raise DecodeError("the body is nested too deep") from None


@dataclass(slots=True, frozen=True)
class _Shared:
    """What the spans of one ScopeSpans share."""

    resource: Attributes
    scope_name: str
    scope_version: str
    scope_attributes: Attributes
    schema_url: str


class _Reader:
    """Turns one parsed request into rows; holds what all of its rows share."""

    __slots__ = ("_decoded", "_groups", "_limits", "_of_bytes", "_project", "_received_ns", "_records", "malformed")

    def __init__(
        self, decoded: Decoded, project: str, received_ns: int, limits: DecodeLimits, *, of_bytes: BytesText
    ) -> None:
        self._decoded = decoded
        self._project = project
        self._received_ns = received_ns
        self._limits = limits
        self._of_bytes = of_bytes
        self._records = self._groups = 0
        self.malformed: IdError | None = None

    def _count(self, records: int) -> None:
        self._records += records
        if self._records > self._limits.records:
            raise TooManyRecordsError(f"more than {self._limits.records} records in one request; send smaller batches")

    def _count_group(self) -> None:
        """One more resource or scope: empty ones cost their time too."""
        self._groups += 1
        if self._groups > 2 * self._limits.records:
            raise TooManyRecordsError("too many resources or scopes in one request; send smaller batches")

    def _reject(self, what: str, error: IdError) -> None:
        self._decoded.reasons[f"{what} rejected: {error}"] += 1
        self.malformed = self.malformed or error

    def resource_spans(self, group: shapes.ResourceSpans) -> None:
        """Every span of one ResourceSpans."""
        resource_cut: dict[str, int] = {}
        self._count_group()
        resource, _ = self._attributes((group.resource or _NO_RESOURCE).attributes, resource_cut, "resource.")
        for scoped in group.scope_spans or ():
            self._count_group()
            self._count(len(scoped.spans or ()))
            scope = scoped.scope or shapes.Scope()
            cut = dict(resource_cut)
            scope_attributes, _ = self._attributes(scope.attributes, cut, "scope.")
            shared = _Shared(
                resource,
                self._short("scope_name", scope.name, cut),
                self._short("scope_version", scope.version, cut),
                scope_attributes,
                self._short("schema_url", scoped.schema_url or group.schema_url, cut),
            )
            for message in scoped.spans or ():
                try:
                    span = self._span(message, shared, dict(cut))
                except IdError as error:
                    self._reject("spans", error)
                    continue
                if span is not None:
                    self._decoded.batch.spans.append(span)

    def _span(self, message: shapes.Span, shared: _Shared, cut: dict[str, int]) -> Span | None:
        trace_id, span_id = hex_id(message.trace_id, 32), hex_id(message.span_id, 16)
        parent = hex_id(message.parent_span_id, 16)
        if not trace_id or not span_id:
            self._decoded.reasons["spans rejected for an invalid trace_id or span_id"] += 1
            return None
        limits = self._limits
        status = message.status or shapes.Status()
        start, end = uint64(message.start_time_unix_nano), uint64(message.end_time_unix_nano)
        attributes, dropped = self._attributes(message.attributes, cut, "")
        events, dropped_events = self._events(message.events or (), cut)
        links, dropped_links = self._links(message.links or (), cut)
        code = enum(status.code, shapes.STATUS_CODES)
        span = Span(
            trace_id=trace_id,
            span_id=span_id,
            parent_span_id=parent,
            name=cap_text("name", message.name or "", cut, "name", limits),
            kind=enum(message.kind, shapes.SPAN_KINDS),
            start_ns=start,
            end_ns=end,
            status_code=code if code in (1, 2) else 0,
            status_message=cap_text("status", status.message or "", cut, "status_message", limits),
            attributes=attributes,
            events=events,
            links=links,
            resource=shared.resource,
            scope_name=shared.scope_name,
            scope_version=shared.scope_version,
            scope_attributes=shared.scope_attributes,
            schema_url=shared.schema_url,
            trace_state=self._short("trace_state", message.trace_state, cut),
            flags=uint64(message.flags) & 0xFF,
            dropped_attributes=uint64(message.dropped_attributes_count) + dropped,
            dropped_events=uint64(message.dropped_events_count) + dropped_events,
            dropped_links=uint64(message.dropped_links_count) + dropped_links,
            cut=cut,
            project=self._project,
            received_ns=self._received_ns,
        )
        self._note(span, bool(dropped or dropped_events or dropped_links))
        return span

    def _note(self, span: Span, dropped: bool) -> None:
        notes = self._decoded.notes
        if span.end_ns < span.start_ns:
            notes["spans end before they start"] += 1
        if span.cut:
            notes["spans have values cut at a cap"] += 1
        if dropped:
            notes["spans have attributes, events or links beyond the caps"] += 1

    def _events(self, messages: Sequence[shapes.Event], cut: dict[str, int]) -> tuple[list[Event], int]:
        kept, dropped = thin(messages, self._limits.events)
        events = []
        for message in kept:
            name = cap_text("name", message.name or "", cut, "event.name", self._limits)
            attributes, lost = self._attributes(message.attributes, cut, event_mark(name))
            dropped += lost
            events.append(Event(name, uint64(message.time_unix_nano), attributes))
        return events, dropped

    def _links(self, messages: Sequence[shapes.Link], cut: dict[str, int]) -> tuple[list[Link], int]:
        kept, dropped = thin(messages, self._limits.links)
        return [
            Link(
                hex_id(message.trace_id, 32),
                hex_id(message.span_id, 16),
                self._attributes(message.attributes, cut, "link.")[0],
            )
            for message in kept
        ], dropped

    def resource_logs(self, group: shapes.ResourceLogs) -> None:
        """Every record of one ResourceLogs."""
        resource_cut: dict[str, int] = {}
        self._count_group()
        resource, _ = self._attributes((group.resource or _NO_RESOURCE).attributes, resource_cut, "resource.")
        for scoped in group.scope_logs or ():
            self._count_group()
            self._count(len(scoped.log_records or ()))
            scope = scoped.scope or shapes.Scope()
            cut = dict(resource_cut)
            names = self._short("scope_name", scope.name, cut), self._short("scope_version", scope.version, cut)
            for message in scoped.log_records or ():
                try:
                    self._decoded.batch.logs.append(self._log(message, resource, names, dict(cut)))
                except IdError as error:
                    self._reject("log records", error)

    def _log(
        self, message: shapes.LogRecord, resource: Attributes, scope: tuple[str, str], cut: dict[str, int]
    ) -> LogRecord:
        attributes, dropped = self._attributes(message.attributes, cut, "")
        body = self._value("body", message.body, cut, "body") if message.body else None
        event_name = self._short("event_name", message.event_name, cut)
        if cut:
            self._decoded.notes["log records have values cut at a cap"] += 1
        return LogRecord(
            trace_id=hex_id(message.trace_id, 32),
            span_id=hex_id(message.span_id, 16),
            event_name=event_name,
            time_ns=uint64(message.time_unix_nano) or uint64(message.observed_time_unix_nano),
            severity=enum(message.severity_number, shapes.SEVERITIES),
            body=body,
            attributes=attributes,
            resource=resource,
            scope_name=scope[0],
            scope_version=scope[1],
            dropped_attributes=uint64(message.dropped_attributes_count) + dropped,
            cut=cut,
            project=self._project,
            received_ns=self._received_ns,
        )

    def _short(self, mark: str, text: str | None, cut: dict[str, int]) -> str:
        return cap_short(text, cut, mark, self._limits) if text else ""

    def _attributes(
        self, pairs: Sequence[shapes.KeyValue] | None, cut: dict[str, int], prefix: str
    ) -> tuple[Attributes, int]:
        """Attributes as a dict (the last of equal keys wins), and how many were over the cap."""
        if not pairs:
            return {}, 0
        limits = self._limits
        dropped = 0
        if len(pairs) > limits.attributes:
            chosen = choose_attributes([pair.key or "" for pair in pairs], limits.attributes)
            dropped = len(pairs) - len(chosen)
            pairs = [pair for n, pair in enumerate(pairs) if n in chosen]
        attributes: Attributes = {}
        for pair in pairs:
            key = cap_key(pair.key or "", limits)
            value = pair.value
            attributes[key] = None if value is None else self._value(key, value, cut, prefix + key)
        return attributes, dropped

    def _value(self, key: str, value: shapes.AnyValue, cut: dict[str, int], mark: str) -> Any:
        if value.string_value is not None:
            return cap_text(key, value.string_value, cut, mark, self._limits)
        if value.array_value is not None or value.kvlist_value is not None:
            return cap_nested(key, self._nested(value, 1, cut, mark), cut, mark, self._limits)
        return self._scalar(key, value, cut, mark)

    def _scalar(self, key: str, value: shapes.AnyValue, cut: dict[str, int], mark: str) -> Any:
        if value.int_value is not None:
            return integer(value.int_value, -(2**63), 2**63)
        if value.bool_value is not None:
            return value.bool_value
        if value.double_value is not None:
            number = double(value.double_value)
            if math.isfinite(number):
                return number
            cut[mark] = len(str(number))
            return None
        if value.bytes_value is not None:
            return cap_text(key, self._of_bytes(base64_bytes(value.bytes_value)), cut, mark, self._limits)
        return None

    def _nested(self, value: shapes.AnyValue | None, depth: int, cut: dict[str, int], mark: str) -> Any:
        """A value inside a list or map; `depth` counts the lists and maps around it."""
        if value is None:
            return None
        if value.string_value is not None:
            return visible(value.string_value)
        array, kvlist = value.array_value, value.kvlist_value
        if array is None and kvlist is None:
            return self._scalar("", value, cut, mark)
        if depth > self._limits.depth_refused:
            raise DecodeError(f"a value is nested deeper than {self._limits.depth_refused} levels")
        inner: Callable[[shapes.AnyValue | None], Any] = lambda item: self._nested(item, depth + 1, cut, mark)  # noqa: E731
        result: Any
        if array is not None:
            result = [inner(item) for item in array.values or ()]
        else:
            result = {visible(pair.key or ""): inner(pair.value) for pair in (kvlist and kvlist.values) or ()}
        if depth > self._limits.depth:
            cut.setdefault(mark, len(DEPTH_MARK))
            return DEPTH_MARK
        return result
