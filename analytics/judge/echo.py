"""Whether a result hands on an upstream's error answer: its status number in a status key, or a JSON text inside."""

from __future__ import annotations

import json
from typing import Any

_KEYS = frozenset(
    ("status", "code", "status_code", "statusCode", "http_status", "httpStatus", "error_code", "errorCode", "httpCode")
)
_MAX_DEPTH = 3
_MAX_NODES = 200
_MAX_TEXT = 20_000


def echoed_status(value: Any, statuses: list[int]) -> tuple[str, int] | None:
    """The key path and the number under which a result repeats one of the failed statuses; None where it does not.

    An HTTP response handed out as such (`headers` beside the status) is an answer, not an echo.
    """
    level: list[tuple[str, Any]] = [("", value)]
    visited = 0
    for _ in range(_MAX_DEPTH):
        below: list[tuple[str, Any]] = []
        for path, sent in level:
            visited += 1
            if visited > _MAX_NODES:
                return None
            node = _decoded(sent) if isinstance(sent, str) else sent
            if isinstance(node, list):
                below += [(f"{path}[{i}]", item) for i, item in enumerate(node[:3])]
            if not isinstance(node, dict):
                continue
            if "headers" in node:
                return None
            for key, inner in list(node.items())[:50]:
                if key in _KEYS and _as_number(inner) in statuses:
                    return f"{path}.{key}".lstrip("."), int(inner)
                if isinstance(inner, dict | list) or (isinstance(inner, str) and inner[:1] == "{"):
                    below.append((f"{path}.{key}", inner))
        level = below
    return None


def _decoded(text: str) -> Any:
    if text[:1] != "{" or len(text) > _MAX_TEXT or text.count("{") + text.count("[") > 200:
        return None
    try:
        return json.JSONDecoder(strict=False).raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _as_number(value: Any) -> int | None:
    if isinstance(value, str) and value.isdigit() and len(value) == 3:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
