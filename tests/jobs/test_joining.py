"""A client's and a server's side in two traces are one call, whichever comes first and whatever comes later."""

from __future__ import annotations

import json
from typing import Any

import pytest

from analytics.api import Context, answer
from analytics.jobs import JudgeJob
from analytics.spans import CLIENT, ERROR, INTERNAL, SERVER, Span
from analytics.store import Batch
from collector.store import DuckDBStore
from tests.jobs.stubs import T0

MS = 1_000_000
CALLER, INNER = "a" * 32, "b" * 32


def _span(place: tuple[str, int], name: str, time: tuple[int, int], kind: int, service: str, **attributes: Any) -> Span:
    (trace, number), (begin, end) = place, time
    span = Span(trace, f"{trace[:4]}{number:012x}", "", name, kind, T0 + begin * MS, T0 + end * MS)
    span.attributes = {key.replace("__", "."): value for key, value in attributes.items()}
    span.resource, span.scope_name = {"service.name": service}, f"{service}-scope"
    return span


def caller() -> Span:
    """The framework's side: an empty result, a session."""
    return _span(
        (CALLER, 1),
        "execute_tool list_meetings",
        (0, 1000),
        INTERNAL,
        "bot",
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="list_meetings",
        gen_ai__tool__call__result=json.dumps([]),
        gen_ai__conversation__id="s-1",
    )


def server() -> list[Span]:
    """The server's side, whose upstream failed."""
    side = _span(
        (INNER, 1),
        "tools/call list_meetings",
        (100, 900),
        SERVER,
        "calendar-mcp",
        mcp__method__name="tools/call",
        gen_ai__tool__name="list_meetings",
    )
    http = _span(
        (INNER, 2),
        "GET",
        (200, 800),
        CLIENT,
        "calendar-mcp",
        http__request__method="GET",
        http__response__status_code=503,
        server__address="calendar.internal",
    )
    http.parent_span_id, http.status_code = side.span_id, ERROR
    return [side, http]


def rows(store: DuckDBStore) -> list[dict[str, Any]]:
    """The calls as stored."""
    return store.read("SELECT trace_id, tool, outcome, code, span_ids, session_id FROM call").to_pylist()


ORDERS = {
    "together": [[caller(), *server()]],
    "caller first": [[caller()], server()],
    "server first": [server(), [caller()]],
    "server in parts": [server()[:1], [caller()], server()[1:]],
}


@pytest.mark.parametrize("batches", ORDERS.values(), ids=ORDERS)
def test_two_sides_in_two_traces_are_one_row(store: DuckDBStore, batches: list[list[Span]]) -> None:
    """One call, under the caller's trace and session, judged with what happened on the server's side."""
    for batch in batches:
        store.append(Batch(spans=batch))
        JudgeJob(store, pause_s=0).drain()

    [call] = rows(store)
    assert (call["trace_id"], call["session_id"]) == (CALLER, "s-1")
    assert {span_id[:4] for span_id in call["span_ids"]} == {"aaaa", "bbbb"}
    assert (call["outcome"], call["code"]) == ("silent_failure", "UNAVAILABLE")
    assert store.read("SELECT session_id, calls FROM session").to_pylist() == [{"session_id": "s-1", "calls": 1}]
    assert store.read("SELECT sum(calls) AS n FROM rollup_hour").to_pylist() == [{"n": 1}]


def test_a_joined_call_stays_joined_when_one_side_grows(store: DuckDBStore) -> None:
    """A late span of the caller's trace brings the server's side in again."""
    store.append(Batch(spans=[caller(), *server()]))
    JudgeJob(store, pause_s=0).drain()
    store.append(Batch(spans=[_span((CALLER, 7), "later", (1100, 1200), INTERNAL, "bot")]))
    JudgeJob(store, pause_s=0).drain()

    [call] = rows(store)
    assert call["outcome"] == "silent_failure"


def test_the_replay_shows_what_happened_on_the_other_side(store: DuckDBStore) -> None:
    """The server's upstream stands under the step of the call, and any member's id finds it."""
    store.append(Batch(spans=[caller(), *server()]))
    JudgeJob(store, pause_s=0).drain()
    context = Context(store)
    made = answer(context, "replay", {}, path={"id": "s-1"})
    call = answer(context, "call", {}, path={"span_id": server()[0].span_id})

    [step] = made["steps"]
    assert [upstream["status"] for upstream in step["upstream"]] == ["503"]
    assert call["trace_id"] == CALLER


def test_calls_of_two_callers_are_left_alone(store: DuckDBStore) -> None:
    """Where two callers fit, joining would be a guess."""
    other = caller()
    other.trace_id, other.span_id = "c" * 32, "cccc000000000001"
    store.append(Batch(spans=[caller(), other, *server()]))
    JudgeJob(store, pause_s=0).drain()

    assert len(rows(store)) == 3
