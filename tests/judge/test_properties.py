"""What must hold whatever the spans and payloads are: no exception, no dependence on order, bounded work."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.judge import SessionCall, judge, judge_session
from analytics.settings import JudgeSettings
from analytics.spans import Event, Span, Trace
from benchmarks.judge import HOSTILE, one_call

SETTINGS = JudgeSettings()
KEYS = (
    *("error", "errors", "ok", "success", "status", "code", "message", "data", "result", "isError", "content", "text"),
    *("retryable", "retry_after_seconds", "action", "exit_code", "stdout", "detail", "name", "id", "headers", "type"),
    *("metadata", "statusCode", "entry", "response", "txid", "filteredReason", "extracted_content", "call_id", "url"),
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-40_000, 1_000_000)
    | st.floats(allow_nan=True)
    | st.text(max_size=20)
    | st.sampled_from(["error", "failed", "unauthorized", "404", "Error: x", "<html>", "[]", "", "ok", "Traceback"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=15,
)
SENT = st.builds(json.dumps, JSON) | st.text(max_size=200) | JSON
IDS = st.sampled_from([f"{n:016x}" for n in range(6)])
ATTRIBUTES = st.dictionaries(
    st.sampled_from(
        [
            *("gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.conversation.id", "error.type", "mcp.method.name"),
            *("http.response.status_code", "http.request.method", "db.system.name", "rpc.grpc.status_code"),
            *("telltale.budget.exhausted", "http.response.header.retry-after", "process.exit.code"),
            *("process.command", "process.command_args", "db.response.returned_rows", "messaging.system"),
        ]
    ),
    SCALARS | st.lists(SCALARS, max_size=2),
    max_size=6,
)


@st.composite
def spans(draw: st.DrawFn) -> list[Span]:
    """Spans of one trace: ids used once, any parents (rings too), any attributes."""
    found = []
    for span_id in draw(st.lists(IDS, unique=True, min_size=1, max_size=6)):
        attributes = draw(ATTRIBUTES)
        if draw(st.booleans()):
            attributes |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": draw(SENT)}
            attributes |= {"gen_ai.tool.call.arguments": draw(SENT)}
        start = draw(st.integers(0, 1000))
        span = Span(
            "a" * 32, span_id, draw(IDS | st.just("")), draw(st.text(max_size=10)), draw(st.integers(0, 5)), start, 0
        )
        span.end_ns = start + draw(st.integers(-5, 1000))
        span.status_code, span.status_message = draw(st.integers(0, 2)), draw(st.text(max_size=10))
        span.attributes = attributes
        if draw(st.booleans()):
            event = {"exception.type": draw(SCALARS), "exception.message": draw(SCALARS)}
            span.events = [Event(draw(st.sampled_from(["exception", "x", "graphql.payload_error"])), start, event)]
        found.append(span)
    return found


@given(spans(), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_any_trace_in_any_order(made: list[Span], chance: random.Random) -> None:
    """Any spans are judged without an exception, and any order of them gives the same rows."""
    expected = judge(Trace("default", "a" * 32, list(made)), SETTINGS)
    chance.shuffle(made)
    rows = judge(Trace("default", "a" * 32, made), SETTINGS)

    assert repr(rows) == repr(expected)
    judge_session([SessionCall.of(row) for row in rows], SETTINGS)


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile_payloads(name: str) -> None:
    """A payload made to be slow is judged in a time that a service can bear on any machine."""
    start = time.process_time()
    judge(Trace("default", "a" * 32, one_call(HOSTILE[name], failed=True)), SETTINGS)

    assert time.process_time() - start < 5


@pytest.mark.parametrize("sent", ["[" * 200_000, '{"a":' * 100_000, "[" * 50_000 + "]" * 50_000, "(" * 100_000])
def test_deep_nesting(sent: str) -> None:
    """Nesting of any depth raises nothing."""
    assert len(judge(Trace("default", "a" * 32, one_call(sent)), SETTINGS)) == 1


def test_deep_structured_values() -> None:
    """Attribute values that are nested objects themselves are judged as well."""
    value: Any = "Error: x"
    for _ in range(20_000):
        value = {"result": [value]}
    made = one_call("")
    made[0].attributes["gen_ai.tool.call.result"] = value

    assert len(judge(Trace("default", "a" * 32, made), SETTINGS)) == 1
