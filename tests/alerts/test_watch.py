"""What is missing is told of too: calls that used to come, destinations that refuse, and the daily digest."""

from __future__ import annotations

from collections.abc import Callable

from analytics.alerts import AlertJob, list_incidents
from collector.store import DuckDBStore
from tests.alerts.world import DAY, HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing, run


def test_tool_that_falls_silent(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A tool that was busy in this hour a week ago and has had no call for 30 minutes is a ticket; others are not."""
    calls = []
    for tool in ("search", "book"):
        end = NOW - 35 * MINUTE if tool == "search" else NOW + HOUR
        calls += [call(at, tool) for at in range(NOW - 7 * DAY - HOUR, NOW - 7 * DAY + HOUR, MINUTE)]
        calls += [call(at, tool) for at in range(NOW - 2 * HOUR, end, MINUTE)]
    add(store, calls)

    run(make_job(), NOW, NOW + 2 * MINUTE, 30 * SECOND)

    (notice,) = sink.of("firing")
    assert (notice["alert"], notice["severity"]) == ("no_data", "ticket")
    assert notice["incidents"][0]["tool"] == "search"


def test_project_that_falls_silent_speaks_for_its_tools(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """When nothing comes in at all there is one incident for the project."""
    calls = []
    for tool in ("a", "b", "c"):
        calls += [call(at, tool) for at in range(NOW - 7 * DAY - HOUR, NOW - 7 * DAY + HOUR, MINUTE)]
        calls += [call(at, tool) for at in range(NOW - 5 * HOUR, NOW - 40 * MINUTE, MINUTE)]
    add(store, calls)

    run(make_job(), NOW, NOW + MINUTE, 30 * SECOND)

    (incident,) = list_incidents(store)
    assert incident.tool is None
    assert "No calls of any tool" in incident.text


def test_fresh_install_is_not_silent(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Without a week of history nobody knows what to expect."""
    add(store, [call(NOW - 2 * HOUR + i * SECOND) for i in range(200)])

    run(make_job(), NOW, NOW + MINUTE, 30 * SECOND)

    assert sink.got == []


def test_failing_destination_is_told_to_the_others(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """A destination that refuses three times becomes an incident of its own, told to the ones that work."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])

    run(make_job(webhooks=("http://127.0.0.1:9/dead?key=hidden", sink.url)), NOW, NOW + 4 * MINUTE, 20 * SECOND)

    assert [body["alert"] for body in sink.got] == ["permission_denied", "notifier_failing"]
    assert "hidden" not in str(sink.got)


def test_digest_once_a_day(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """What pages nobody comes in one notice a day, counted by tool and code, over restarts too."""
    noon = NOW // DAY * DAY + 12 * HOUR
    add(store, [failing(noon - i * MINUTE, "INVALID_ARGUMENT") for i in range(1, 8)])
    add(store, [failing(noon - i * MINUTE, "NOT_FOUND", tool="<b>book</b>") for i in range(1, 4)])

    for moment in (noon - HOUR, noon, noon + MINUTE, noon + 2 * HOUR):
        make_job(digest_hour_utc=12).run_once(moment)

    (digest,) = sink.got
    assert digest["status"] == "digest"
    assert "INVALID_ARGUMENT on `search`: 7 calls, 7 sessions" in digest["text"]
    assert "<b>" not in digest["text"]
