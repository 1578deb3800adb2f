"""One episode, one firing and one resolved notice: over storms, flapping, restarts, and people's words."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analytics.alerts import AlertJob, acknowledge, diagnose, list_incidents
from analytics.alerts.incidents import UnknownIncidentError
from collector.store import DuckDBStore
from tests.alerts.world import HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing, run


def test_storm_of_500_tools_is_one_notice(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """500 tools that fail at once give one notice and one resolved notice, and 500 incidents to look at."""
    tools = [f"tool_{i}" for i in range(500)]
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", tool=tool) for tool in tools for i in range(3)])
    job = make_job()

    run(job, NOW, NOW + MINUTE, 30 * SECOND)

    (notice,) = sink.got
    assert notice["count"] == 500
    assert len(notice["incidents"]) <= 20
    assert "500 tools" in notice["title"]
    assert len(list_incidents(store, state="firing")) == 500

    add(store, [call(NOW + m * MINUTE, tool) for tool in tools for m in (12, 20, 28)])
    run(job, NOW + 4 * MINUTE, NOW + 40 * MINUTE, 4 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]
    assert list_incidents(store, state="firing") == []


def test_storm_that_spreads_is_told_at_intervals(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """After the first notice of a storm, tools that join it are told of once per interval, not one by one."""
    job = make_job()
    for minute in range(4):
        first = NOW + minute * MINUTE
        tools = [f"tool_{minute}_{i}" for i in range(20)]
        add(store, [failing(first + i * SECOND, "PERMISSION_DENIED", tool=tool) for tool in tools for i in range(3)])
        run(job, first + 20 * SECOND, first + 50 * SECOND, 15 * SECOND)
    run(job, NOW + 4 * MINUTE, NOW + 7 * MINUTE, MINUTE)

    assert [body["count"] for body in sink.of("firing")] == [20, 60]


def test_flapping_for_an_hour_is_two_notices(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A condition that comes and goes every minute for an hour is one episode."""
    calls = []
    for at in range(NOW, NOW + HOUR, 2 * MINUTE):
        denied = [failing(at + i * SECOND, "PERMISSION_DENIED") for i in range(3)]
        calls += [*denied, *(call(at + MINUTE + i * SECOND) for i in range(3))]
    add(store, [*calls, *(call(NOW + HOUR + i * MINUTE) for i in range(60))])
    job = make_job()

    run(job, NOW, NOW + HOUR, 3 * MINUTE)
    run(job, NOW + HOUR, NOW + 2 * HOUR, 6 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]


def test_over_when_the_last_failure_is_old_enough(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """`keep_firing_s` counts from the last failure, not from when the last window has forgotten it."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])
    add(store, [call(NOW + i * 10 * SECOND) for i in range(1, 12)])

    run(make_job(keep_firing_s=30), NOW, NOW + 2 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]


def test_an_episode_that_grows_graver_keeps_its_beginning(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """From a ticket to a page: the first failure stays the first, before it was detected."""
    spent = {"flags": ["budget_exhausted"], "recovered": False}
    job = make_job()
    add(store, [failing(NOW, "UNAVAILABLE", session="first", **spent)])
    run(job, NOW + SECOND, NOW + 12 * MINUTE, MINUTE)
    [before] = list_incidents(store)
    later = [failing(NOW + 13 * MINUTE + i * SECOND, "UNAVAILABLE", session=f"s{i}", **spent) for i in range(12)]
    add(store, later)
    run(job, NOW + 13 * MINUTE, NOW + 16 * MINUTE, MINUTE)

    [after] = list_incidents(store)
    assert (before.severity, after.severity) == ("ticket", "page")
    assert after.first_failure_ns == before.first_failure_ns == NOW
    assert after.first_failure_ns < after.detected_ns
    assert after.numbers["sessions_affected"] == 13


def test_silence_does_not_resolve(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A tool that nobody calls any more is not known to be well; after the longest window the incident ends anyhow."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])
    job = make_job()

    run(job, NOW, NOW + HOUR, 3 * MINUTE)
    during = [body["status"] for body in sink.got]
    run(job, NOW + HOUR, NOW + 7 * HOUR, 30 * MINUTE)

    assert during == ["firing"]
    assert [body["status"] for body in sink.got] == ["firing", "resolved"]


def test_settled_evidence_does_not_fire_again(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """What a resolved incident told of is no evidence for the next one, though long windows still hold it."""
    add(store, [call(at) for at in range(NOW - 48 * HOUR, NOW, MINUTE)])
    add(store, [failing(NOW + i * 10 * SECOND, "INTERNAL") for i in range(60)])
    add(store, [call(NOW + i * MINUTE) for i in range(10, 200)])
    add(store, [failing(NOW + 90 * MINUTE, "INTERNAL")])
    job = make_job(keep_firing_s=300)

    run(job, NOW, NOW + 3 * HOUR, 4 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]


def test_new_outbreak_after_resolving_is_a_new_incident(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """The next outage of the same tool is told of again, under a key of its own."""
    add(store, [call(at) for at in range(NOW - 48 * HOUR, NOW + 8 * HOUR, MINUTE)])
    add(store, [failing(NOW + i * 5 * SECOND, "INTERNAL") for i in range(60)])
    add(store, [failing(NOW + 3 * HOUR + i * 5 * SECOND, "INTERNAL") for i in range(60)])
    job = make_job(keep_firing_s=600)

    run(job, NOW, NOW + 5 * HOUR, 6 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved", "firing", "resolved"]
    assert len({incident.dedupe_key for incident in list_incidents(store)}) == 2


def test_words_of_people_are_kept(store: DuckDBStore, make_job: Callable[..., AlertJob]) -> None:
    """Acknowledged and diagnosed survive later evaluations, also in the row of the resolved incident."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])
    job = make_job()
    run(job, NOW, NOW + MINUTE)
    (incident,) = list_incidents(store)

    seen = acknowledge(store, incident.id, "ada")
    known = diagnose(store, incident.id, "ada", "token expired")
    add(store, [call(NOW + i * MINUTE) for i in range(1, 50)])
    run(job, NOW + 2 * MINUTE, NOW + 50 * MINUTE, MINUTE)

    assert (seen.state, seen.acknowledged_by) == ("acknowledged", "ada")
    assert (known.cause, known.diagnosed_by) == ("token expired", "ada")
    (after,) = list_incidents(store)
    assert (after.state, after.acknowledged_by, after.cause) == ("resolved", "ada", "token expired")
    assert after.diagnosed_ns is not None


def test_words_on_an_unknown_incident_are_refused(store: DuckDBStore) -> None:
    """An id that no incident has is an error, not a silent nothing."""
    with pytest.raises(UnknownIncidentError):
        acknowledge(store, "nope", "ada")


def test_ticket_waits_behind_the_page_on_the_same_tool(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Where a tool is denied and lies about other things too, the page speaks; the ticket on that tool stays quiet."""
    silent = {"outcome": "silent_failure", "declared": "ok", "declared_code": None, "code_source": "payload"}
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])
    add(store, [failing(NOW + i * SECOND, "UNAVAILABLE", **silent) for i in range(3)])

    run(make_job(), NOW, NOW + 2 * MINUTE, 20 * SECOND)

    assert [body["alert"] for body in sink.got] == ["permission_denied"]
    ticket = next(i for i in list_incidents(store) if i.rule == "silent_failures")
    assert ticket.inhibited_by is not None


def test_made_up_tool_names_do_not_fill_the_store(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond a bound, no further incident is opened, whatever names a sender makes up."""
    monkeypatch.setattr("analytics.alerts.episodes.MOST_OPEN", 5)
    add(store, [failing(NOW, "PERMISSION_DENIED", tool=f"tool_{n}") for n in range(20) for _ in range(3)])

    run(make_job(), NOW, NOW + MINUTE, 20 * SECOND)

    assert len(list_incidents(store)) == 5
    assert sink.got[0]["count"] == 5
