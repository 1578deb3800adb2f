"""Times as people write them."""

from __future__ import annotations

import pytest

from analytics.questions.times import MAX_NS, parse_time, rfc3339

NOW = 1_790_000_000_000_000_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("15m", NOW - 900 * 10**9),
        ("24h", NOW - 86_400 * 10**9),
        ("7d", NOW - 7 * 86_400 * 10**9),
        ("all", None),
        ("1970-01-01T00:00:01Z", 10**9),
        ("1970-01-01T01:00:01+01:00", 10**9),
        ("1970-01-02", 86_400 * 10**9),
        ("2262-04-11T23:47:16Z", MAX_NS // 10**9 * 10**9),
        ("999999w", 0),
    ],
)
def test_what_people_write_is_read(text: str, expected: int | None) -> None:
    """Spans of time count back from now, timestamps without a zone are UTC."""
    assert parse_time(text, NOW) == expected


@pytest.mark.parametrize("text", ["", "yesterday", "15", "-1h", "24 hours", "1e9h"])
def test_what_is_no_time_is_refused(text: str) -> None:
    """Anything else raises, so that a caller can name the parameter."""
    with pytest.raises(ValueError, match="24h"):
        parse_time(text, NOW)


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01",
        "0001-01-01T00:00:00+23:59",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:00:00+00:01",
        "2262-04-12",
        "9999-12-31T23:59:59-23:59",
    ],
)
def test_a_time_that_cannot_be_kept_is_refused(text: str) -> None:
    """What lies outside of 1970 to 2262 raises, offset counted in, and the sentence says what can be asked."""
    with pytest.raises(ValueError, match="1970-01-01 to 2262-04-11"):
        parse_time(text, NOW)


def test_times_leave_as_utc() -> None:
    """RFC 3339, UTC, microseconds, the whole range of the store."""
    assert rfc3339(0) == "1970-01-01T00:00:00.000000Z"
    assert rfc3339(MAX_NS) == "2262-04-11T23:47:16.854775Z"
    assert rfc3339(None) is None
