"""Recorded OTLP/JSON as the SDK's own span objects, so that the official exporters can send it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
from opentelemetry.trace.status import Status, StatusCode

Json = dict[str, Any]


def recorded_spans(path: Path, shift_ns: int = 0) -> list[ReadableSpan]:
    """Every span of a file of export requests, one a line, moved by `shift_ns`."""
    spans = []
    for line in path.read_text().splitlines():
        for group in json.loads(line).get("resourceSpans", []) if line.strip() else []:
            resource = Resource(_attributes(group.get("resource", {})))
            for scoped in group["scopeSpans"]:
                scope = scoped.get("scope", {})
                named = InstrumentationScope(scope.get("name", ""), scope.get("version"))
                spans += [_span(s, resource, named, shift_ns) for s in scoped["spans"]]
    return spans


def latest_end(path: Path) -> int:
    """The last end time (ns) in a file."""
    return max(span.end_time or 0 for span in recorded_spans(path))


def _span(recorded: Json, resource: Resource, scope: InstrumentationScope, shift_ns: int) -> ReadableSpan:
    status = recorded.get("status", {})
    parent = recorded.get("parentSpanId")
    return ReadableSpan(
        name=recorded["name"],
        context=_context(recorded["traceId"], recorded["spanId"]),
        parent=_context(recorded["traceId"], parent) if parent else None,
        resource=resource,
        attributes=_attributes(recorded),
        events=[
            Event(e["name"], _attributes(e), int(e["timeUnixNano"]) + shift_ns) for e in recorded.get("events", [])
        ],
        kind=SpanKind(max(recorded.get("kind", 1) - 1, 0)),
        status=Status(StatusCode(status.get("code", 0)), status.get("message")),
        start_time=int(recorded["startTimeUnixNano"]) + shift_ns,
        end_time=int(recorded["endTimeUnixNano"]) + shift_ns,
        instrumentation_scope=scope,
    )


def _context(trace_id: str, span_id: str) -> SpanContext:
    return SpanContext(int(trace_id, 16), int(span_id, 16), is_remote=False, trace_flags=TraceFlags(1))


def _attributes(holder: Json) -> Json:
    return {a["key"]: _value(a["value"]) for a in holder.get("attributes", []) if a.get("value")}


def _value(value: Json) -> Any:
    kind, held = next(iter(value.items()))
    if kind == "intValue":
        return int(held)
    if kind == "arrayValue":
        return [_value(v) for v in held.get("values", [])]
    return held
