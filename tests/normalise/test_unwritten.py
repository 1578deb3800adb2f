"""Tool spans whose attributes were never written, because the tool raised before."""

from __future__ import annotations

from typing import Any

from analytics.normalise import normalise
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace

SCOPE = "some.framework"
WRITTEN = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}


def span(name: str, number: int, scope: str = SCOPE, parent: str = "", **attributes: Any) -> Span:
    """A span that starts as the one of that number, one millisecond long."""
    start = number * 10_000_000
    return Span(
        "t", f"{number:016x}", parent, name, 1, start, start + 1_000_000, attributes=attributes, scope_name=scope
    )


def tools(*spans: Span) -> list[tuple[str, int]]:
    """The calls of a trace: tool and number of spans, in order of start."""
    calls = normalise(Trace("default", "t", list(spans), []), JudgeSettings())
    return [(call.tool, len(call.members)) for call in calls]


def test_the_name_that_the_conventions_give_every_tool_span() -> None:
    """`execute_tool X` on any scope, with nothing beside it or with what tells no kind: one call each."""
    assert tools(span("execute_tool search", 1), span("execute_tool fetch", 2, **{"error.type": "E"})) == [
        ("search", 1),
        ("fetch", 1),
    ]


def test_a_scope_names_its_tool_spans_as_its_others() -> None:
    """What stands around the tool's name is learnt from the scope's tool spans, for that scope alone."""
    sibling = span("running tool: search", 1, **WRITTEN)
    behind = span("search [tool]", 2, "other.framework", **WRITTEN)

    assert tools(sibling, span("running tool: fetch", 3)) == [("search", 1), ("fetch", 1)]
    assert tools(behind, span("fetch [tool]", 3, "other.framework")) == [("search", 1), ("fetch", 1)]
    assert tools(sibling, span("running tool: fetch", 3, "other.framework")) == [("search", 1)]
    assert tools(span("running tool: fetch", 3), span("chat m", 4, **{"gen_ai.operation.name": "chat"})) == []


def test_what_is_no_tool_span() -> None:
    """A bare name, a method's name, more than one word, and a span that says what it is are not taken for calls."""
    bare = span("search", 1, **WRITTEN)
    method = span("search.run", 2, **WRITTEN)

    assert tools(bare, span("setup_tools", 3), span("fetch_tool", 4)) == [("search", 1)]
    assert tools(method, span("toolbox.run", 3)) == [("search", 1)]
    assert tools(span("execute_tool (merged tools)", 1), span("execute_tool ", 2), span("execute_tools x", 3)) == []
    assert tools(span("execute_tool search", 1, **{"gen_ai.operation.name": "invoke_agent"})) == []


def test_a_silent_span_around_a_call_is_no_second_call() -> None:
    """A framework's span without attributes and an instrumentation's span below it are one call."""
    outer = span("execute_tool search", 1)
    outer.end_ns += 100_000_000

    assert tools(outer, span("search", 2, "openinference.instrumentation.x", outer.span_id, **WRITTEN)) == [
        ("search", 2)
    ]
