"""Reads OTLP/JSON lines into traces, so that normalising can be tried without a collector."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from analytics.spans import Event, Link, LogRecord, Span, Trace


def any_value(value: dict[str, Any]) -> Any:
    """One AnyValue (opentelemetry/proto/common/v1) as a Python value."""
    for kind, inner in value.items():
        if kind == "kvlistValue":
            return attributes(inner.get("values", []))
        if kind == "arrayValue":
            return [any_value(item) for item in inner.get("values", [])]
        return int(inner) if kind == "intValue" else inner
    return None


def attributes(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """A KeyValue list as a dict."""
    return {pair["key"]: any_value(pair.get("value", {})) for pair in pairs}


def _span(raw: dict[str, Any], resource: dict[str, Any], scope: dict[str, Any]) -> Span:
    return Span(
        trace_id=raw["traceId"].lower(),
        span_id=raw["spanId"].lower(),
        parent_span_id=raw.get("parentSpanId", "").lower(),
        name=raw["name"],
        kind=raw.get("kind", 0),
        start_ns=int(raw["startTimeUnixNano"]),
        end_ns=int(raw["endTimeUnixNano"]),
        status_code=raw.get("status", {}).get("code", 0),
        status_message=raw.get("status", {}).get("message", ""),
        attributes=attributes(raw.get("attributes", [])),
        events=[
            Event(e["name"], int(e.get("timeUnixNano", 0)), attributes(e.get("attributes", [])))
            for e in raw.get("events", [])
        ],
        links=[Link(e["traceId"].lower(), e["spanId"].lower()) for e in raw.get("links", [])],
        resource=resource,
        scope_name=scope.get("name", ""),
        scope_version=scope.get("version", ""),
        dropped_attributes=raw.get("droppedAttributesCount", 0),
    )


def spans_of(body: dict[str, Any]) -> Iterable[Span]:
    """The spans of one ExportTraceServiceRequest."""
    for group in body.get("resourceSpans", []):
        resource = attributes(group.get("resource", {}).get("attributes", []))
        for scoped in group.get("scopeSpans", []):
            for raw in scoped.get("spans", []):
                yield _span(raw, resource, scoped.get("scope", {}))


def logs_of(body: dict[str, Any]) -> Iterable[LogRecord]:
    """The log records of one ExportLogsServiceRequest."""
    for group in body.get("resourceLogs", []):
        resource = attributes(group.get("resource", {}).get("attributes", []))
        for scoped in group.get("scopeLogs", []):
            for raw in scoped.get("logRecords", []):
                own = attributes(raw.get("attributes", []))
                yield LogRecord(
                    trace_id=raw.get("traceId", "").lower(),
                    span_id=raw.get("spanId", "").lower(),
                    event_name=raw.get("eventName", ""),
                    time_ns=int(raw.get("timeUnixNano", 0)),
                    body=any_value(raw.get("body", {})),
                    attributes=own,
                    resource=resource,
                    scope_name=scoped.get("scope", {}).get("name", ""),
                )


def gather(spans: Iterable[Span], logs: Iterable[LogRecord] = ()) -> list[Trace]:
    """Traces of spans and logs, duplicates removed, in the order of first arrival."""
    traces: dict[str, Trace] = {}
    seen: set[tuple[str, str]] = set()
    for span in spans:
        if (span.trace_id, span.span_id) not in seen:
            seen.add((span.trace_id, span.span_id))
            traces.setdefault(span.trace_id, Trace("default", span.trace_id)).spans.append(span)
    for log in logs:
        if log.trace_id:
            traces.setdefault(log.trace_id, Trace("default", log.trace_id)).logs.append(log)
    return list(traces.values())


def load(path: Path) -> list[Trace]:
    """The traces of a capture: a folder with trace.jsonl and maybe logs.jsonl, or one .jsonl file of trace bodies."""
    trace_file = path / "trace.jsonl" if path.is_dir() else path
    logs_file = trace_file.with_name("logs.jsonl") if path.is_dir() else None
    spans = [s for line in trace_file.read_text().splitlines() if line.strip() for s in spans_of(json.loads(line))]
    logs: list[LogRecord] = []
    if logs_file is not None and logs_file.exists():
        logs = [r for line in logs_file.read_text().splitlines() if line.strip() for r in logs_of(json.loads(line))]
    return gather(spans, logs)
