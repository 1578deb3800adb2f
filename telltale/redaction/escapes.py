"""JSON's escapes of plain ASCII characters: `token\\u003dx`, as encoders write it that are careful with HTML."""

from __future__ import annotations

import re

ESCAPED = r"\\u00[2-7][0-9A-Fa-f]"
"""Shape of such an escape, in RE2's syntax."""

_ESCAPE = re.compile(r"\\{1,8}u00([2-7][0-9A-Fa-f])")
_KEPT = frozenset("\"'\\\x7f")


def unescaped(text: str) -> str:
    """The text with these characters written as they are; quotes and backslashes stay escaped, so JSON stays JSON."""
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return found[0] if character in _KEPT else character
