"""Notices arrive once, in order, whatever the destination or this process does meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from analytics.alerts import AlertJob, list_incidents
from collector.store import DuckDBStore
from tests.alerts.world import HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing, run


def _denied(store: DuckDBStore, at_ns: int = NOW, tool: str = "search") -> None:
    add(store, [failing(at_ns + i * SECOND, "PERMISSION_DENIED", tool=tool) for i in range(3)])


def test_delivered_once_after_the_destination_recovers(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """While the sink answers 503 the notice waits; afterwards it arrives, once, and the incident says when."""
    _denied(store)
    job = make_job()
    sink.status = 503
    run(job, NOW, NOW + 5 * MINUTE, 20 * SECOND)
    tried = len(sink.seen)
    (health,) = job.health()

    sink.status = 200
    run(job, NOW + 5 * MINUTE, NOW + 15 * MINUTE, MINUTE)

    assert 2 <= tried <= 12
    assert health.waiting == 1
    assert "answered 503" in str(health.last_error)
    assert "secret" not in str(health)
    assert [body["status"] for body in sink.got] == ["firing"]
    assert len({attempt["headers"]["idempotency-key"] for attempt in sink.seen}) == 1
    incident = next(i for i in list_incidents(store) if i.rule == "permission_denied")
    assert incident.notified_ns is not None
    assert incident.notified_ns >= NOW + 5 * MINUTE
    assert job.health() == []


def test_resolved_notice_does_not_overtake_the_firing_one(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """An outage of the destination that outlasts the incident still gives both notices, in order."""
    _denied(store)
    job = make_job()
    sink.status = 500
    run(job, NOW, NOW + 30 * SECOND)
    add(store, [call(NOW + i * MINUTE) for i in range(1, 50)])
    run(job, NOW + 5 * MINUTE, NOW + 50 * MINUTE, 5 * MINUTE)
    sink.status = 200
    run(job, NOW + 55 * MINUTE, NOW + 70 * MINUTE, 5 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]


def test_restart_between_decision_and_delivery_loses_nothing(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """A new job on the same store drives the notices of the old one, and repeats none that arrived."""
    _denied(store)
    sink.status = 503
    run(make_job(), NOW, NOW + 30 * SECOND)
    sink.status = 200
    run(make_job(), NOW + MINUTE, NOW + 3 * MINUTE)
    run(make_job(), NOW + 3 * MINUTE, NOW + 5 * MINUTE)

    assert [body["status"] for body in sink.got] == ["firing"]
    assert [incident.rule for incident in list_incidents(store)] == ["permission_denied"]


def test_redirect_is_not_followed(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A destination that points elsewhere has not taken the notice, and elsewhere is never asked."""
    _denied(store)
    sink.status, sink.headers = 307, {"location": sink.url.replace("/hook", "/elsewhere")}
    job = make_job()

    run(job, NOW, NOW + MINUTE)

    assert {attempt["path"].partition("?")[0] for attempt in sink.seen} == {"/hook"}
    assert job.health()[0].waiting == 1


def test_private_address_needs_an_explicit_allow(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Without `allow_private` nothing is sent to the loopback address, and the health says why."""
    _denied(store)
    job = make_job(allow_private=())

    run(job, NOW, NOW + MINUTE)

    assert sink.seen == []
    assert "private or reserved" in str(job.health()[0].last_error)


def test_given_up_after_a_day(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A destination that is gone for good does not hold its queue for ever."""
    _denied(store)
    job = make_job(give_up_s=600)
    sink.status = 500
    run(job, NOW, NOW + 30 * MINUTE, MINUTE)

    sink.status = 200
    run(job, NOW + 31 * MINUTE, NOW + HOUR, 10 * MINUTE)

    assert sink.got == []
    assert job.health() == []


def test_one_dead_destination_does_not_hold_up_another(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Each destination has its own queue."""
    _denied(store)

    run(make_job(webhooks=("http://127.0.0.1:9/dead", sink.url)), NOW, NOW + 30 * SECOND)

    assert [body["status"] for body in sink.got] == ["firing"]


def test_slow_destination_does_not_hold_up_the_rules(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One round hands over what it can in its time; the rest follows in the next rounds, in order."""
    monkeypatch.setattr("analytics.alerts.outbox.ROUND_S", -1.0)
    _denied(store)
    job = make_job()
    run(job, NOW, NOW + 30 * SECOND)
    held = list(sink.got)
    monkeypatch.setattr("analytics.alerts.outbox.ROUND_S", 8.0)
    job.run_once(NOW + 40 * SECOND)

    assert held == []
    assert [body["status"] for body in sink.got] == ["firing"]
