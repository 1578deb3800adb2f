"""Stand-in for the shared pattern table: what may not stand in a message for the model, and secrets in text."""

from __future__ import annotations

import re
from typing import Any

_OWN = re.compile(
    r"\bException\b|\bTraceback\b|<!doctype|<html|\b(?:postgres|postgresql|mysql|mongodb|redis|amqp)://", re.I
)


def forbidden_in(text: str) -> str | None:
    """What a message for the model must not hold, by name, or None: the payload rules' own check, and a little more."""
    from telltale.payload.leaks import forbidden_in as internals_in  # late: only failures need it

    return internals_in(text) or ("an exception, markup or a connection string" if _OWN.search(text) else None)


_SECRET = re.compile(
    r"(?i)(\b(?:bearer|basic)\s+|(?:api[_-]?key|token|password|passwd|secret|authorization)\s{0,3}[=:]\s{0,3}\"?)"
    r"([A-Za-z0-9._~+/=-]{6,512})"
)


def redact(text: str) -> str:
    """The text with credentials masked."""
    return _SECRET.sub(r"\1[redacted]", text)


def redact_value(value: Any, depth: int = 0) -> Any:
    """A copy of plain JSON data with credentials masked in every text; other objects stay as they are."""
    if isinstance(value, str):
        return redact(value)
    if depth > 40:
        return value
    if isinstance(value, dict):
        return {key: redact_value(inner, depth + 1) for key, inner in value.items()}
    return [redact_value(inner, depth + 1) for inner in value] if isinstance(value, list) else value
