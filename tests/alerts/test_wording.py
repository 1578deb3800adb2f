"""How a notice words an answer without content, and a share."""

from __future__ import annotations

import pytest

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
