"""What a tool's own log says of trouble: events, log spans and log records of level warning and above."""

from __future__ import annotations

from typing import Any, NamedTuple

from analytics.spans import Event, LogRecord, Span
from telltale.payload.codes.phrases import first_code
from telltale.vocabulary import Code

WARN, ERROR = 13, 17
"""The least severity numbers of warnings and errors (OpenTelemetry's logs data model, `SeverityNumber`)."""

_LEVEL_KEYS = ("level", "severity", "log.level", "log.severity", "severity_text", "levelname", "log.severity.text")
_NUMBER_KEYS = ("severity_number", "log.severity.number", "logfire.level_num")
_LEVELS = {
    **dict.fromkeys(("warn", "warning"), WARN),
    **dict.fromkeys(("error", "err", "critical", "fatal", "alert", "emergency", "panic"), ERROR),
}
_MOST_TEXTS = 20


class Line(NamedTuple):
    """One line of a log: the span that it belongs to, what it says, and the code that this means."""

    span: Span
    text: str
    code: Code | None


def grave_lines(span: Span, records: list[LogRecord]) -> list[Line]:
    """The lines that a span holds or that were logged in it: every error, and the warnings whose words mean a code.

    A warning alone says little; one that a source timed out or refused says why nothing came.
    """
    found = [_line(span, level_of_event(event), _texts(event.attributes)) for event in span.events]
    found.append(_line(span, _number(span.attributes.get("logfire.level_num")), [span.name, *_texts(span.attributes)]))
    found += [_line(span, record.severity, _texts({"body": record.body, **record.attributes})) for record in records]
    return [line for line in found if line is not None]


def level_of_event(event: Event) -> int:
    """The severity number of a span event; 0 where it is no line of a log."""
    attributes = event.attributes
    for key in _NUMBER_KEYS:
        if key in attributes:
            return _number(attributes[key])
    for key in _LEVEL_KEYS:
        told = attributes.get(key)
        if isinstance(told, str):
            return _LEVELS.get(told.lower(), 0)
    return _LEVELS.get(event.name.rpartition(".")[2].lower(), 0)


def _number(value: Any) -> int:
    return value if type(value) is int else 0


def _texts(attributes: dict[str, Any]) -> list[str]:
    return [text for text in list(attributes.values())[:_MOST_TEXTS] if isinstance(text, str) and text]


def _line(span: Span, level: int, texts: list[str]) -> Line | None:
    if level < WARN:
        return None
    code = first_code(texts)
    if level < ERROR and code is None:
        return None
    return Line(span, max(texts, key=len, default="")[:120], code)
