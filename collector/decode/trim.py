"""The second half of cutting: after redaction, the overlap beyond each cap goes."""

from __future__ import annotations

from typing import Any

from analytics.spans import LogRecord, Span
from analytics.store import Batch
from collector.decode.caps import cap_of
from collector.decode.limits import DEFAULT_LIMITS, DecodeLimits


def trim_batch(batch: Batch, limits: DecodeLimits = DEFAULT_LIMITS) -> None:
    """Cut every text that decoding marked as cut down to its cap, in place. Other rows are not looked at."""
    for span in batch.spans:
        if span.cut:
            _trim_span(span, limits)
    for record in batch.logs:
        if record.cut:
            _trim_log(record, limits)


def _trim_span(span: Span, limits: DecodeLimits) -> None:
    span.name = span.name[: limits.value_chars]
    span.status_message = span.status_message[: limits.value_chars]
    _trim_values(span.attributes, limits)
    for event in span.events:
        _trim_values(event.attributes, limits)
    for link in span.links:
        _trim_values(link.attributes, limits)


def _trim_log(record: LogRecord, limits: DecodeLimits) -> None:
    if isinstance(record.body, str):
        record.body = record.body[: limits.payload_chars]
    _trim_values(record.attributes, limits)


def _trim_values(attributes: dict[str, Any], limits: DecodeLimits) -> None:
    for key, value in attributes.items():
        if isinstance(value, str) and len(value) > limits.value_chars:
            attributes[key] = value[: cap_of(key, limits)]
