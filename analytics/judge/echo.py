"""Whether a result hands on an upstream's error answer: its status in a status key or a title, or its very words."""

from __future__ import annotations

import json
import re
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


def echoed_error(value: Any) -> tuple[str, str] | None:
    """The key path and the message of an error that a result holds further down, in an object or in a JSON text."""
    level: list[tuple[str, Any]] = [("", value)]
    visited = 0
    for _ in range(_DEEPEST):
        below: list[tuple[str, Any]] = []
        for path, sent in level:
            visited += 1
            node = _decoded(sent) if isinstance(sent, str) else sent
            if not isinstance(node, dict) or visited > _MAX_NODES:
                continue
            error = node.get("error")
            message = error.get("message") if isinstance(error, dict) else error
            if isinstance(message, str) and " " in message:
                return f"{path}.error".lstrip("."), message
            for key, inner in list(node.items())[:50]:
                if isinstance(inner, dict) or (isinstance(inner, str) and inner[:1] == "{"):
                    below.append((f"{path}.{key}", inner))
        level = below
    return None


_DEEPEST = 5


def headed_status(text: str, status: int) -> bool:
    """Whether a text begins, with at most a label before it, with a status: `Title: 404 - Example University`."""
    found = _HEADED.match(text)
    return found is not None and int(found.group("status")) == status


_HEADED = re.compile(r"[\s#*]{0,6}(?:\w{1,20}:\s{1,3})?[\s#*]{0,6}(?P<status>[45]\d\d)\b")


def repeats(value: Any, told: str) -> bool:
    """Whether a text of the result holds the very words with which something below it failed: several words of them."""
    said = told.strip().rstrip(".")
    if len(said) < _SHORTEST_WORDS or said.count(" ") < _FEWEST_BLANKS:
        return False
    texts = [value] if isinstance(value, str) else list(value.values())[:_MOST_FIELDS] if type(value) is dict else []
    return any(isinstance(text, str) and said in text[:_MAX_TEXT] for text in texts)


_SHORTEST_WORDS = 16
_FEWEST_BLANKS = 2


def refused_fields(value: Any, status: int) -> tuple[str, int] | None:
    """The first field of an answer that lists for each field what is wrong with it (`{"email": ["is not valid"]}`).

    Web frameworks answer so with status 400 or 422; also one object down, under `message` or `errors`.
    """
    path = ""
    if isinstance(value, dict) and len(value) == 1:
        key, inner = next(iter(value.items()))
        if isinstance(inner, dict):
            path, value = f"{key}.", inner
    if not isinstance(value, dict) or not 0 < len(value) <= _MOST_FIELDS:
        return None
    for told in value.values():
        if not isinstance(told, list) or not told:
            return None
        if not all(isinstance(text, str) and " " in text for text in told[:10]):
            return None
    return f"{path}{next(iter(value))}", status


_MOST_FIELDS = 30


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
