"""Times as people write them: RFC 3339 out, `15m`, `24h`, `7d`, RFC 3339 or `all` in."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

SECOND_NS = 1_000_000_000
HOUR_NS = 3600 * SECOND_NS
DAY_NS = 24 * HOUR_NS
MAX_NS = 2**63 - 1
"""The largest time that the store holds (the year 2262); the smallest is 0 (1970)."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SPAN = re.compile(r"(\d{1,6})([smhdw])")
_UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def rfc3339(ns: int | None) -> str | None:
    """A time as RFC 3339 UTC with microseconds; None stays None."""
    if ns is None:
        return None
    return (_EPOCH + timedelta(microseconds=ns // 1000)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str, now_ns: int) -> int | None:
    """Nanoseconds since 1970 UTC for `15m`, `24h`, `7d` before now, a timestamp, or None for `all`.

    A timestamp without a zone is UTC. A span that reaches back beyond 1970 starts there: nothing is kept before.

    Raises:
        ValueError: the text is none of these, or a timestamp outside of what the store can hold.
    """
    text = text.strip()
    if text.lower() == "all":
        return None
    if match := _SPAN.fullmatch(text.lower()):
        return max(0, now_ns - int(match[1]) * _UNIT_S[match[2]] * SECOND_NS)
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("is not 15m, 24h, 7d, a timestamp such as 2026-10-06T10:00:00Z, or all") from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    passed = moment - _EPOCH
    found = (passed.days * 86400 + passed.seconds) * SECOND_NS + passed.microseconds * 1000
    if not 0 <= found <= MAX_NS:
        raise ValueError("is outside of what is kept; it can be from 1970-01-01 to 2262-04-11")
    return found
