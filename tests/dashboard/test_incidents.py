"""An incident leads to the calls that it is about, by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.incident_cards import calls_behind
from dashboard.view import View

SINCE = "2026-11-30T14:00:00Z"


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("permission_denied", {"code": "PERMISSION_DENIED", "outcome": "failed"}),
        ("internal_above_baseline", {"code": "INTERNAL", "outcome": "failed"}),
        ("budget_exhausted", {"flag": "budget_exhausted"}),
        ("silent_failures", {"outcome": "silent_failure"}),
    ],
)
def test_calls_behind_a_rule(rule: str, expected: dict[str, str]) -> None:
    """The calls are those of the rule's sign and tool since the first failure, whatever the viewer had filtered."""
    row = {"rule": rule, "tool": "send_mail", "first_failure": SINCE}

    query = calls_behind(row, View(project="shop", agent="a", code="CONFLICT"))

    assert query == {"project": "shop", "since": SINCE, "tool": "send_mail", **expected}


@pytest.mark.parametrize("rule", ["no_data", "notifier_failing", "a rule of tomorrow"])
def test_rules_about_no_call(rule: str) -> None:
    """A rule that is about no call has no list of calls behind it."""
    assert calls_behind({"rule": rule, "tool": "webhook", "first_failure": SINCE}, View()) is None


def test_time_to_diagnose(serve: Any, page: Any) -> None:
    """The page shows how long each part of a diagnosis took; a part that nobody measured is a dash, not a zero."""
    serve()

    at = page("incidents")

    times = at.dataframe[-1].value
    assert list(times["of"])[:2] == ["all", "2026-11"]
    assert times["to detect"][0] == "2 min, 14 min (2)"
    assert times["to diagnose"][0] == "–"
