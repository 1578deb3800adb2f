"""Numbers with units, times with an age, rates that know when they cannot be told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dashboard import words
from telltale.vocabulary import Outcome

NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-30T11:59:56Z", "4 s ago"),
        ("2026-11-30T11:57:00+00:00", "3 min ago"),
        ("2026-11-30T09:55:00Z", "2 h 05 min ago"),
        ("2026-11-25T09:00:00Z", "5 d 3 h ago"),
        ("2026-11-30T12:00:05Z", "now"),
        (None, "–"),
        ("<img>", "–"),
    ],
)
def test_ago(value: object, expected: str) -> None:
    """An age is given in its two largest units; what is no time is a dash."""
    assert words.ago(value, NOW) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.4, "400 µs"), (12, "12 ms"), (3400, "3.4 s"), (130_000, "2 min"), (None, "–"), ("<b>", "–")],
)
def test_milliseconds(value: object, expected: str) -> None:
    """A duration carries its unit; what is no number is a dash."""
    assert words.milliseconds(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.874, "87 %"),
        (0.004, "0.4 %"),
        (1.0, "100 %"),
        (0.999, "99.9 %"),
        (0, "0 %"),
        (None, "–"),
        (0.0002, "< 0.1 %"),
    ],
)
def test_percent(value: object, expected: str) -> None:
    """Shares near the ends keep a decimal, so that 99.9 % is not shown as all."""
    assert words.percent(value) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [
        (93, 1024, "9.1 % of 1 024"),
        (3, 7, "43 % of 7"),
        (0, 10, "0 % of 10"),
        (0, 0, "–"),
        (None, 4, "–"),
        (1, None, "–"),
    ],
)
def test_share(part: object, whole: object, expected: str) -> None:
    """A share has its denominator beside it; without one there is no share."""
    assert words.share(part, whole) == expected


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        ({"rate": 0.375, "numerator": 3, "denominator": 8, "not_measured": 2}, "38 % of 8"),
        ({"rate": None, "numerator": 0, "denominator": 0, "not_measured": 2}, "not measured"),
        ({"rate": None, "numerator": 0, "denominator": 0, "not_measured": 0}, "no failures"),
        ({}, "no failures"),
    ],
)
def test_rate(rate: dict[str, object], expected: str) -> None:
    """A rate that was not measured, or has nothing to measure, is no 0 %."""
    assert words.rate(rate) == expected


def test_unknown_count_is_not_zero() -> None:
    """A count that is not known is a dash, never a zero."""
    assert words.count(None) == "–"
    assert words.count(12_345) == "12 345"


def test_rate_without_failures() -> None:
    """No failures is neither 0 % nor 100 %."""
    assert words.rate_value({"rate": None, "denominator": 0}) == "no failures yet"
    assert words.rate_interval({"rate": None, "denominator": 0}) == ""


def test_every_outcome_has_its_own_look() -> None:
    """Each outcome differs in shape, colour and words, so that colour alone never tells."""
    looks = [words.look(outcome) for outcome in Outcome]

    assert len({look.glyph for look in looks}) == len(Outcome)
    assert len({look.color for look in looks}) == len(Outcome)
    assert words.look("<img>") is words.UNKNOWN_LOOK


def test_lately_leaves_out_the_day_that_goes_without_saying() -> None:
    """A time of the last hours is short; an older one bears its day; what is no time is a dash."""
    assert words.lately("2026-11-30T11:56:00Z", NOW) == "11:56:00 UTC (4 min ago)"
    assert words.lately("2026-11-29T11:56:00Z", NOW) == "2026-11-29 11:56:00 UTC (1 d 0 h ago)"
    assert words.lately("<b>", NOW) == "–"


def test_refusals_have_units() -> None:
    """Requests, spans, log records and metrics are told apart; nothing refused is no text."""
    assert words.refused({"refused_units": {"spans": 1, "requests": 1_200}}) == "1 200 requests, 1 span"
    assert words.refused({"refused": {}}) == ""
