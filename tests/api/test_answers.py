"""What the API says of the scene, over HTTP."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from analytics.api import Context, answer
from analytics.client import ApiClient, ApiError
from analytics.jobs import JudgeJob
from analytics.settings import JudgeSettings, ToolSettings
from collector.store import DuckDBStore
from tests.alerts.world import NOW as T
from tests.alerts.world import add, call, failing
from tests.api.scene import scene


def test_the_overview_counts_the_scene(client: ApiClient) -> None:
    """Calls by outcome, compliance with its denominator, sessions, the trend and the worst tools add up."""
    made = client.get("overview")

    assert made["by_outcome"] == {"ok": 2, "structured_error": 1, "unstructured_error": 1, "silent_failure": 1}
    assert (made["calls"], made["failures"], made["silent"]) == (5, 3, 1)
    assert (made["compliance"]["numerator"], made["compliance"]["denominator"]) == (1, 3)
    assert made["compliance"]["low"] < made["compliance"]["rate"] < made["compliance"]["high"]
    assert (made["sessions"], made["sessions_failed"], made["sessions_unrecovered"]) == (3, 2, 1)
    assert sum(point["silent_failure"] for point in made["trend"]) == 1
    assert {row["tool"] for row in made["worst_tools"]} == {"book_meeting", "list_meetings", "fetch_note"}
    assert made["previous"] == {"calls": 0, "failures": 0, "silent": 0, "compliance": made["previous"]["compliance"]}


def test_tools_fold_outcomes_codes_and_durations(client: ApiClient) -> None:
    """One row per tool; its counts and its quantiles are those of its calls."""
    by_tool = {row["tool"]: row for row in client.get("tools")["rows"]}
    listed = by_tool["list_meetings"]

    assert (listed["calls"], listed["ok"], listed["silent_failure"], listed["failure_rate"]) == (2, 1, 1, 0.5)
    assert listed["top_code"] == "UNAVAILABLE"
    assert (listed["p50_ms"], listed["p95_ms"], listed["durations_exact"]) == (0.9, 0.9, True)
    assert listed["sessions_failed"] == 1
    assert listed["last_failure_at"] is not None


def test_tools_split_by_release(client: ApiClient) -> None:
    """One row per tool and release, whose counts add up to the tool's; each opens its calls."""
    whole = {row["tool"]: row for row in client.get("tools")["rows"]}
    made = client.get("tools", by="release")

    assert made["total"] == len(made["rows"]) == 3
    for row in made["rows"]:
        of_tool = whole[row["tool"]]
        assert row["release"] == "1.2"
        for name in ("calls", "failures", "silent_failure", "not_measured", "compliance", "top_code"):
            assert row[name] == of_tool[name]
        assert client.get("calls", tool=row["tool"], release=row["release"])["total"] == row["calls"]
        assert row["first_call_at"] <= row["last_call_at"]


def test_releases_are_told_apart_and_the_newest_comes_first(empty: DuckDBStore) -> None:
    """What one release got wrong is not the other's; a call that names none is not lost; unmeasured is not 0 %."""
    now = time.time_ns()
    for number, release in enumerate(("1.9", "1.10", "")):
        batch = scene(now - (3 - number) * 10**9)
        for span in batch.spans:
            span.trace_id = f"{number}{span.trace_id[1:]}"
            span.resource = {"service.name": "booking", **({"service.version": release} if release else {})}
            if release == "1.9":
                span.attributes = {k: v for k, v in span.attributes.items() if k != "gen_ai.tool.call.result"}
        empty.append(batch)
    JudgeJob(empty, pause_s=0).drain()
    rows = answer(Context(empty), "tools", {"by": "release", "tool": "fetch_note"})["rows"]

    assert [row["release"] for row in rows] == [None, "1.10", "1.9"]
    assert [row["compliance"]["rate"] for row in rows] == [0.0, 0.0, None]
    assert (rows[2]["not_measured"], rows[2]["compliance"]["not_measured"]) == (1, 1)


def test_every_count_opens_the_list_behind_it(client: ApiClient) -> None:
    """`calls` narrowed as a tile counts has as many rows as the tile says."""
    overview = client.get("overview")
    for outcome, count in overview["by_outcome"].items():
        assert client.get("calls", outcome=outcome)["total"] == count
    assert client.get("calls", outcome="failed")["total"] == overview["failures"]
    assert client.get("sessions", flagged=True)["total"] == overview["sessions_failed"]
    assert client.get("sessions", unrecovered=True)["total"] == overview["sessions_unrecovered"]
    for row in client.get("tools")["rows"]:
        found = client.get("sessions", tool=row["tool"], outcome="failed")
        assert found["total"] == row["sessions_failed"]
    for row in client.get("tools-codes")["rows"]:
        found = client.get("calls", tool=row["tool"], code=row["code"], outcome=row["outcome"])
        assert found["total"] == row["calls"]


def test_a_call_explains_itself_by_any_of_its_spans(client: ApiClient) -> None:
    """Payloads, evidence and a sentence for each rule."""
    [silent] = client.get("silent")["rows"]
    call = client.get("calls", silent["span_id"])

    assert silent["rules_explained"] == call["rules_explained"]

    assert (call["outcome"], call["declared"], call["result"]) == ("silent_failure", "none", "[]")
    assert call["rules_explained"]
    for each in call["rules_explained"]:
        assert each["sentence"] != each["rule"]
        assert each["evidence"]


def test_pages_follow_each_other_without_gap_or_repeat(client: ApiClient) -> None:
    """Cursors lead through a list, newest first."""
    whole = [row["id"] for row in client.get("calls")["rows"]]
    paged: list[str] = []
    cursor: str | None = None
    while True:
        page = client.get("calls", limit=2, cursor=cursor)
        paged += [row["id"] for row in page["rows"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break

    assert paged == whole
    starts = [row["started_at"] for row in client.get("calls")["rows"]]
    assert starts == sorted(starts, reverse=True)


@pytest.mark.parametrize("name", ["tools", "tools-codes", "groups", "rules", "senders"])
def test_pages_of_a_list_by_rank(client: ApiClient, name: str) -> None:
    """One row a page gives the same rows as one page, and says how many there are."""
    whole = client.get(name)
    paged: list[Any] = []
    cursor: str | None = None
    while True:
        one = client.get(name, limit=1, cursor=cursor)
        assert (len(one["rows"]), one["total"]) == (1, whole["total"])
        paged += one["rows"]
        cursor = one["next_cursor"]
        if cursor is None:
            break

    assert paged == whole["rows"]
    assert whole["next_cursor"] is None


def test_a_cursor_of_another_list_is_refused(client: ApiClient) -> None:
    """A position in time is none among ranks, nor the other way round."""
    in_time, by_rank = (client.get(name, limit=1)["next_cursor"] for name in ("calls", "tools"))

    for name, cursor in (("tools", in_time), ("calls", by_rank), ("groups", in_time), ("sessions", by_rank)):
        with pytest.raises(ApiError, match="cursor"):
            client.get(name, cursor=cursor)


def test_a_replay_shows_who_did_what_and_the_first_failing_step(client: ApiClient) -> None:
    """User, model, tool and upstream of the session that was lied to, in time order."""
    made = client.get("sessions", "s-lied", "replay")
    steps: list[dict[str, Any]] = made["steps"]

    assert [step["n"] for step in steps] == list(range(len(steps)))
    assert [step["kind"] for step in steps] == ["agent", "user", "model", "tool", "tool", "model"]
    failing = steps[made["first_failing_step"]]
    assert (failing["title"], failing["result"], failing["call"]["outcome"]) == (
        "list_meetings",
        "[]",
        "silent_failure",
    )
    [upstream] = failing["upstream"]
    assert (upstream["host"], upstream["status"], upstream["span_status"]) == ("calendar.internal", "503", "ERROR")
    assert steps[1]["text"] == "What is on my calendar?"
    assert steps[-1]["text"] == "You have no meetings."


def test_a_session_id_may_hold_anything(client: ApiClient) -> None:
    """Ids travel quoted, slashes and spaces included."""
    made = client.get("sessions", "s-well/with slash", "replay")

    assert made["session"]["session_id"] == "s-well/with slash"
    assert made["first_failing_step"] is None


@pytest.mark.parametrize("odd", ["line\nfeed", "end\n", "a/b/replay", "\x00", "?#%2F"])
def test_an_odd_session_id_is_looked_up(client: ApiClient, odd: str) -> None:
    """Whatever an id holds, it is the id that is not found, and not the path."""
    with pytest.raises(ApiError, match="no session of project") as told:
        client.get("sessions", odd, "replay")
    assert told.value.status == 404


def test_groups_name_a_fault(client: ApiClient) -> None:
    """Failures fall into groups, and each group says whose fault it is."""
    faults = {row["tool"]: row["fault"] for row in client.get("groups")["rows"]}

    assert faults == {"book_meeting": "caller", "list_meetings": "upstream", "fetch_note": "tool"}


def test_tables_travel_as_arrow(client: ApiClient) -> None:
    """The same rows as in JSON, with the totals beside them."""
    table = client.table("calls", outcome="failed")

    assert table.num_rows == 3
    assert table.schema.metadata[b"total"] == b"3"
    assert set(table["outcome"].to_pylist()) == {"structured_error", "unstructured_error", "silent_failure"}


def test_the_report_holds_the_metrics(client: ApiClient) -> None:
    """Compliance, tools, codes, groups and the time to diagnose of a period."""
    made = client.get("report", since="7d")

    assert made["calls"] == 5
    assert made["time_to_diagnose"]["all"]["total_s"] == {"median": None, "p90": None, "measured": 0}
    assert {row["code"] for row in made["codes"]} >= {"INVALID_ARGUMENT", "UNAVAILABLE"}
    assert made["groups_total"] == len(made["groups"]) == client.get("groups", since="7d")["total"]


def test_the_report_counts_the_groups_that_it_does_not_hold(client: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is cut says of how many."""
    monkeypatch.setattr("analytics.api.report.TOP_GROUPS", 1)
    made = client.get("report", since="7d")

    assert len(made["groups"]) == 1
    assert made["groups_total"] == 3


def test_senders_and_status_account_for_everything(client: ApiClient) -> None:
    """Every span is in some sender's account; the process's own words are merged in."""
    spans = sum(row["spans"] for row in client.get("senders")["rows"])
    status = client.get("status")

    assert spans == status["spans"] == 13
    assert (status["calls"], status["version"], status["refused"]) == (5, "test", {"too_large": 2})
    assert status["judged_lag_s"] == 0.0


@pytest.mark.parametrize("path", [("calls", "ffff"), ("sessions", "nobody", "replay"), ("nothing",)])
def test_what_is_not_there_is_said_to_be_missing(client: ApiClient, path: tuple[str, ...]) -> None:
    """404 with a sentence, which the client raises."""
    with pytest.raises(ApiError) as refused:
        client.get(*path)

    assert refused.value.status == 404
    assert str(refused.value)


def test_a_tool_names_its_owner_and_runbook(store: DuckDBStore) -> None:
    """What the maintainer said of a tool stands beside its counts."""
    settings = JudgeSettings(
        {"list_meetings": ToolSettings(owner="calendar team", runbook="https://wiki.test/calendar")}
    )
    rows = answer(Context(store, settings), "tools", {})["rows"]
    owners = {row["tool"]: (row["owner"], row["runbook"]) for row in rows}

    assert owners["list_meetings"] == ("calendar team", "https://wiki.test/calendar")
    assert owners["fetch_note"] == (None, None)


def test_the_trend_covers_the_whole_range(client: ApiClient) -> None:
    """A short range begins where it was asked to, not at the first call, and its buckets leave no gap."""
    made = client.get("overview", since="1h", tool="book_meeting")
    times = [datetime.fromisoformat(point["bucket"]) for point in made["trend"]]
    asked = datetime.fromisoformat(made["as_of"])

    assert {(later - earlier).total_seconds() for earlier, later in pairwise(times)} == {60.0}
    assert timedelta(minutes=60) <= asked - times[0] < timedelta(minutes=61)
    assert asked - times[-1] <= timedelta(minutes=1)
    assert client.get("overview", since="1h", tool="no such tool")["trend"] == []


def test_of_equal_failures_the_greater_share_comes_first(empty: DuckDBStore) -> None:
    """1 of 1 is worse than 1 of 2; more failures come before either."""
    for tool, failures, healthy in (("always", 1, 0), ("sometimes", 1, 1), ("often", 2, 0), ("healthy", 0, 1)):
        add(empty, [failing(T, "INTERNAL", tool=tool) for _ in range(failures)])
        add(empty, [call(T, tool=tool) for _ in range(healthy)])

    rows = answer(Context(empty), "tools", {"since": "all"})["rows"]

    assert [row["tool"] for row in rows] == ["often", "always", "sometimes", "healthy"]


def test_status_says_what_was_refused_and_which_projects_there_are(client: ApiClient, empty: DuckDBStore) -> None:
    """Refused requests are not counted as spans; the projects stored are named, whichever is asked for."""
    made = client.get("status", project="nope")
    assert (made["refused_units"], made["projects"], made["spans"]) == ({"requests": 2}, ["default"], 0)

    refused = {"malformed": 32, "bad_request": 5, "spans rejected for text that is not UTF-8": 2, "not kept": 1}
    refused |= {"log records rejected for an invalid trace_id or span_id": 4}
    made = answer(Context(empty, status=lambda: {"refused": refused}), "status", {})
    assert made["refused_units"] == {"requests": 37, "spans": 2, "metrics": 1, "log_records": 4}
    assert made["projects"] == []
