"""How long an upstream wants to be left alone, in every form that a service says it."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

_EPOCH_FLOOR = 1_000_000_000
"""A reset value above this is a moment (Unix seconds), below it a duration: GitHub sends the first, IETF drafts the
second, under look-alike names."""
_RATE_LIMIT_T = re.compile(r"(?:^|[;,\s])(?:t|reset)=(\d{1,10})")
_GO_DURATION = re.compile(r"^(?:(\d{1,4})h)?(?:(\d{1,4})m)?(?:(\d{1,6}(?:\.\d{1,6})?)s)?(?:(\d{1,8})ms)?$")


def from_headers(headers: object, now: float | None = None) -> float | None:
    """Seconds to wait, from response headers; None where none of the known headers is there or readable.

    Looks at `retry-after-ms`, `Retry-After` (seconds or HTTP date, RFC 9110 §10.2.3), `RateLimit` with `t=`
    (draft-ietf-httpapi-ratelimit-headers), `RateLimit-Reset`, and `X-RateLimit-Reset(-After)` (seconds, Unix time,
    Unix milliseconds or a duration such as `1m30s`).

    Args:
        headers: any mapping of header names.
        now: Unix time, for tests.
    """
    given = _lower(headers)
    moment = time.time() if now is None else now
    if (milliseconds := _number(given.get("retry-after-ms"))) is not None:
        return milliseconds / 1000
    if (after := _retry_after(given.get("retry-after"), moment)) is not None:
        return after
    if found := _RATE_LIMIT_T.search(given.get("ratelimit", "")):
        return float(found.group(1))
    for name in (
        "x-ratelimit-reset-after",
        "ratelimit-reset",
        "x-ratelimit-reset",
        "x-rate-limit-reset",
        "x-ratelimit-reset-requests",
    ):
        if (after := _reset(given.get(name), moment)) is not None:
            return after
    return None


def _lower(headers: object) -> dict[str, str]:
    if not isinstance(headers, Mapping) and not hasattr(headers, "items"):
        return {}
    items: Any = headers.items()
    return {str(_text(name)).lower(): str(_text(value))[:200] for name, value in list(items)[:200]}


def _text(value: object) -> object:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _number(text: str | None) -> float | None:
    try:
        value = float((text or "").strip())
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _retry_after(text: str | None, now: float) -> float | None:
    if not text:
        return None
    if (seconds := _number(text)) is not None:
        return seconds
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _reset(text: str | None, now: float) -> float | None:
    if not text:
        return None
    value = _number(text)
    if value is None:
        match = _GO_DURATION.match(text.strip())
        if not match or not any(match.groups()):
            return _retry_after(text, now)
        hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
        return hours * 3600 + minutes * 60 + seconds + milliseconds / 1000
    if value > _EPOCH_FLOOR * 1000:
        return max(0.0, value / 1000 - now)
    return max(0.0, value - now) if value > _EPOCH_FLOOR else value
