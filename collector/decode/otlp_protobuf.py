"""OTLP protobuf to rows: the upb parser, then tuned loops (attribute access is what costs, so each is read once).

Texts and attributes come out of the parser as bytes (`collector.decode.messages`). A text that is not UTF-8 costs the
row that holds it; in a resource or scope, all rows under it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import DecodeError as ProtobufDecodeError

from analytics.spans import Attributes, Event, Link, LogRecord, Span
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
from collector.decode.decoded import Decoded, DecodeError, Signal
from collector.decode.limits import DecodeLimits
from collector.decode.messages import LogRequest, TraceRequest
from collector.decode.pairs import KNOWN, SMALL, NotUtf8Error, Pair, any_pair, any_value, short_text, text, text_pair
from collector.decode.wire import count_messages, count_records

_NO_TRACE, _NO_SPAN = bytes(16), bytes(8)
_MESSAGE: dict[Signal, Any] = {Signal.TRACES: TraceRequest, Signal.LOGS: LogRequest}
_Scope = tuple[str, str, Attributes, str]
"""Name, version and attributes of a scope, and the schema URL: the order of `analytics.spans.Span`."""


def decode(
    body: bytes, signal: Signal, project: str, received_ns: int, limits: DecodeLimits, *, of_bytes: BytesText
) -> Decoded:
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
    reader = _Reader(decoded, project, received_ns, limits, of_bytes=of_bytes)
    if signal is Signal.TRACES:
        for group in request.resource_spans:
            reader.resource_spans(group)
    else:
        for group in request.resource_logs:
            reader.resource_logs(group)
    return decoded


class _Reader:
    """Turns one parsed request into rows; holds what all of its rows share."""

    __slots__ = ("_decoded", "_limits", "_of_bytes", "_project", "_received_ns", "_small", "_trace_hex", "_trace_id")

    def __init__(
        self, decoded: Decoded, project: str, received_ns: int, limits: DecodeLimits, *, of_bytes: BytesText
    ) -> None:
        self._decoded = decoded
        self._project = project
        self._received_ns = received_ns
        self._limits = limits
        self._of_bytes = of_bytes
        self._trace_id, self._trace_hex = b"", ""
        self._small = min(SMALL, limits.value_chars)  # no text in an attribute of so many bytes can need a cut

    def resource_spans(self, group: Any) -> None:
        """Every span of one ResourceSpans."""
        resource_cut: dict[str, int] = {}
        try:
            resource, _ = self._attributes(group.resource.attributes, resource_cut, "resource.")
            schema_url = text(group.schema_url)
        except NotUtf8Error:
            self._reject_spans(sum(len(scoped.spans) for scoped in group.scope_spans))
            return
        add = self._decoded.batch.spans.append
        for scoped in group.scope_spans:
            scope_cut = dict(resource_cut)
            try:
                shared = self._scope(scoped, schema_url, scope_cut)
            except NotUtf8Error:
                self._reject_spans(len(scoped.spans))
                continue
            for message in scoped.spans:
                try:
                    span = self._span(message, resource, shared, scope_cut)
                except NotUtf8Error:
                    self._reject_spans(1)
                    continue
                if span is not None:
                    add(span)

    def _reject_spans(self, count: int) -> None:
        if count:
            self._decoded.reasons["spans rejected for text that is not UTF-8"] += count

    def _scope(self, scoped: Any, schema_url: str, cut: dict[str, int]) -> _Scope:
        scope = scoped.scope
        attributes, _ = self._attributes(scope.attributes, cut, "scope.")
        url = text(scoped.schema_url) or schema_url
        name, version = self._scope_names(scope, cut)
        return name, version, attributes, cap_short(url, cut, "schema_url", self._limits)

    def _scope_names(self, scope: Any, cut: dict[str, int]) -> tuple[str, str]:
        limits = self._limits
        name = cap_short(text(scope.name), cut, "scope_name", limits)
        return name, cap_short(text(scope.version), cut, "scope_version", limits)

    def _span(self, message: Any, resource: Attributes, shared: _Scope, shared_cut: dict[str, int]) -> Span | None:
        trace_id, span_id, parent = message.trace_id, message.span_id, message.parent_span_id
        if len(trace_id) != 16 or len(span_id) != 8 or trace_id == _NO_TRACE or span_id == _NO_SPAN:
            self._decoded.reasons["spans rejected for an invalid trace_id or span_id"] += 1
            return None
        if len(parent) not in (0, 8):
            self._decoded.reasons["spans rejected for an invalid parent_span_id"] += 1
            return None
        cut = dict(shared_cut) if shared_cut else {}
        status, state = message.status, message.trace_state
        state = cap_short(text(state), cut, "trace_state", self._limits) if state else ""
        start, end = message.start_time_unix_nano, message.end_time_unix_nano
        attributes, dropped = self._attributes(message.attributes, cut, "")
        name, reason = self._text("name", message.name, cut), self._text("status_message", status.message, cut)
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
        if trace_id != self._trace_id:  # spans of a trace come together and share the text
            self._trace_id, self._trace_hex = trace_id, trace_id.hex()
        # Positional, in the order of `analytics.spans.Span`: with keywords this call costs a microsecond more.
        return Span(
            self._trace_hex,
            span_id.hex(),
            "" if parent == _NO_SPAN else parent.hex(),
            name,
            message.kind,
            start,
            end,
            code if code in (1, 2) else 0,
            reason,
            attributes,
            events,
            links,
            resource,
            *shared,
            state,
            message.flags & 0xFF,
            message.dropped_attributes_count + dropped,
            message.dropped_events_count + dropped_events,
            message.dropped_links_count + dropped_links,
            cut,
            self._project,
            self._received_ns,
        )

    def _text(self, mark: str, raw: bytes, cut: dict[str, int]) -> str:
        """A name or a status message."""
        if len(raw) <= self._small:
            return short_text(raw)
        return cap_text("name", text(raw), cut, mark, self._limits)

    def _events(self, messages: Sequence[Any], cut: dict[str, int]) -> tuple[list[Event], int]:
        kept, dropped = thin(messages, self._limits.events)
        events = []
        for message in kept:
            name = self._text("event.name", message.name, cut)
            attributes, lost = self._attributes(message.attributes, cut, event_mark(name))
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
        try:
            resource, _ = self._attributes(group.resource.attributes, resource_cut, "resource.")
        except NotUtf8Error:
            self._reject_logs(sum(len(scoped.log_records) for scoped in group.scope_logs))
            return
        for scoped in group.scope_logs:
            cut = dict(resource_cut)
            try:
                scope = self._scope_names(scoped.scope, cut)
            except NotUtf8Error:
                self._reject_logs(len(scoped.log_records))
                continue
            for message in scoped.log_records:
                try:
                    record = self._log(message, resource, scope, dict(cut))
                except NotUtf8Error:
                    self._reject_logs(1)
                    continue
                if record is not None:
                    self._decoded.batch.logs.append(record)

    def _reject_logs(self, count: int) -> None:
        if count:
            self._decoded.reasons["log records rejected for text that is not UTF-8"] += count

    def _log(self, message: Any, resource: Attributes, scope: tuple[str, str], cut: dict[str, int]) -> LogRecord | None:
        trace_id, span_id = message.trace_id, message.span_id
        if len(trace_id) not in (0, 16) or len(span_id) not in (0, 8):
            self._decoded.reasons["log records rejected for an invalid trace_id or span_id"] += 1
            return None
        attributes, dropped = self._attributes(message.attributes, cut, "")
        body = self._value("body", any_value(message.body), cut, "body")
        event_name = cap_short(text(message.event_name), cut, "event_name", self._limits)
        if cut:
            self._decoded.notes["log records have values cut at a cap"] += 1
        return LogRecord(
            trace_id="" if trace_id == _NO_TRACE else trace_id.hex(),
            span_id="" if span_id == _NO_SPAN else span_id.hex(),
            event_name=event_name,
            time_ns=message.time_unix_nano or message.observed_time_unix_nano,
            severity=message.severity_number,
            body=body,
            attributes=attributes,
            resource=resource,
            scope_name=scope[0],
            scope_version=scope[1],
            dropped_attributes=message.dropped_attributes_count + dropped,
            cut=cut,
            project=self._project,
            received_ns=self._received_ns,
        )

    def _attributes(self, raws: Any, cut: dict[str, int], prefix: str) -> tuple[Attributes, int]:
        """Attributes as a dict (the last of equal keys wins), and how many were over the cap."""
        limits = self._limits
        dropped = 0
        raws = raws[:]  # a list: a repeated field is slower to walk
        if len(raws) > limits.attributes:
            chosen = choose_attributes([any_pair(raw).key for raw in raws], limits.attributes)
            dropped = len(raws) - len(chosen)
            raws = [raw for n, raw in enumerate(raws) if n in chosen]
        attributes: Attributes = {}
        known, small, large = KNOWN.get, self._small, limits.value_chars
        for raw in raws:
            if len(raw) <= small:
                key, value = known(raw) or self._learn(raw, cut, prefix)
                attributes[key] = value
            elif pair := text_pair(raw):
                key, value = pair
                if len(value) > large or "\0" in value or "\0" in key:
                    key = cap_key(key, limits)
                    value = cap_text(key, value, cut, prefix + key, limits)
                attributes[key] = value
            else:
                self._any(raw, attributes, cut, prefix)
        return attributes, dropped

    def _learn(self, raw: bytes, cut: dict[str, int], prefix: str) -> Pair:
        """A small attribute that is met for the first time; remembered where its value is plain."""
        read = text_pair(raw)
        if read is not None and "\0" not in read[0] and "\0" not in read[1]:
            pair: Pair = read
        else:
            found: Attributes = {}
            self._any(raw, found, cut, prefix)
            [pair] = found.items()
            if type(pair[1]) not in (int, float, bool):
                return pair
        KNOWN.learn(raw, pair)
        return pair

    def _any(self, raw: bytes, attributes: Attributes, cut: dict[str, int], prefix: str) -> None:
        """An attribute of any form, the slow way."""
        message = any_pair(raw)
        key = cap_key(message.key, self._limits)
        attributes[key] = self._value(key, message.value, cut, prefix + key)

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
            return cap_text(key, self._of_bytes(value.bytes_value), cut, mark, self._limits)
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
                visible(pair.key): self._nested(pair.value, pair.value.WhichOneof("value"), depth + 1, cut, mark)
                for pair in value.kvlist_value.values
            }
        if kind == "string_value":
            return visible(value.string_value)
        return self._value("", value, cut, mark)

    @staticmethod
    def _too_deep(cut: dict[str, int], mark: str) -> str:
        cut.setdefault(mark, len(DEPTH_MARK))
        return DEPTH_MARK
