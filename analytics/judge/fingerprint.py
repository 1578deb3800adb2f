"""Fingerprints group failures of one kind: tool, code, and the message without what changes from call to call."""

from __future__ import annotations

import re
from hashlib import blake2b

_CHANGING = re.compile(
    r"https?://\S+|\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?:0x)?[0-9a-fA-F]{12,}\b"
    r"|(?<!\w)/[\w./@-]{2,}|\b\w*\d[\w.:-]*"
)
_SCAN = 600


def normalised(message: str) -> str:
    """A message with its quoted parts, numbers, ids, paths and addresses taken out; at most 200 characters."""
    return " ".join(_CHANGING.sub("*", message[:_SCAN]).split())[:200].lower()


def fingerprint(tool: str, code: str, message: str | None, upstream: str | None) -> str:
    """16 hex digits that are the same for the same kind of failure of a tool."""
    kind = normalised(message) if message else (upstream or "")
    return digest(f"{tool}\n{code}\n{kind}")


def digest(text: str) -> str:
    """16 hex digits of a text; for grouping and comparing, not for security."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
