"""Which failures fire which rule: outages of busy and of quiet tools, budgets, silence, and what never alerts."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from analytics.alerts import AlertJob, list_incidents
from analytics.alerts.wording import moment
from collector.store import DuckDBStore
from tests.alerts.world import DAY, HOUR, MINUTE, NOW, SECOND, Sink, add, call, failing, run


def _busy_week(rate: float = 0.01, every_ns: int = 3 * MINUTE, tool: str = "search") -> list:
    """A week of calls, a share of which fails with INTERNAL, the same every time."""
    source = random.Random(3)
    moments = range(NOW - 7 * DAY, NOW, every_ns)
    return [failing(at, "INTERNAL", tool=tool) if source.random() < rate else call(at, tool) for at in moments]


def test_outage_of_a_busy_tool_pages_with_its_numbers(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """INTERNAL far above the tool's own week pages, and the numbers can be computed again."""
    add(store, _busy_week())
    add(
        store,
        [failing(NOW + i * 10 * SECOND, "INTERNAL", code_source="default", declared_code=None) for i in range(20)],
    )

    run(make_job(), NOW, NOW + 4 * MINUTE)

    (notice,) = sink.of("firing")
    numbers = notice["incidents"][0]["numbers"]
    assert notice["severity"] == "page"
    assert notice["alert"] == "internal_above_baseline"
    assert numbers["expected"] == pytest.approx(numbers["usual_rate"] * numbers["calls"])
    assert numbers["usual_rate"] == pytest.approx(0.01, rel=0.3)
    assert numbers["odds"] < numbers["level"] <= 1e-5
    assert numbers["inferred"] == numbers["failing_calls"] - numbers["declared"] > 0
    assert "carry a derived code only" in notice["text"]


def test_usual_rate_does_not_page(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A tool that fails as often as ever is quiet."""
    add(store, _busy_week(rate=0.05))
    add(store, [call(NOW + i * MINUTE) if i % 15 else failing(NOW + i * MINUTE, "INTERNAL") for i in range(60)])

    run(make_job(), NOW, NOW + HOUR, 5 * MINUTE)

    assert sink.got == []


def test_outage_of_a_quiet_tool_pages_by_its_last_calls(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """A tool too quiet for windows pages at the third failing call of different sessions, and says so."""
    add(store, [call(at, "export") for at in range(NOW - 6 * DAY, NOW, 3 * HOUR)])
    add(store, [failing(NOW + i * 10 * MINUTE, "INTERNAL", tool="export") for i in range(4)])
    job = make_job()

    run(job, NOW, NOW + 19 * MINUTE, MINUTE)
    before = list(sink.got)
    run(job, NOW + 20 * MINUTE, NOW + 22 * MINUTE, 20 * SECOND)

    assert before == []
    (notice,) = sink.of("firing")
    assert notice["incidents"][0]["numbers"]["met"] == "run_of_calls"
    assert "3 of the last 5 calls failed" in notice["text"]
    assert "(assumed: no baseline yet)" in notice["text"]


@pytest.mark.parametrize("failures", [12, 29, 60])
def test_a_run_is_told_from_its_beginning(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], failures: int
) -> None:
    """Calls that came in at once: the notice counts all that failed and says since when, however few were tested."""
    add(store, [call(NOW - HOUR + i * SECOND, "export") for i in range(3)])
    add(store, [failing(NOW + i * SECOND, "INTERNAL", tool="export") for i in range(failures)])

    run(make_job(), NOW + failures * SECOND + MINUTE, NOW + failures * SECOND + 2 * MINUTE)

    (notice,) = sink.of("firing")
    (incident,) = notice["incidents"]
    numbers = incident["numbers"]
    assert numbers["met"] == "run_of_calls"
    assert numbers["calls"] == numbers["failing_calls"] == numbers["sessions_affected"] == failures
    assert numbers["tested_failures"] <= numbers["tested_calls"] <= 50
    assert incident["first_failure"] == moment(NOW)


def test_one_session_that_retries_is_no_outage(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Twenty INTERNAL errors of one session are one failing session."""
    add(store, [call(NOW - HOUR), *(failing(NOW + i * SECOND, "INTERNAL", session="loop") for i in range(20))])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.got == []


def test_only_unrecovered_failures_page(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """INTERNAL errors after which the same session succeeded do not page."""
    add(store, _busy_week())
    for i in range(20):
        at = NOW + i * 10 * SECOND
        session = f"r{i}"
        add(store, [failing(at, "INTERNAL", session=session, recovered=True), call(at + SECOND, session=session)])

    run(make_job(), NOW, NOW + 4 * MINUTE)

    assert sink.got == []


def test_being_told_is_no_recovery_of_an_outage(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """Agents that tell every user of the INTERNAL error, as they should, do not hide the outage."""
    add(store, _busy_week())
    add(store, [failing(NOW + i * 10 * SECOND, "INTERNAL", recovered=True) for i in range(20)])

    run(make_job(), NOW, NOW + 4 * MINUTE)

    assert [body["severity"] for body in sink.got] == ["page"]


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "NOT_FOUND", "UNAVAILABLE", "RATE_LIMITED", "CONFLICT"])
def test_other_codes_do_not_alert(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], code: str) -> None:
    """Codes that agents can handle go to nobody by themselves, however many there are."""
    add(store, [failing(NOW + i * SECOND, code) for i in range(50)])

    run(make_job(), NOW, NOW + 2 * MINUTE, 30 * SECOND)

    assert sink.got == []


def test_spent_budgets_are_a_ticket_then_a_page(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """The first session that gave up on an unavailable tool is a ticket; the third within ten minutes pages."""
    add(store, [call(at) for at in range(NOW - 2 * DAY, NOW, 10 * MINUTE)])
    spent = [failing(NOW + i * MINUTE, "UNAVAILABLE", flags=["budget_exhausted"]) for i in range(3)]
    add(store, spent)

    run(make_job(), NOW, NOW + 4 * MINUTE)

    assert [(body["alert"], body["severity"]) for body in sink.got] == [
        ("budget_exhausted", "ticket"),
        ("budget_exhausted", "page"),
    ]
    assert len(list_incidents(store)) == 1
    assert "1 session spent its failure budget" in sink.got[0]["text"]
    assert "/replay?" in sink.got[0]["text"]
    assert "flag=budget_exhausted" in sink.got[0]["incidents"][0]["calls"]


@pytest.mark.parametrize("code", ["INVALID_ARGUMENT", "NOT_FOUND", "INTERNAL", "PERMISSION_DENIED"])
def test_budgets_spent_on_other_codes_do_not_alert_as_budgets(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], code: str
) -> None:
    """A spent budget counts for the codes that page only on it."""
    add(store, [failing(NOW, code, flags=["budget_exhausted"])])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.got == []


def test_silent_failures_are_a_ticket(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A tool that starts to lie is a ticket."""
    lying = {"outcome": "silent_failure", "declared": "ok", "code": "UNAVAILABLE", "declared_code": None}
    add(store, [call(at) for at in range(NOW - 2 * DAY, NOW, 10 * MINUTE)])
    add(store, [call(NOW + i * SECOND, **lying) for i in range(3)])

    run(make_job(), NOW, NOW + MINUTE)

    assert [(body["alert"], body["severity"]) for body in sink.got] == [("silent_failures", "ticket")]


@pytest.mark.parametrize("changes", [{"muted": True}, {"confidence": "suspected"}, {"outcome": "ok"}])
def test_what_does_not_count(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob], changes: dict) -> None:
    """Muted hits, suspicions, and successes that carry a code raise nothing."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", **changes) for i in range(5)])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.got == []


def test_late_spans_never_alert(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Spans that arrive more than 15 minutes after they ended are history, also where they lie in a live window."""
    late = [failing(NOW - 20 * MINUTE + i * SECOND, "PERMISSION_DENIED", received_ns=NOW) for i in range(5)]
    add(store, late)

    run(make_job(), NOW - 20 * MINUTE, NOW + MINUTE, MINUTE)

    assert sink.got == []


def test_clock_that_runs_ahead_is_taken_at_receipt(
    store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]
) -> None:
    """A sender whose clock is a day ahead still pages, now and not tomorrow."""
    add(store, [failing(NOW + DAY, "PERMISSION_DENIED", received_ns=NOW + i * SECOND) for i in range(3)])

    run(make_job(), NOW, NOW + MINUTE)

    assert [body["status"] for body in sink.got] == ["firing"]


def test_long_call_is_not_late(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """A call that took twenty minutes arrives twenty minutes after its start, and counts."""
    slow = {"duration_ms": 20 * 60_000.0, "received_ns": NOW + 20 * MINUTE}
    add(store, [failing(NOW + i * SECOND, "INTERNAL", **slow) for i in range(5)])

    run(make_job(), NOW + 20 * MINUTE, NOW + 21 * MINUTE, 30 * SECOND)

    assert [body["status"] for body in sink.got] == ["firing"]


def test_times_at_the_edge_of_the_type(store: DuckDBStore, make_job: Callable[..., AlertJob]) -> None:
    """Clocks at 1970 and beyond 2262 disturb nothing."""
    odd = [failing(0, "INTERNAL", received_ns=NOW), failing(2**63 - 1, "INTERNAL", received_ns=NOW, duration_ms=1e15)]
    add(store, odd)

    assert run(make_job(), NOW, NOW + MINUTE, 30 * SECOND) == []


def test_projects_do_not_add_up(store: DuckDBStore, sink: Sink, make_job: Callable[..., AlertJob]) -> None:
    """Sessions of different projects are different worlds."""
    add(store, [failing(NOW + i * SECOND, "PERMISSION_DENIED", project=f"p{i % 2}") for i in range(4)])

    run(make_job(), NOW, NOW + MINUTE)

    assert sink.got == []
