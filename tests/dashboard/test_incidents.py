"""An incident leads to the calls that it is about, by its rule."""

from __future__ import annotations

from typing import Any

import pytest

from dashboard.incident_cards import calls_behind, gravest_first
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


def test_severity_is_a_word_and_pages_come_first(serve: Any, page: Any) -> None:
    """On the overview and on the page of incidents: pages before tickets, each newest first."""
    api = serve().api
    first = api.incidents[0]
    for name, severity, minute in (("a", "ticket", 9), ("b", "page", 1), ("c", "page", 3), ("d", "ticket", 5)):
        api.incidents.append(
            {**first, "id": name, "severity": severity, "tool": name, "detected": f"2026-11-30T10:0{minute}:00Z"}
        )
    api.incidents[:2] = []

    def cards(name: str) -> list[str]:
        return [text.value for text in page(name).text if text.value in ("a", "b", "c", "d")]

    assert cards("overview") == ["c", "b", "a"]
    assert cards("incidents") == ["c", "b", "a", "d"]
    badges = [shown.value for shown in page("incidents").markdown if "-badge[" in shown.value]
    assert [badge.rpartition("[")[2].rstrip("]") for badge in badges[::2]] == ["page", "page", "ticket", "ticket"]


def test_a_severity_of_tomorrow_is_unknown_and_last() -> None:
    """A word out of the closed list neither shows nor goes first."""
    rows = [{"id": 1, "severity": "worse", "detected": "3"}, {"id": 2, "severity": "page", "detected": "1"}, {"id": 3}]

    assert [row["id"] for row in gravest_first(rows)] == [2, 3, 1]
