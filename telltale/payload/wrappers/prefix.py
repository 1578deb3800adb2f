"""Reads the beginning of a text that was cut at a cap, so that a cut payload is judged by what is left of it."""

from __future__ import annotations

import json
import re
from typing import Any

from telltale.payload.wrappers import pyrepr

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],]', re.DOTALL)
_CUT_TEXT = re.compile(r',?\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*)"((?:[^"\\]|\\.)*)\\?\Z', re.DOTALL)
_REPR = re.compile(r"[\[{\s]*'")
_CLOSES = {"{": "}", "[": "]"}
_SCAN = 16_384
_MAX_DEPTH = 100


def parse_prefix(text: str) -> Any:
    """The value of a cut JSON object or list, or of the `repr` of one; None where nothing can be read.

    It reaches up to the last complete member, and to what is left of a text that is a member's value. Looks at the
    first 16 KiB: marks and envelopes stand at the beginning of a result.
    """
    head = text.lstrip()[:_SCAN]
    if head[:1] not in ("{", "["):
        return None
    if _REPR.match(head) is not None:
        head = _repr_as_json(head)
    stack: list[str] = []
    end, closing = 0, ""
    for token in _TOKEN.finditer(head):
        mark = token.group(0)
        if mark in _CLOSES:
            stack.append(mark)
            if len(stack) > _MAX_DEPTH:
                break
            begun = token.end(), _rest(stack)
        elif mark in ("}", "]"):
            if not stack or _CLOSES[stack.pop()] != mark:
                return None
            if not stack:
                break
            end, closing = begun = token.end(), _rest(stack)
        elif mark == ",":
            end, closing = begun = token.start(), _rest(stack)
    left = _CUT_TEXT.match(head, begun[0]) if stack and stack[-1] == "{" else None
    if left is not None and left.group(1).strip():
        end, closing = left.end(1), f'"{begun[1]}'
    try:
        return json.loads(head[:end] + closing, strict=False) if end else None
    except (ValueError, RecursionError):
        return None


def _repr_as_json(head: str) -> str:
    """A cut `repr` as cut JSON: a text that was begun last is ended for the change, and opened again."""
    for end in ("", "'", '"'):
        changed = pyrepr.as_json(head + end)
        if "'" not in _TOKEN.sub("", changed) and changed.count('"') > 1:
            return changed[: -len(end)] if end else changed
    return head


def _rest(stack: list[str]) -> str:
    return "".join(_CLOSES[mark] for mark in reversed(stack))
