"""What must hold for any trace: order, batching and copies change nothing; nothing raises; time stays linear."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytics.conventions.vocabulary import KIND_KEYS, MESSAGES_IN, MESSAGES_OUT, SESSION_KEYS
from analytics.normalise import LogicalCall, normalise
from analytics.settings import JudgeSettings
from analytics.spans import Event, LogRecord, Span, Trace
from tests.normalise.otlp_json import gather, load

DATA = Path(__file__).parent / "data"
JUDGE = JudgeSettings()


def told(calls: list[LogicalCall]) -> list[tuple[Any, ...]]:
    """Everything about calls that a judge reads, comparable."""
    return [
        (
            *(call.id, call.span.span_id, [m.span_id for m in call.members], call.tool, call.call_id, call.convention),
            *(repr(call.arguments), repr(call.result), call.payload, call.session_id, call.session_source),
            *([(m.name, repr(m.value), m.span_id, m.meaning) for m in call.marks], [s.span_id for s in call.upstream]),
            *(call.told, call.user, call.agent, call.model, call.inferred, call.run_aborted, call.lost),
        )
        for call in calls
    ]


@pytest.mark.parametrize("name", ["fastmcp4-native", "adk-native-content-true", "smolagents-openinference"])
@pytest.mark.parametrize("seed", range(5))
def test_order_and_copies_change_nothing(name: str, seed: int) -> None:
    """Shuffled spans and logs, some of them twice, give the same calls with the same ids."""
    shuffle = random.Random(seed)
    for trace in load(DATA / name):
        spans = trace.spans + shuffle.sample(trace.spans, len(trace.spans) // 2)
        logs = list(trace.logs)
        shuffle.shuffle(spans)
        shuffle.shuffle(logs)

        assert told(normalise(Trace("default", trace.trace_id, spans, logs), JUDGE)) == told(normalise(trace, JUDGE))


@pytest.mark.parametrize("seed", range(5))
def test_every_batch_on_the_way_is_taken(seed: int) -> None:
    """A trace that arrives span by span is normalised at every step, ids stay unique, and the end is the whole."""
    shuffle = random.Random(seed)
    for trace in load(DATA / "fastmcp4-native"):
        spans = list(trace.spans)
        shuffle.shuffle(spans)
        for end in range(1, len(spans) + 1):
            calls = normalise(Trace("default", trace.trace_id, spans[:end]), JUDGE)
            assert len({call.id for call in calls}) == len(calls)
        assert told(calls) == told(normalise(trace, JUDGE))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
TEXTS = st.sampled_from(
    [
        *(
            "tool",
            "TOOL",
            "LLM",
            "AGENT",
            "execute_tool",
            "chat",
            "invoke_agent",
            "tools/call",
            "generation",
            "{}",
            "[]",
        ),
        *('{"isError": true, "content": []}', '[{"role": "tool", "tool_call_id": "c", "content": 1}]', "c", "x"),
        '[{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "x", "arguments": "{}"}}]}]',
    ]
)
KEYS = st.sampled_from(
    sorted(
        {*KIND_KEYS, *MESSAGES_IN, *MESSAGES_OUT, *SESSION_KEYS}
        | {"gen_ai.tool.call.id", "gen_ai.tool.call.result", "output.value", "mcp.response.value", "metadata"}
        | {"llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "gen_ai.prompt.0.role", "error.type"}
    )
)
ATTRIBUTES = st.dictionaries(KEYS, TEXTS | VALUES, max_size=6)
IDS = st.sampled_from(["", "a", "b", "c", "d", "e"])
SPANS = st.builds(
    Span,
    trace_id=st.just("t"),
    span_id=IDS,
    parent_span_id=IDS,
    name=st.sampled_from(["", "x", "execute_tool x", "MCP send tools/call x", "Function: {name}"])
    | st.text(max_size=5),
    kind=st.integers(0, 5),
    start_ns=st.integers(0, 50),
    end_ns=st.integers(0, 50),
    status_code=st.integers(0, 2),
    status_message=st.text(max_size=5),
    attributes=ATTRIBUTES,
    events=st.lists(
        st.builds(
            Event,
            name=st.sampled_from(["exception", "gen_ai.choice", "gen_ai.tool.message"]),
            time_ns=st.integers(0, 9),
            attributes=st.dictionaries(st.sampled_from(["exception.type", "content", "message", "id"]), VALUES | TEXTS),
        ),
        max_size=2,
    ),
    scope_name=st.sampled_from(
        ["", "mcp", "pydantic-ai", "logfire.openai_agents", "gcp.vertex.agent", "strands.telemetry"]
    ),
    resource=st.dictionaries(st.just("service.name"), VALUES),
)
LOGS = st.builds(
    LogRecord,
    trace_id=st.just("t"),
    span_id=IDS,
    event_name=st.sampled_from(["gen_ai.choice", "gen_ai.tool.message", "gen_ai.client.inference.operation.details"]),
    time_ns=st.integers(0, 50),
    body=VALUES | TEXTS,
    attributes=ATTRIBUTES,
)


@settings(max_examples=100, deadline=None)
@given(st.lists(SPANS, max_size=8), st.lists(LOGS, max_size=3), st.randoms(use_true_random=False))
def test_never_raises_and_never_depends_on_order(spans: list[Span], logs: list[LogRecord], shuffle: Any) -> None:
    """Any attributes in any tree, loops of parents included, give some answer, and the same one in any order."""
    unique = list({span.span_id: span for span in spans}.values())
    first = told(normalise(Trace("p", "t", unique, logs), JUDGE))
    mixed = unique * 2
    shuffle.shuffle(mixed)

    assert told(normalise(Trace("p", "t", mixed, logs), JUDGE)) == first
    assert len({row[0] for row in first}) == len(first)


def tool_span(number: int, parent: str, **more: Any) -> Span:
    """One GenAI tool span."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", **more.pop("attributes", {})}
    return Span(
        "t",
        f"{number:016x}",
        parent,
        "execute_tool search",
        1,
        more.pop("start", number),
        10**9,
        attributes=attributes,
        **more,
    )


def flat(count: int) -> list[Span]:
    """Tool spans side by side under one agent, all running at once, from two instrumentations."""
    root = Span("t", "root", "", "invoke_agent a", 1, 0, 10**9, attributes={"gen_ai.operation.name": "invoke_agent"})
    return [root, *(tool_span(n, "root", scope_name=f"s{n % 2}") for n in range(count))]


def deep(count: int) -> list[Span]:
    """A chain of steps, one below the other, with a failed tool span at every one."""
    steps = [Span("t", f"s{n}", f"s{n - 1}", "step", 1, n, 10**9, status_code=2) for n in range(count // 2)]
    return steps + [tool_span(n, f"s{n}", status_code=2) for n in range(count // 2)]


def nested(count: int) -> list[Span]:
    """Tool spans one inside the other."""
    return [tool_span(n, f"{n - 1:016x}") for n in range(count)]


def alone(count: int) -> list[Span]:
    """Models that ask for calls which nobody runs, each in a failed step of its own."""
    asked = '[{"role": "assistant", "parts": [{"type": "tool_call", "id": "c%d", "name": "search", "arguments": {}}]}]'
    spans = [Span("t", "root", "", "run", 1, 0, 10**9, status_code=2)]
    for n in range(count // 2):
        spans.append(Span("t", f"s{n}", "root", "step", 1, n * 10, n * 10 + 9, status_code=2))
        attributes = {"gen_ai.operation.name": "chat", "gen_ai.output.messages": asked % n}
        spans.append(Span("t", f"m{n}", f"s{n}", "chat", 3, n * 10 + 1, n * 10 + 5, attributes=attributes))
    return spans


@pytest.mark.parametrize("shape", [flat, deep, nested, alone])
def test_time_is_linear_in_spans(shape: Any) -> None:
    """Ten times the spans take about ten times as long (a quadratic step would take a hundred times as long)."""

    def took(count: int) -> float:
        trace = Trace("default", "t", shape(count))
        begun = time.process_time()
        normalise(trace, JUDGE)
        return time.process_time() - begun

    small = min(took(2_000) for _ in range(3))

    assert took(20_000) <= 40 * small + 0.2


def test_a_trace_of_a_hundred_thousand_spans() -> None:
    """A very long trace is one trace: every call is there."""
    spans = flat(1000) + [
        Span("t", f"h{n}", f"{n % 1000:016x}", "GET", 3, n, n + 1, attributes={"http.request.method": "GET"})
        for n in range(99_000)
    ]
    calls = normalise(gather(spans)[0], JUDGE)

    assert sum(len(call.upstream) for call in calls) == 99_000
    assert sum(len(call.members) for call in calls) == 1000
