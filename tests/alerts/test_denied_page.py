"""The page that the product promises: three sessions denied on a tool that never denies."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from analytics.alerts import AlertJob, list_incidents
from analytics.settings import JudgeSettings, ToolSettings
from collector.store import DuckDBStore
from tests.alerts.world import DAY, HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing, run


def _healthy(tool: str = "search", every_ns: int = 10 * MINUTE) -> list:
    return [call(at, tool) for at in range(NOW - 2 * DAY, NOW - MINUTE, every_ns)]


def test_third_session_pages_once_and_is_resolved_once(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """One notice within 30 s of the third denied session, one resolved notice when it is over, nothing else."""
    add(store, _healthy())
    denied = [failing(NOW + i * SECOND, "PERMISSION_DENIED", user=f"u{i}", agent="booker") for i in range(3)]
    add(store, denied)
    job = make_job()

    run(job, NOW, NOW + 30 * SECOND)

    (notice,) = sink.got
    assert notice["status"] == "firing"
    assert notice["severity"] == "page"
    assert notice["alert"] == "permission_denied"
    (pack,) = notice["incidents"]
    assert (pack["tool"], pack["code"]) == ("search", "PERMISSION_DENIED")
    assert {s["session"] for s in pack["example_sessions"]} == {c.session_id for c in denied}
    assert (pack["numbers"]["sessions_affected"], pack["numbers"]["users_affected"]) == (3, 3)
    first = pack["example_sessions"][0]["session"]
    link = urlsplit(pack["dashboard"])
    assert (link.path, parse_qs(link.query)["session"], parse_qs(link.query)["tool"]) == (
        "/replay",
        [first],
        ["search"],
    )
    assert f"Dashboard: {pack['dashboard']}" in notice["text"]
    assert notice["dashboard"] == pack["dashboard"] == pack["example_sessions"][0]["link"]
    calls = urlsplit(pack["calls"])
    assert (calls.path, parse_qs(calls.query)["code"]) == ("/calls", ["PERMISSION_DENIED"])

    add(store, [call(NOW + i * MINUTE) for i in range(1, 60)])
    run(job, NOW + 40 * SECOND, NOW + HOUR, MINUTE)

    assert [body["status"] for body in sink.got] == ["firing", "resolved"]
    (incident,) = list_incidents(store)
    assert incident.state == "resolved"
    assert incident.first_failure_ns == NOW
    assert incident.detected_ns <= NOW + 30 * SECOND
    assert incident.notified_ns == incident.detected_ns
    assert incident.resolved_ns is not None


def test_two_sessions_do_not_page(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Two denied sessions are not three, however often each tries within reason."""
    add(store, _healthy())
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", session=f"s{i % 2}") for i in range(6)])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.got == []


def test_one_session_that_keeps_trying_is_a_ticket(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Five denials of one session within ten minutes tell of an agent that does not stop."""
    add(store, [*_healthy(), *(failing(NOW + i * SECOND, "PERMISSION_DENIED", session="s") for i in range(5))])

    run(make_job(), NOW, NOW + MINUTE)

    (notice,) = sink.got
    assert notice["severity"] == "ticket"
    assert "One session was denied 5 times" in notice["text"]


def test_tool_that_denies_now_and_then_does_not_page_at_the_third(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Where denials are part of normal life, three of them are no news."""
    healthy = [call(at) for at in range(NOW - 5 * DAY, NOW - MINUTE, 5 * MINUTE)]
    usual = [failing(at, "PERMISSION_DENIED") for at in range(NOW - 5 * DAY, NOW - MINUTE, HOUR)]
    add(store, [*healthy, *usual, *(failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3))])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.of("firing") == []


def test_notice_names_owner_and_runbook(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Who owns the tool and what to do stand in the notice."""
    tools = JudgeSettings({"search": ToolSettings(owner="team-search", runbook="https://wiki.example/search")})
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED") for i in range(3)])

    run(make_job(tools), NOW, NOW + 30 * SECOND)

    assert "Owner: team-search" in sink.got[0]["text"]
    assert "Runbook: https://wiki.example/search" in sink.got[0]["text"]
