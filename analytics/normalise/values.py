"""Recorded values: the one that is missing, and any of them as text."""

from __future__ import annotations

import json
from typing import Any

MISSING: Any = object()
"""Stands for a value that was not recorded (None is a value)."""


def as_text(value: Any) -> str | None:
    """A value as sent, as text: text as it is, structured values as JSON; None where it was not recorded."""
    if value is MISSING:
        return None
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"


def same(left: Any, right: Any) -> bool:
    """Whether two recorded values are equal; never raises, whatever their nesting."""
    try:
        return bool(left == right)
    except RecursionError:
        return False
