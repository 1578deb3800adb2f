"""Fingerprints group failures of one kind: tool, code, and the message without what changes from call to call."""

from __future__ import annotations

import re
from hashlib import blake2b

_QUOTED = re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`")
_CHANGING = re.compile(r"[\d/]")
_DIGITS_AS_SLASHES = bytes.maketrans(b"0123456789", b"/" * 10)
_SCAN = 300


def normalised(message: str) -> str:
    """A message with its quoted parts, numbers, ids, paths and addresses taken out; at most 200 characters."""
    head = message[:_SCAN]
    if '"' in head or "'" in head or "`" in head:
        head = _QUOTED.sub("*", head)
    if head.isascii():
        words = ["*" if "/" in word else word for word in head.encode().translate(_DIGITS_AS_SLASHES).decode().split()]
        return " ".join(words)[:200].lower()
    words = head.split()
    if _CHANGING.search(head):
        words = ["*" if _CHANGING.search(word) else word for word in words]
    return " ".join(words)[:200].lower()


def fingerprint(tool: str, code: str, message: str | None, upstream: str | None) -> str:
    """16 hex digits that are the same for the same kind of failure of a tool."""
    kind = normalised(message) if message else (upstream or "")
    return digest(f"{tool}\n{code}\n{kind}")


def digest(text: str | bytes) -> str:
    """16 hex digits of a text; for grouping and comparing, not for security."""
    return blake2b(text.encode("utf-8", "replace") if isinstance(text, str) else text, digest_size=8).hexdigest()
