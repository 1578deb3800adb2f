"""The rows that travel from the receivers to the judge: a span, a log record, and the trace they belong to.

Plain slotted values without behaviour, so that decoding, storing and judging share one shape. Attribute values are the
JSON kinds (str, bool, int, float, None, list, dict); bytes travel as base64 text, as in OTLP/JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Attributes = dict[str, Any]
"""Attribute names and values, as sent. Never changed after decoding and redaction."""

UNSET, OK, ERROR = 0, 1, 2
"""Span status codes (opentelemetry/proto/trace/v1 Status.StatusCode)."""

INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = 1, 2, 3, 4, 5
"""Span kinds (opentelemetry/proto/trace/v1 Span.SpanKind); 0 is unspecified."""


@dataclass(slots=True)
class Event:
    """A span event."""

    name: str
    time_ns: int
    attributes: Attributes = field(default_factory=dict)


@dataclass(slots=True)
class Link:
    """A span link."""

    trace_id: str
    span_id: str
    attributes: Attributes = field(default_factory=dict)


@dataclass(slots=True)
class Span:
    """One span as the store keeps it.

    Ids are lower-case hex; `parent_span_id` is "" for a root. Times are nanoseconds since 1970 UTC, as sent, not
    corrected. `resource` is shared by the spans of one resource. `cut` names each attribute or event attribute that
    was cut at a cap, with its original length in characters. `seq` is the store's arrival number (0 before storing),
    `received_ns` when it arrived.
    """

    trace_id: str
    span_id: str
    parent_span_id: str
    name: str
    kind: int
    start_ns: int
    end_ns: int
    status_code: int = UNSET
    status_message: str = ""
    attributes: Attributes = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    resource: Attributes = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""
    scope_attributes: Attributes = field(default_factory=dict)
    schema_url: str = ""
    trace_state: str = ""
    flags: int = 0
    dropped_attributes: int = 0
    dropped_events: int = 0
    dropped_links: int = 0
    cut: dict[str, int] = field(default_factory=dict)
    project: str = "default"
    received_ns: int = 0
    seq: int = 0


@dataclass(slots=True)
class LogRecord:
    """One log record: GenAI events travel so in some frameworks. Ids are "" where the record has none."""

    trace_id: str
    span_id: str
    event_name: str
    time_ns: int
    severity: int = 0
    body: Any = None
    attributes: Attributes = field(default_factory=dict)
    resource: Attributes = field(default_factory=dict)
    scope_name: str = ""
    scope_version: str = ""
    dropped_attributes: int = 0
    cut: dict[str, int] = field(default_factory=dict)
    project: str = "default"
    received_ns: int = 0
    seq: int = 0

    @property
    def event(self) -> str:
        """The event: the field, or the attribute that held its name before OTLP had the field (Semantic Kernel)."""
        if self.event_name:
            return self.event_name
        name = self.attributes.get("event.name")
        return name if isinstance(name, str) else ""


@dataclass(slots=True)
class Trace:
    """All that is known of one trace at one moment, in any order; duplicates already removed."""

    project: str
    trace_id: str
    spans: list[Span] = field(default_factory=list)
    logs: list[LogRecord] = field(default_factory=list)
