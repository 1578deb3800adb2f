"""Answers about one moment: whatever is asked, they leave out what starts later, and agree with each other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from analytics.api import Context, answer
from analytics.client import ApiClient, ApiError
from collector.store import DuckDBStore

LISTED = ("calls", "sessions", "silent", "tools", "tools-codes", "groups", "rules", "incidents")


def before_the_last_session(client: ApiClient) -> str:
    """A moment after which one call of the scene starts, in a session of its own."""
    last = datetime.fromisoformat(client.get("calls", limit=1)["rows"][0]["started_at"])
    return (last - timedelta(seconds=20)).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("more", [{}, {"since": "all"}, {"since": "1h"}, {"agent": "scheduler"}, {"until": "1s"}])
def test_a_moment_bounds_every_count_and_its_list(client: ApiClient, more: dict[str, Any]) -> None:
    """What starts after `as_of` is in no count and in no list, whether rollups or calls give the answer."""
    asked = {**more, "as_of": before_the_last_session(client)}
    overview = client.get("overview", **asked)

    if "agent" not in more:
        assert (overview["calls"], overview["sessions"]) == (4, 2)
    assert client.get("calls", **asked)["total"] == overview["calls"]
    assert client.get("calls", **asked, outcome="failed")["total"] == overview["failures"]
    assert client.get("silent", **asked)["total"] == overview["silent"]
    assert client.get("sessions", **asked)["total"] == overview["sessions"]
    assert client.get("sessions", **asked, flagged=True)["total"] == overview["sessions_failed"]
    assert sum(row["calls"] for row in client.get("tools", **asked)["rows"]) == overview["calls"]
    assert sum(row["calls"] for row in client.get("tools-codes", **asked)["rows"]) == overview["failures"]


def test_the_answer_names_its_moment(client: ApiClient) -> None:
    """`as_of` comes back as given; a moment that has not come yet is now."""
    given = before_the_last_session(client)

    assert client.get("overview", as_of=given)["as_of"] == datetime.fromisoformat(given).strftime(
        "%Y-%m-%dT%H:%M:%S.%fZ"
    )
    ahead = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert datetime.fromisoformat(client.get("calls", as_of=ahead)["as_of"]) < datetime.now(UTC) + timedelta(hours=1)


def test_ranges_count_back_from_the_moment(client: ApiClient) -> None:
    """`since=1s` before the last session starts is not `since=1s` before now."""
    last = datetime.fromisoformat(client.get("calls", limit=1)["rows"][0]["started_at"])
    after = (last + timedelta(seconds=5)).isoformat()

    assert client.get("calls", as_of=after, since="10s")["total"] == 1
    assert client.get("calls", since="10s")["total"] == 0


def test_a_moment_that_is_none_is_refused(client: ApiClient) -> None:
    """The sentence names the parameter."""
    with pytest.raises(ApiError, match="as_of"):
        client.get("overview", as_of="when it rains")


@pytest.mark.parametrize("name", LISTED)
def test_every_list_takes_a_moment(empty: DuckDBStore, name: str) -> None:
    """Also over an empty store."""
    assert answer(Context(empty), name, {"as_of": "2026-11-30T10:00:00Z"})["as_of"] == "2026-11-30T10:00:00.000000Z"


def test_the_overview_names_codes_and_failing_sessions(client: ApiClient) -> None:
    """Codes add up to the failures; the failing sessions are the newest of the flagged list."""
    overview = client.get("overview")

    assert sum(row["calls"] for row in overview["codes"]) == overview["failures"]
    for row in overview["codes"]:
        assert client.get("calls", outcome="failed", code=row["code"])["total"] == row["calls"]
    flagged = client.get("sessions", flagged=True)["rows"]
    assert [row["session_id"] for row in overview["failing_sessions"]] == [row["session_id"] for row in flagged]


def test_corrections_of_one_tool(client: ApiClient) -> None:
    """Corrections, and the precision that rests on them, are narrowed to the tool that is asked for."""
    call = client.get("calls", tool="fetch_note")["rows"][0]
    said = {"span_id": call["span_id"], "outcome": call["outcome"], "who": "ada", "why": "it is so"}
    client.post("corrections", body=said)

    assert client.get("corrections", tool="fetch_note")["total"] == 1
    assert client.get("corrections", tool="book_meeting")["total"] == 0

    def checked(tool: str) -> int:
        return sum(row["precision"]["denominator"] for row in client.get("rules", tool=tool)["rows"])

    assert (checked("fetch_note"), checked("book_meeting")) == (1, 0)


DETECTED = """INSERT INTO alert (id, dedupe_key, rule, project, severity, state, detected_ns, last_met_ns, numbers,
    example_sessions, text) VALUES ($id, $id, 'no_data', 'default', 'ticket', 'firing', $at, $at, '{}', [], 'quiet')"""


def test_the_overview_leaves_out_incidents_of_later(empty: DuckDBStore) -> None:
    """Open incidents of the overview are those of the list of open ones, at a moment as now."""
    early, late = datetime(2026, 11, 28, 9, tzinfo=UTC), datetime(2026, 11, 28, 11, tzinfo=UTC)
    with empty.write() as transaction:
        for name, at in (("early", early), ("late", late)):
            transaction.execute(DETECTED, {"id": name, "at": int(at.timestamp()) * 1_000_000_000})

    def opened(**given: str) -> list[str]:
        rows = answer(Context(empty), "overview", given)["open_incidents"]
        listed = answer(Context(empty), "incidents", {**given, "state": "open"})
        assert [row["id"] for row in rows] == [row["id"] for row in listed["rows"]]
        assert listed["total"] == len(rows)
        return [row["id"] for row in rows]

    assert opened(as_of="2026-11-28T10:00:00Z") == ["early"]
    assert opened(as_of="2026-11-28T08:00:00Z") == []
    assert opened() == ["late", "early"]
    listed = answer(Context(empty), "incidents", {"as_of": "2026-11-28T10:00:00Z", "since": "all"})
    assert [row["id"] for row in listed["rows"]] == ["early"]
