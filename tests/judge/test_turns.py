"""Obedience ends with the turn: a call that the user asked for again disobeys nobody."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Any

import pytest

from analytics.calls import Call
from analytics.judge import SessionCall, judge_session
from analytics.normalise.tree import build
from analytics.normalise.turns import turn_starts
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

SECOND = 1_000_000_000


def span(n: int, operation: str | None, parent: int = 0, *, at: float | None = None, trace: str = "t1") -> Span:
    """A span that began `at` (or `n`) seconds in."""
    start = int((n if at is None else at) * SECOND)
    return Span(
        trace_id=trace,
        span_id=f"{n:016x}",
        parent_span_id=f"{parent:016x}" if parent else "",
        name=operation or "step",
        kind=1,
        start_ns=start,
        end_ns=start + SECOND,
        attributes={"gen_ai.operation.name": operation} if operation else {},
    )


def call(n: int, at: float, trace: str, **more: Any) -> Call:
    """A judged call that began `at` seconds in."""
    return Call(
        id=f"c{n}",
        project="default",
        trace_id=trace,
        span_id=f"s{n}",
        span_ids=[f"s{n}"],
        tool="pay",
        started_ns=int(at * SECOND),
        duration_ms=100,
        outcome=more.pop("outcome", Outcome.OK),
        declared=Declared.NONE,
        confidence=Confidence.CERTAIN,
        payload=Payload.CAPTURED,
        arguments_hash="a",
        **more,
    )


STOP: dict[str, Any] = {"outcome": Outcome.STRUCTURED_ERROR, "action": "stop_and_tell_user", "retryable": False}
NO_RETRY: dict[str, Any] = {"outcome": Outcome.STRUCTURED_ERROR, "action": "report_no_access", "retryable": False}
RUN, SEES, ACTS = "invoke_agent", "chat", "execute_tool"


@pytest.mark.parametrize(
    ("spans", "starts"),
    [
        ([], []),
        ([span(1, ACTS)], []),
        ([span(1, None), span(2, ACTS, 1)], []),
        ([span(1, None), span(2, SEES, 1), span(3, ACTS, 1)], [2]),
        ([span(1, RUN), span(2, SEES, 1), span(3, RUN, 2)], [1]),
        ([span(1, None), span(2, RUN, 1), span(3, RUN, 1)], [2]),
        ([span(5, RUN), span(1, RUN), span(2, SEES, 1)], [1, 5]),
        ([span(1, RUN, 99), span(2, ACTS, 1)], [1]),
    ],
    ids=["empty", "tool alone", "no model", "one turn", "agent in agent", "hand-over", "two runs", "remote parent"],
)
def test_where_turns_begin(spans: list[Span], starts: list[int]) -> None:
    """Runs of agents that nothing else in the trace began; a model without an agent is one turn."""
    assert turn_starts(build(Trace("default", "t1", spans, []))) == [start * SECOND for start in starts]


def rules(first: Call, second: Call, *traces: Trace) -> list[str]:
    """What the pass says of the first call; a call of none of these traces has no turn that is known."""
    starts = {trace.trace_id: turn_starts(build(trace)) for trace in traces}
    for each in (first, second):
        began = starts.get(each.trace_id)
        each.turn = None if began is None else bisect_right(began, each.started_ns)
    calls = [SessionCall.of(each) for each in (first, second)]
    return [rule for update in judge_session(calls, JudgeSettings()) if update.id == first.id for rule in update.rules]


@pytest.mark.parametrize(
    ("advice", "rule"), [(STOP, "agent.went_on_after_stop"), (NO_RETRY, "agent.retried_not_retryable")]
)
def test_a_call_of_another_turn_disobeys_nobody(advice: dict[str, Any], rule: str) -> None:
    """Another run of the agent, in the same trace or in another one, was asked for anew."""
    one = Trace("default", "t1", [span(1, RUN), span(2, ACTS, 1)], [])
    both = Trace("default", "t1", [*one.spans, span(8, RUN), span(9, ACTS, 8)], [])
    next_one = Trace("default", "t2", [replace(each, trace_id="t2") for each in both.spans[2:]], [])
    other_model = Trace("default", "t2", [span(8, SEES, trace="t2"), span(9, ACTS, 8, trace="t2")], [])

    assert rules(call(1, 2, "t1", **advice), call(2, 4, "t1"), one) == [rule]
    assert rules(call(1, 2, "t1", **advice), call(2, 4, "t1"), both) == [rule]
    assert rules(call(1, 2, "t1", **advice), call(2, 9, "t1"), both) == []
    assert rules(call(1, 2, "t1", **advice), call(2, 9, "t2"), one, next_one) == []
    assert rules(call(1, 2, "t1", **advice), call(2, 9, "t2"), other_model) == []


def test_a_trace_without_a_turn_of_its_own_goes_on() -> None:
    """Where a tool's span is a trace of its own because context was lost, nothing shows a new request."""
    turn = Trace("default", "t1", [span(1, RUN), span(2, ACTS, 1)], [])
    orphan = Trace("default", "t2", [span(9, ACTS, trace="t2")], [])

    assert rules(call(1, 2, "t1", **STOP), call(2, 9, "t2"), turn, orphan) == ["agent.went_on_after_stop"]


def test_nothing_new_is_told_of_a_call_whose_turn_is_not_known() -> None:
    """A call of an older release was held against the one before it when its trace was judged."""
    turn = Trace("default", "t1", [span(1, RUN), span(2, ACTS, 1)], [])

    assert rules(call(1, 2, "t1", **STOP), call(2, 9, "t2"), turn) == []
