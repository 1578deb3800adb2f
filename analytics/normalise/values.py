"""Recorded values: the one that is missing, and any of them as text."""

from __future__ import annotations

import json
from typing import Any

_written = json.JSONEncoder(ensure_ascii=False).encode

MISSING: Any = object()
"""Stands for a value that was not recorded (None is a value)."""


def as_text(value: Any) -> str | None:
    """A value as sent, as text: text as it is, structured values as JSON; None where it was not recorded."""
    if value is MISSING:
        return None
    if isinstance(value, str):
        return value
    try:
        return _written(value)
    except (TypeError, ValueError, RecursionError):
        return f"({type(value).__name__})"


def same(left: Any, right: Any) -> bool:
    """Whether two recorded values are equal; never raises, whatever their nesting."""
    try:
        return bool(left == right)
    except RecursionError:
        return False


def same_arguments(left: Any, right: Any) -> bool:
    """Whether two sides recorded the same arguments: equal, or the one bare value where a side left out its name."""
    if same(left, right):
        return True
    if isinstance(left, dict) == isinstance(right, dict):
        return False
    named, bare = (left, right) if isinstance(left, dict) else (right, left)
    if len(named) != 1:
        return False
    value = next(iter(named.values()))
    if isinstance(value, _SCALARS) and isinstance(bare, _SCALARS):
        return str(value) == str(bare)
    return same(value, bare) or same([value], bare)


_SCALARS = (str, int, float, bool, type(None))
