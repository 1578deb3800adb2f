"""One incident per cause: failures that are silent and have a code that pages are told of once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from analytics.alerts import AlertJob, list_incidents
from collector.store import DuckDBStore
from tests.alerts.world import DAY, MINUTE, NOW, SECOND, Sink, add, call, failing, run

SILENT: dict[str, Any] = {
    "outcome": "silent_failure",
    "declared": "ok",
    "declared_code": None,
    "code_source": "payload",
}

MakeJob = Callable[..., AlertJob]


def test_silent_denials_are_one_page(store: DuckDBStore, sink: Sink, make_job: MakeJob) -> None:
    """Denials that also claimed success page as denials, and that page says how many were silent."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", **SILENT) for i in range(3)])
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(2)])

    run(make_job(), NOW, NOW + 2 * MINUTE, 20 * SECOND)

    (incident,) = list_incidents(store)
    assert (incident.rule, incident.severity) == ("permission_denied", "page")
    assert (incident.numbers["silent_calls"], incident.numbers["silent_sessions"]) == (3, 3)
    assert "Silent: 3 calls in 3 sessions" in incident.text
    assert [body["alert"] for body in sink.got] == ["permission_denied"]
    assert "Silent: 3 calls in 3 sessions" in sink.got[0]["text"]


def test_nothing_is_told_again_when_the_page_is_over(store: DuckDBStore, sink: Sink, make_job: MakeJob) -> None:
    """The silent failures are settled with the incident that told of them; new ones are told again."""
    add(store, [call(NOW - DAY + i * MINUTE) for i in range(24 * 60)])
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", **SILENT) for i in range(4)])
    add(store, [call(NOW + i * MINUTE) for i in range(1, 90)])
    job = make_job()

    run(job, NOW, NOW + 60 * MINUTE, MINUTE)

    (over,) = list_incidents(store)
    assert (over.rule, over.state) == ("permission_denied", "resolved")
    assert {body["alert"] for body in sink.got} == {"permission_denied"}

    later = NOW + 61 * MINUTE
    add(store, [failing(later + i * SECOND, "UNAVAILABLE", **SILENT) for i in range(6)])
    run(job, later, later + 5 * MINUTE, 30 * SECOND)
    assert [i.rule for i in list_incidents(store) if i.open] == ["silent_failures"]


def test_an_untold_ticket_goes_into_the_page_that_follows(store: DuckDBStore, sink: Sink, make_job: MakeJob) -> None:
    """Three silent failures are new where INTERNAL is usual; the ticket ends without a word when INTERNAL pages."""
    before = range(NOW - 3 * DAY, NOW, 10 * MINUTE)
    add(store, [failing(at, "INTERNAL") if n % 10 == 0 else call(at) for n, at in enumerate(before)])
    add(store, [failing(NOW + i * SECOND, "INTERNAL", **SILENT) for i in range(3)])
    job = make_job(ticket_wait_s=300)
    run(job, NOW, NOW + 20 * SECOND)
    first = [(i.rule, i.open) for i in list_incidents(store)]
    add(store, [failing(NOW + 20 * SECOND + i, "INTERNAL", **SILENT) for i in range(20)])

    run(job, NOW + 30 * SECOND, NOW + 10 * MINUTE)

    incidents = {i.rule: i for i in list_incidents(store)}
    page, ticket = incidents["internal_above_baseline"], incidents["silent_failures"]
    assert first == [("silent_failures", True)]
    assert page.severity == "page"
    assert page.numbers["silent_calls"] >= 3
    assert (ticket.state, ticket.inhibited_by) == ("resolved", page.id)
    assert {body["alert"] for body in sink.got} == {"internal_above_baseline"}


def test_silent_failures_of_other_codes_keep_their_ticket(store: DuckDBStore, make_job: MakeJob) -> None:
    """Three sessions that failed silently for another reason are another cause; two open nothing."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", **SILENT) for i in range(3)])
    add(store, [failing(NOW + i * SECOND, "UNAVAILABLE", **SILENT) for i in range(2)])
    job = make_job()
    run(job, NOW, NOW + MINUTE)
    two = {i.rule for i in list_incidents(store)}

    add(store, [failing(NOW + MINUTE, "UNAVAILABLE", **SILENT)])
    run(job, NOW + MINUTE, NOW + 2 * MINUTE)

    assert two == {"permission_denied"}
    assert {i.rule for i in list_incidents(store) if i.open} == {"permission_denied", "silent_failures"}


def test_another_tool_is_another_cause(store: DuckDBStore, make_job: MakeJob) -> None:
    """A denied tool says nothing of the silent failures of another one."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", tool="mail") for i in range(3)])
    add(store, [failing(NOW + i * SECOND, "UNAVAILABLE", tool="search", **SILENT) for i in range(3)])

    run(make_job(), NOW, NOW + MINUTE)

    found = {(i.rule, i.tool) for i in list_incidents(store)}
    assert {("permission_denied", "mail"), ("silent_failures", "search")} <= found


def test_a_ticket_that_was_told_stays(store: DuckDBStore, sink: Sink, make_job: MakeJob) -> None:
    """People know of it: it fires until it is over, whatever pages meanwhile."""
    add(store, [call(at) for at in range(NOW - 2 * DAY, NOW, 30 * MINUTE)])
    add(store, [failing(NOW + i * SECOND, "UNAVAILABLE", **SILENT) for i in range(3)])
    job = make_job()
    run(job, NOW, NOW + 2 * MINUTE)
    told = [body["alert"] for body in sink.got]

    add(store, [failing(NOW + 2 * MINUTE + i * SECOND, "PERMISSION_DENIED", **SILENT) for i in range(9)])
    run(job, NOW + 2 * MINUTE, NOW + 4 * MINUTE)

    assert told == ["silent_failures"]
    assert {i.rule for i in list_incidents(store) if i.open} == {"silent_failures", "permission_denied"}
