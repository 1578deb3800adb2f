"""Calls that a sender's clock dated ahead: one rule, whoever asks, and whether or not about a moment."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analytics.api import Context, answer
from analytics.jobs import JudgeJob
from analytics.questions.times import DAY_NS, HOUR_NS, MAX_NS, rfc3339
from analytics.spans import Span
from analytics.store import Batch
from collector.store import DuckDBStore
from telltale.vocabulary import Outcome

MINUTE_NS = HOUR_NS // 60
OFFSETS_NS = {
    "past": -40 * MINUTE_NS,
    "yesterday": -20 * HOUR_NS,
    "last week": -6 * DAY_NS,
    "soon": 30 * MINUTE_NS,
    "later": 5 * HOUR_NS,
    "next year": 366 * DAY_NS,
}


def _span(name: str, start_ns: int, received_ns: int) -> Span:
    """A failed call of a session of its own."""
    return Span(
        trace_id=name.encode().hex().ljust(32, "0")[:32],
        span_id=name.encode().hex().ljust(16, "0")[:16],
        parent_span_id="",
        name="execute_tool search",
        kind=1,
        start_ns=start_ns,
        end_ns=min(start_ns + 1_000_000, MAX_NS),
        status_code=2,
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search",
            "gen_ai.agent.name": "planner",
            "gen_ai.conversation.id": name,
            "gen_ai.tool.call.result": '{"error": {"code": "NOT_FOUND", "message": "no such note"}}',
        },
        resource={"service.name": "shop"},
        received_ns=received_ns,
    )


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    """Calls of before, and of clocks that run ahead by minutes, hours, a year, and to the end of time."""
    store = DuckDBStore(tmp_path / "ahead.db")
    now = time.time_ns()
    spans = [_span(name, now + offset, now) for name, offset in OFFSETS_NS.items()]
    store.append(Batch(spans=[*spans, _span("end of time", MAX_NS, now)]))
    JudgeJob(store, pause_s=0).drain()
    yield Context(store)
    store.close()


def counts(context: Context, **given: str) -> dict[str, Any]:
    """How many calls (sessions) each answer finds."""

    def ask(name: str) -> dict[str, Any]:
        return answer(context, name, given)

    overview, report, calls, sessions = ask("overview"), ask("report"), ask("calls"), ask("sessions")
    return {
        "overview": overview["calls"],
        "failures": overview["failures"],
        "trend": sum(sum(point[outcome] for outcome in Outcome) for point in overview["trend"]),
        "sessions of overview": overview["sessions"],
        "failed sessions": overview["sessions_failed"],
        "report": report["calls"],
        "calls": calls["total"],
        "listed": len(calls["rows"]),
        "sessions": sessions["total"],
        "listed sessions": len(sessions["rows"]),
        "tools": sum(row["calls"] for row in ask("tools")["rows"]),
        "failed sessions of tools": sum(row["sessions_failed"] for row in ask("tools")["rows"]),
        "codes": sum(row["calls"] for row in ask("tools-codes")["rows"]),
        "groups": sum(row["calls"] for row in ask("groups")["rows"]),
    }


@pytest.mark.parametrize("more", [{}, {"agent": "planner"}, {"tool": "search"}, {"code": "NOT_FOUND"}])
@pytest.mark.parametrize(
    ("period", "number"),
    [
        ({"since": "all"}, 7),
        ({}, 3),
        ({"since": "1h"}, 2),
        ({"since": "7d"}, 4),
        ({"since": "all", "until": "in 10 hours"}, 5),
        ({"since": "7d", "until": "in 10 hours"}, 5),
        ({"since": "all", "until": "1h"}, 2),
    ],
)
def test_every_answer_counts_the_same_calls(
    context: Context, period: dict[str, str], number: int, more: dict[str, str]
) -> None:
    """`all` holds every stored call; a range without an end is open to the end of the next hour; one with an end stops
    there. With `as_of` it is the same, also as pages of one row."""
    given = {**period, **more}
    if given.get("until") == "in 10 hours":
        given["until"] = str(rfc3339(time.time_ns() + 10 * HOUR_NS))

    found = counts(context, **given)
    assert found == dict.fromkeys(found, number)
    as_of = answer(context, "status", {})["as_of"]
    assert counts(context, **given, as_of=as_of) == found
    for name in ("calls", "sessions"):
        seen: list[Any] = []
        cursor: dict[str, str] = {}
        while len(seen) <= number:
            page = answer(context, name, {**given, **cursor, "as_of": as_of, "limit": "1"})
            seen += page["rows"]
            if not page["next_cursor"]:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert len(seen) == number


@pytest.mark.parametrize("since", ["all", "24h"])
def test_what_comes_later_is_not_in_the_answer_of_a_moment(context: Context, since: str) -> None:
    """Answers about a moment agree with each other, whatever is received between them, dated ahead or not."""
    as_of = answer(context, "status", {})["as_of"]
    before = counts(context, since=since, as_of=as_of)
    now = time.time_ns()
    context.store.append(Batch(spans=[_span(f"new {h}", now + h * HOUR_NS // 2, now) for h in range(4)]))
    JudgeJob(context.store, pause_s=0).drain()

    assert counts(context, since=since, as_of=as_of) == before
    assert counts(context, since=since) != before


def test_a_report_on_everything_names_no_end(context: Context) -> None:
    """Where nothing ends the range, the report does not claim that it ends now."""
    assert answer(context, "report", {"since": "all"})["until"] is None
    as_of = answer(context, "status", {})["as_of"]
    assert answer(context, "report", {"since": "all", "as_of": as_of})["until"] is None
    assert answer(context, "report", {"since": "24h", "as_of": as_of})["until"] == as_of
