"""What stands in the place of a secret: `[REDACTED:kind:hmac8]`."""

from __future__ import annotations

import re

MARK = re.compile(r"\[REDACTED:[^\]:\s]{1,64}:[0-9a-f]{8}\]")


def is_mark(text: str) -> bool:
    """Whether a text is one whole mark; what only begins like one may hide a secret behind it."""
    return text.startswith("[REDACTED:") and MARK.fullmatch(text) is not None
