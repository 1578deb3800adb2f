"""How a notice words an answer without content, and a share."""

from __future__ import annotations

import re

import pytest

from analytics.alerts.evidence import _SENTENCES
from analytics.alerts.wording import answer, percent


@pytest.mark.parametrize(
    ("text", "expected"),
    [("[]", "an empty list"), (" {} ", "an empty object"), ('""', "an empty text"), ("null", "null, nothing at all")],
)
def test_an_answer_without_content_is_named(text: str, expected: str) -> None:
    """`[]`, of which the quoting would leave `()`, is said to be an empty list."""
    assert answer(text) == expected


def test_any_other_answer_is_quoted() -> None:
    """With what chat clients act on made inert."""
    assert answer('[{"at": "<b>"}]') == '({"at": "‹b›"})'


@pytest.mark.parametrize(
    ("share", "expected"), [(0.4286, "43 %"), (0.0105, "1.1 %"), (0.0003, "0.03 %"), (0.0, "0 %"), (1.0, "100 %")]
)
def test_a_share_keeps_two_digits(share: float, expected: str) -> None:
    """Small rates stay above nothing, large ones have no decimals."""
    assert percent(share) == expected


ONE = {
    **dict.fromkeys(("sessions", "calls", "failing_calls", "baseline_calls", "most_calls_of_a_session"), 1),
    **dict.fromkeys(("calls_a_week_ago", "waiting", "attempts"), 1),
    "window_s": 600,
    "usual_rate": 0.01,
    "expected": 0.1,
    "odds": 0.001,
}


@pytest.mark.parametrize("met", _SENTENCES)
def test_one_is_not_plural(met: str) -> None:
    """Every sentence of numbers says "1 call", "1 session", and of two "2 calls"."""
    one = _SENTENCES[met](ONE)
    two = _SENTENCES[met]({name: 2 if value == 1 else value for name, value in ONE.items()})

    assert not re.search(r"\b1 \w+s\b", one), one
    assert not re.search(r"\b2 (session|call|time|notice|attempt)\b", two), two
