"""A session that has gone quiet is not recovered any more."""

from __future__ import annotations

from collections.abc import Callable

from analytics.jobs import JudgeJob
from analytics.jobs.settle import settle
from collector.store import DuckDBStore
from tests.jobs.stubs import SECOND, T0, stub_judge, stub_session, tool_span
from tests.jobs.test_exact import assert_exact

HALF_AN_HOUR = 1800 * SECOND


def test_open_failures_of_quiet_sessions_are_settled(store: DuckDBStore, send: Callable[..., None]) -> None:
    """Only those of sessions quiet for half an hour; every count follows."""
    send(
        tool_span(1, 0, session="quiet", outcome="silent_failure"),
        tool_span(1200, 0, session="live", outcome="silent_failure"),
        tool_span(2, 0, outcome="unstructured_error"),
    )
    JudgeJob(store, pause_s=0, judge_trace=stub_judge, judge_calls=stub_session).drain()
    with store.write() as transaction:
        settled = settle(transaction, T0 + HALF_AN_HOUR + 10 * SECOND)
    with store.write() as transaction:
        again = settle(transaction, T0 + HALF_AN_HOUR + 10 * SECOND)

    found = store.read("SELECT session_key, recovered FROM call ORDER BY started_ns").to_pylist()
    assert (settled, again) == (2, 0)
    assert [row["recovered"] for row in found] == [False, False, None]
    assert_exact(store)
