"""What is looked for step by step is found wherever it lies: old calls, groups page by page."""

from __future__ import annotations

import time

import pytest

from analytics.api import Context, NotFoundError, answer
from analytics.jobs import JudgeJob
from analytics.questions.times import DAY_NS
from collector.store import DuckDBStore
from tests.api.scene import scene


@pytest.mark.parametrize("days", [0, 2, 5, 20, 400])
def test_a_call_of_any_age_is_found_by_span_member_and_id(empty: DuckDBStore, days: int) -> None:
    """Whichever stretch of time it lies in."""
    batch = scene(time.time_ns() - days * DAY_NS)
    tool = next(span for span in batch.spans if span.name == "execute_tool fetch_note")
    # The server's side of the same call: a member that bears no verdict.
    inner = next(span for span in scene(time.time_ns() - days * DAY_NS).spans if span.span_id == tool.span_id)
    inner.span_id, inner.parent_span_id = "00000000000003e7", tool.span_id
    batch.spans.append(inner)
    empty.append(batch)
    JudgeJob(empty, pause_s=0).drain()
    context = Context(empty)
    [row] = answer(context, "calls", {"since": "all", "tool": "fetch_note"})["rows"]
    whole = answer(context, "call", {}, path={"span_id": row["id"]})
    assert whole["id"] == row["id"]
    assert {tool.span_id, inner.span_id} == set(whole["span_ids"])

    for named in whole["span_ids"]:
        assert answer(context, "call", {}, path={"span_id": named})["id"] == row["id"]
    with pytest.raises(NotFoundError):
        answer(context, "call", {}, path={"span_id": row["id"] + "0"})


def test_groups_hold_their_last_call_whatever_ties(empty: DuckDBStore) -> None:
    """Calls that start at the same moment are told apart by their group; counts are those of the calls."""
    now = time.time_ns()
    for number in range(3):
        batch = scene(now)
        for span in batch.spans:
            span.trace_id = f"{number}{span.trace_id[1:]}"
            span.attributes = {**span.attributes, "gen_ai.conversation.id": f"s-{number}"}
        empty.append(batch)
    JudgeJob(empty, pause_s=0).drain()
    context = Context(empty)
    found = answer(context, "groups", {})

    assert found["total"] == len(found["rows"]) == 3
    for row in found["rows"]:
        calls = answer(context, "calls", {"fingerprint": row["fingerprint"]})["rows"]
        assert (row["calls"], row["sessions"]) == (len(calls), 3)
        last = max(calls, key=lambda call: (call["started_at"], call["id"]))
        assert (row["last_span_id"], row["last_session"]) == (last["span_id"], last["session_id"])
        assert row["outcome"] == last["outcome"]


def test_a_page_beyond_the_last_group_says_how_many_there_are(empty: DuckDBStore) -> None:
    """No rows, the right total."""
    empty.append(scene(time.time_ns()))
    JudgeJob(empty, pause_s=0).drain()
    context = Context(empty)
    two = answer(context, "groups", {"limit": "2"})
    narrowed = answer(context, "groups", {"tool": "fetch_note", "cursor": two["next_cursor"]})

    assert (narrowed["rows"], narrowed["total"], narrowed["next_cursor"]) == ([], 1, None)


def test_a_corrected_code_makes_a_group_of_its_own(empty: DuckDBStore) -> None:
    """Total and rows agree, also where one fingerprint has two codes."""
    for number in range(2):
        batch = scene(time.time_ns())
        for span in batch.spans:
            span.trace_id = f"{number}{span.trace_id[1:]}"
        empty.append(batch)
    JudgeJob(empty, pause_s=0).drain()
    with empty.write() as transaction:
        transaction.execute("UPDATE call SET code = 'NOT_FOUND' WHERE tool = 'fetch_note' AND trace_id[1] = '1'")
    found = answer(Context(empty), "groups", {"tool": "fetch_note"})

    assert found["total"] == 2
    assert sorted((row["code"], row["calls"]) for row in found["rows"]) == [("INTERNAL", 1), ("NOT_FOUND", 1)]
    assert len({row["fingerprint"] for row in found["rows"]}) == 1


@pytest.mark.parametrize(
    "narrowed", [{}, {"tool": "list_meetings"}, {"code": "UNAVAILABLE"}, {"flag": "retry_storm"}, {"release": "1.2"}]
)
def test_session_counts_are_those_of_the_lists(empty: DuckDBStore, narrowed: dict[str, str]) -> None:
    """One question or two, the counts are the same."""
    empty.append(scene(time.time_ns()))
    JudgeJob(empty, pause_s=0).drain()
    context = Context(empty)
    overview = answer(context, "overview", narrowed)

    assert overview["sessions"] == answer(context, "sessions", narrowed)["total"]
    assert overview["sessions_failed"] == answer(context, "sessions", {**narrowed, "flagged": "true"})["total"]
    assert overview["sessions_unrecovered"] == answer(context, "sessions", {**narrowed, "unrecovered": "true"})["total"]
    assert overview["users_failed"] == 0, "the scene names no user"
