"""Spans as one line of OTLP/JSON, the way files are recorded."""

from __future__ import annotations

import json
from typing import Any

from analytics.spans import Span
from analytics.store import Batch


def line(batch: Batch) -> str:
    """One export request."""
    spans = [_span(span) for span in batch.spans]
    resource = {"attributes": _attributes(batch.spans[0].resource)}
    return json.dumps(
        {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "booking"}, "spans": spans}]}]}
    )


def _span(span: Span) -> dict[str, Any]:
    return {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "parentSpanId": span.parent_span_id,
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": _attributes(span.attributes),
        "status": {"code": span.status_code},
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}}
        for key, value in values.items()
    ]
