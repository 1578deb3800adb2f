"""Rows of the store as spans and log records again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pyarrow as pa

from analytics.spans import Event, Link, LogRecord, Span

_decode = msgspec.json.Decoder().decode


def _object(text: str | None) -> dict[str, Any]:
    return _decode(text) if text else {}


def spans_of(table: pa.Table) -> list[Span]:
    """Span rows of a table with at least the columns of SPAN_SCHEMA; rows that share a resource share the object."""
    shared = _sharing()
    return [_span(row, shared) for row in table.to_pylist()]


def _sharing() -> Callable[[str | None], dict[str, Any]]:
    seen: dict[str, dict[str, Any]] = {}

    def shared(text: str | None) -> dict[str, Any]:
        if not text:
            return {}
        if text not in seen:
            seen[text] = _decode(text)
        return seen[text]

    return shared


def _span(row: dict[str, Any], shared: Callable[[str | None], dict[str, Any]]) -> Span:
    times = _object(row["out_of_range"])
    return Span(
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        parent_span_id=row["parent_span_id"],
        name=row["name"],
        kind=row["kind"],
        start_ns=times.get("start_ns", row["start_ns"]),
        end_ns=times.get("end_ns", row["end_ns"]),
        status_code=row["status_code"],
        status_message=row["status_message"],
        attributes=_object(row["attributes"]),
        events=[Event(**event) for event in _decode(row["events"] or "[]")],
        links=[Link(**link) for link in _decode(row["links"] or "[]")],
        resource=shared(row["resource"]),
        scope_name=row["scope_name"],
        scope_version=row["scope_version"],
        scope_attributes=shared(row["scope_attributes"]),
        schema_url=row["schema_url"],
        trace_state=row["trace_state"],
        flags=row["flags"],
        dropped_attributes=row["dropped_attributes"],
        dropped_events=row["dropped_events"],
        dropped_links=row["dropped_links"],
        cut=_object(row["cut"]),
        project=row["project"],
        received_ns=row["received_ns"],
        seq=row["seq"],
    )


def logs_of(table: pa.Table) -> list[LogRecord]:
    """Log rows of a table that has at least the columns of LOG_SCHEMA."""
    shared = _sharing()
    return [_log(row, shared) for row in table.to_pylist()]


def _log(row: dict[str, Any], shared: Callable[[str | None], dict[str, Any]]) -> LogRecord:
    return LogRecord(
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        event_name=row["event_name"],
        time_ns=_object(row["out_of_range"]).get("time_ns", row["time_ns"]),
        severity=row["severity"],
        body=_decode(row["body"]) if row["body"] else None,
        attributes=_object(row["attributes"]),
        resource=shared(row["resource"]),
        scope_name=row["scope_name"],
        scope_version=row["scope_version"],
        dropped_attributes=row["dropped_attributes"],
        cut=_object(row["cut"]),
        project=row["project"],
        received_ns=row["received_ns"],
        seq=row["seq"],
    )
