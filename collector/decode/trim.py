"""The second half of cutting: after redaction, the overlap beyond each cap goes."""

from __future__ import annotations

from typing import Any

from analytics.spans import LogRecord, Span
from analytics.store import Batch
from collector.decode.caps import SHORT_CHARS, cap_of
from collector.decode.limits import DEFAULT_LIMITS, DecodeLimits


def trim_batch(batch: Batch, limits: DecodeLimits = DEFAULT_LIMITS) -> None:
    """Cut every text of a row that decoding marked as cut down to its cap, in place. Other rows are not looked at."""
    shared: set[int] = set()
    for span in batch.spans:
        if span.cut:
            _trim_span(span, limits)
            _trim_shared(span.resource, shared, limits)
            _trim_shared(span.scope_attributes, shared, limits)
    for record in batch.logs:
        if record.cut:
            _trim_log(record, limits)
            _trim_shared(record.resource, shared, limits)


def _trim_span(span: Span, limits: DecodeLimits) -> None:
    span.name = span.name[: limits.value_chars]
    span.status_message = span.status_message[: limits.value_chars]
    span.scope_name, span.scope_version = span.scope_name[:SHORT_CHARS], span.scope_version[:SHORT_CHARS]
    span.schema_url, span.trace_state = span.schema_url[:SHORT_CHARS], span.trace_state[:SHORT_CHARS]
    _trim_values(span.attributes, limits)
    for event in span.events:
        event.name = event.name[: limits.value_chars]
        _trim_values(event.attributes, limits)
    for link in span.links:
        _trim_values(link.attributes, limits)


def _trim_log(record: LogRecord, limits: DecodeLimits) -> None:
    if isinstance(record.body, str):
        record.body = record.body[: limits.payload_chars]
    record.event_name = record.event_name[:SHORT_CHARS]
    record.scope_name, record.scope_version = record.scope_name[:SHORT_CHARS], record.scope_version[:SHORT_CHARS]
    _trim_values(record.attributes, limits)


def _trim_shared(attributes: dict[str, Any], done: set[int], limits: DecodeLimits) -> None:
    """Attributes that many rows share are trimmed once; they live as long as the batch, so an id names one of them."""
    if id(attributes) not in done:
        done.add(id(attributes))
        _trim_values(attributes, limits)


def _trim_values(attributes: dict[str, Any], limits: DecodeLimits) -> None:
    for key, value in attributes.items():
        if isinstance(value, str) and len(value) > limits.value_chars:
            attributes[key] = value[: cap_of(key, limits)]
