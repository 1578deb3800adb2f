"""Reads the beginning of a JSON text that was cut at a cap, so that a cut payload is judged by what is left of it."""

from __future__ import annotations

import json
import re
from typing import Any

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
_SCAN = 16_384
_MAX_DEPTH = 100


def parse_prefix(text: str) -> Any:
    """The value of a cut JSON object or list up to its last complete member; None where nothing can be read.

    Looks at the first 16 KiB: marks and envelopes stand at the beginning of a result.
    """
    head = text.lstrip()[:_SCAN]
    if head[:1] not in ("{", "["):
        return None
    stack: list[str] = []
    end, closing = 0, ""
    for token in _TOKEN.finditer(head):
        mark = token.group(0)
        if mark in _CLOSES:
            stack.append(mark)
            if len(stack) > _MAX_DEPTH:
                break
        elif mark in ("}", "]"):
            if not stack or _CLOSES[stack.pop()] != mark:
                return None
            if not stack:
                break
            end, closing = token.end(), _rest(stack)
        elif mark == ",":
            end, closing = token.start(), _rest(stack)
    try:
        return json.loads(head[:end] + closing, strict=False) if end else None
    except (ValueError, RecursionError):
        return None


def _rest(stack: list[str]) -> str:
    return "".join(_CLOSES[mark] for mark in reversed(stack))
