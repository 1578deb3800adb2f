"""An incident leads to the calls that it is about, by its rule."""

from __future__ import annotations

import re
from typing import Any

import pytest

from analytics.alerts import AlertSettings, rules, watch
from analytics.alerts.incident import Rule
from dashboard import incident_words
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


NOW = {"calls": 31, "failing_calls": 12, "sessions": 9, "window_s": 600, "last_failure": None}


@pytest.mark.parametrize(
    ("recent", "before", "expected"),
    [
        (5, 3, ":red[↑ growing: 5 in the last 10 min, 3 in the 10 min before]"),
        (12, 0, ":red[↑ new: all of them in the last 10 min]"),
        (4, 4, ":orange[→ steady: 4 in the last 10 min, 4 in the 10 min before]"),
        (1, 9, ":green[↓ falling: 1 in the last 10 min, 9 in the 10 min before]"),
        (0, 0, ":green[↓ none in the last 20 min]"),
    ],
)
def test_whether_it_grows(recent: int, before: int, expected: str) -> None:
    """The last minutes stand beside as many before, and the sign is a word besides the colour."""
    row = {"tool": "search", "now": {**NOW, "recent": recent, "before": before}}

    assert incident_words.course(row) == expected
    assert incident_words.now(row) == f"**Now:** 12 of 31 calls failed, in 9 sessions, last – · {expected}"


@pytest.mark.parametrize("rule", [rule for rule in Rule if rule not in (Rule.NO_DATA, Rule.NOTIFIER)])
def test_now_names_the_failures_that_the_rule_counts(rule: Rule) -> None:
    """A tool may fail in other ways too: those calls are not in the number, so the words say which are."""
    told = incident_words.now({"tool": "search", "rule": str(rule), "now": NOW})
    assert re.search(r"12 of 31 calls failed (?:with|silently)", told)


def test_now_where_nothing_can_be_counted() -> None:
    """A resolved incident has no present; expired calls are no zero; one over the quiet tools says what it counts."""
    assert incident_words.now({"now": None}) == ""
    assert "none of its failed calls is stored" in incident_words.now({"now": {**NOW, "failing_calls": 0}})
    assert incident_words.now({"tool": None, "now": NOW}).startswith("**Now, over all tools:**")


def test_now_stands_beside_when_it_fired(serve: Any, page: Any) -> None:
    """On both pages an open incident says how many by now; the text of its notice is marked as of when it fired."""
    serve()

    for name in ("overview", "incidents"):
        assert any("12 of 31 calls failed" in shown.value for shown in page(name).markdown)
    at = page("incidents")
    assert "When it fired" in [caption.value for caption in at.caption]
    assert not any("Dashboard:" in text.value for text in at.text)


def test_the_most_failures_come_first() -> None:
    """Of pages and of tickets those with the most failed calls by now, then the newest."""
    rows = [
        {"id": "ticket", "severity": "ticket", "detected": "9", "now": {"failing_calls": 90}},
        {"id": "few", "severity": "page", "detected": "8", "now": {"failing_calls": 4}},
        {"id": "many", "severity": "page", "detected": "1", "now": {"failing_calls": 20}},
        {"id": "no calls", "severity": "page", "detected": "9", "now": None},
    ]

    assert [row["id"] for row in gravest_first(rows)] == ["many", "few", "no calls", "ticket"]


def test_figures_are_told_in_words() -> None:
    """What a rule computed with is named, and written with its unit; a figure of a later release keeps its name."""
    numbers = {"met": "run_of_calls", "level": 1e-05, "odds": 3.4e-11, "usual_rate": 0.053, "window_s": 300}
    numbers |= {"first_error": "[]", "a_new_one": 3}

    fired = dict(incident_words.figures(numbers, incident_words.FIRED))
    assert fired["why it fired"].startswith("a run of failing calls")
    assert (fired["looked at the last"], fired["first error"]) == ("5 min", "[] (an empty list)")
    arithmetic = dict(incident_words.figures(numbers, incident_words.ARITHMETIC))
    assert arithmetic["fires at odds below"] == "1 in 100 000"
    assert arithmetic["odds of so many by chance"] == "1 in 10^10"
    assert arithmetic["usually fails"] == "5.3 % of the calls"
    assert incident_words.others(numbers) == [("a new one", 3)]


def test_the_heading_counts_the_cards_below_it(serve: Any, page: Any) -> None:
    """The incident that is shown in full is not counted among the others."""
    api = serve().api
    api.incidents.append({**api.incidents[0], "id": "inc-2", "tool": "search"})

    assert "Open: 2" in [head.value for head in page("incidents").subheader]
    assert "Other open: 1" in [head.value for head in page("incidents", incident="inc-1").subheader]


def test_an_empty_page_says_what_would_open_one(serve: Any, page: Any) -> None:
    """Nothing fired: the conditions are unfolded. Something did: they are folded away below."""
    api = serve().api
    for incidents, unfolded in ((api.incidents, False), ([], True)):
        api.incidents = incidents
        at = page("incidents")
        panel = next(each for each in at.expander if each.label == "What opens an incident")
        assert panel.proto.expanded is unfolded
        assert "PERMISSION_DENIED" in panel.markdown[0].value
    assert "No incidents in this time range." in [info.value for info in at.info]


def test_what_opens_one_is_what_the_rules_say() -> None:
    """The table's thresholds are those of the rules."""
    assert (rules.PAGE_LEVEL, rules.TICKET_LEVEL, rules.FEWEST_SESSIONS, rules.STUCK_CALLS) == (1e-5, 1e-4, 3, 5)
    assert (rules.WINDOWS[0], rules.WINDOWS[-1], AlertSettings().never_sessions) == (300, 21_600, 3)
    assert [spec.run_sessions for spec in rules.SPECS] == [2, 3, 3, 3]
    assert (watch.FAILING_AFTER, AlertSettings().late_after_s) == (3, 900)
