"""What an incident has come to since it fired, beside its numbers of that moment."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from analytics.api import Context, answer
from collector.store import DuckDBStore
from tests.alerts.world import MINUTE, add, call, failing

NOW_NS = int(datetime(2026, 11, 28, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
AS_OF = "2026-11-28T12:00:00Z"
FIRED = """INSERT INTO alert (id, dedupe_key, rule, project, tool, code, severity, state, first_failure_ns, detected_ns,
    last_met_ns, numbers, example_sessions, text) VALUES ($id, $id, $rule, 'default', $tool, $code, 'page', $state,
    $first_ns, $first_ns, $first_ns, '{"sessions": 3, "failing_calls": 3}', [], 'three of three')"""


def fired(store: DuckDBStore, name: str, rule: str, **changes: Any) -> None:
    """An incident that began 30 minutes before."""
    given = {"tool": "search", "code": None, "state": "firing", "first_ns": NOW_NS - 30 * MINUTE, **changes}
    with store.write() as transaction:
        transaction.execute(FIRED, {"id": name, "rule": rule, **given})


def now_of(store: DuckDBStore, **given: str) -> dict[str, Any]:
    """The present numbers of each incident, by id."""
    rows = answer(Context(store), "incidents", {"as_of": AS_OF, "since": "all", **given})["rows"]
    return {row["id"]: row["now"] for row in rows}


def test_an_open_incident_tells_how_far_it_has_come(empty: DuckDBStore) -> None:
    """Its present numbers are those of the calls behind it, and what came lately stands beside what came before."""
    denied = [failing(NOW_NS - m * MINUTE, "PERMISSION_DENIED", session=f"s-{m}") for m in (40, 29, 15, 8, 2, 1)]
    healthy = [call(NOW_NS - 5 * MINUTE), call(NOW_NS + MINUTE), call(NOW_NS - MINUTE, tool="other")]
    add(empty, [*denied, *healthy, failing(NOW_NS - MINUTE, "INTERNAL")])
    fired(empty, "i-1", "permission_denied", code="PERMISSION_DENIED")

    now = now_of(empty)["i-1"]

    assert (now["failing_calls"], now["sessions"], now["calls"]) == (5, 5, 7)
    assert (now["recent"], now["before"], now["window_s"]) == (3, 1, 600)
    assert now["last_failure"] == "2026-11-28T11:59:00.000000Z"
    behind = {"tool": "search", "code": "PERMISSION_DENIED", "outcome": "failed", "since": "30m", "as_of": AS_OF}
    assert answer(Context(empty), "calls", behind)["total"] == now["failing_calls"]
    row = answer(Context(empty), "overview", {"as_of": AS_OF})["open_incidents"][0]
    assert (row["now"], row["numbers"]["failing_calls"]) == (now, 3)


def test_each_rule_counts_its_own_failures(empty: DuckDBStore) -> None:
    """Budgets, silence and internal failures are told apart; an incident over all tools counts those of every tool."""
    add(
        empty,
        [
            failing(NOW_NS - MINUTE, "INTERNAL", tool="other"),
            failing(NOW_NS - MINUTE, "UNAVAILABLE", flags=["budget_exhausted"]),
            call(NOW_NS - MINUTE, outcome="silent_failure"),
            call(NOW_NS - 2 * MINUTE, outcome="silent_failure"),
        ],
    )
    fired(empty, "budget", "budget_exhausted")
    fired(empty, "silent", "silent_failures")
    fired(empty, "internal", "internal_above_baseline", tool=None)

    assert {name: now["failing_calls"] for name, now in now_of(empty).items()} == {
        "budget": 1,
        "silent": 2,
        "internal": 1,
    }


def test_what_is_over_or_about_no_call_has_no_present(empty: DuckDBStore) -> None:
    """A resolved incident and one about missing calls bear none; one whose calls have expired counts nothing."""
    fired(empty, "over", "permission_denied", state="resolved")
    fired(empty, "quiet", "no_data")
    fired(empty, "expired", "permission_denied")

    found = now_of(empty)

    assert (found["over"], found["quiet"]) == (None, None)
    assert (found["expired"]["calls"], found["expired"]["last_failure"]) == (0, None)


def test_an_acknowledged_row_tells_it_too(empty: DuckDBStore) -> None:
    """The answer to a POST has the same shape as the list."""
    fired(empty, "i-1", "permission_denied")
    context = Context(empty)

    row = answer(context, "acknowledge", {}, path={"id": "i-1"}, body={"who": "ada"})

    assert (row["state"], row["now"]["calls"]) == ("acknowledged", 0)
