"""Whether a failing text says on a line of its own that trying again may help."""

from __future__ import annotations

import re

_LINE = re.compile(
    r"^[ \t>*-]{0,6}(?:is_?)?retr(?:y|i)able[ \t]*[:=][ \t]*(?P<said>true|false|yes|no)[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 2_000


def told_retry(text: str) -> bool | None:
    """What the line `retryable: false` says; None where there is none."""
    head = text[:_HEAD]
    hit = _LINE.search(head) if "iable" in head or "yable" in head else None
    return hit.group("said").lower() in ("true", "yes") if hit is not None else None
