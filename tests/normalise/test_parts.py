"""The inner side of a call that is recorded as a step, and log records that tell of calls."""

from __future__ import annotations

from typing import Any

from analytics.normalise import LogicalCall, normalise
from analytics.settings import JudgeSettings
from analytics.spans import ERROR, LogRecord, Span, Trace

MS = 1_000_000
CLAUDE = "com.anthropic.claude_code.tracing"


def span(place: tuple[str, str], begin: int, end: int, scope: str = "x", status: int = 0, **attributes: Any) -> Span:
    """One span, at its id and its parent's; `__` in the names of attributes stands for a dot."""
    span_id, parent = place
    names = {key.replace("__", "."): value for key, value in attributes.items()}
    return Span(
        *("t", span_id, parent, f"step {span_id}", 1, begin * MS, end * MS),
        status_code=status,
        status_message="the calendar is closed" if status else "",
        attributes=names,
        scope_name=scope,
    )


def tool(span_id: str, begin: int, end: int, call_id: str) -> Span:
    """The outer side of a call, in the names of the GenAI conventions."""
    return span(
        *((span_id, ""), begin, end),
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="book",
        gen_ai__tool__call__id=call_id,
    )


def calls_of(spans: list[Span], logs: list[LogRecord] | None = None) -> list[LogicalCall]:
    """The calls of one trace."""
    return normalise(Trace("p", "t", spans, logs or []), JudgeSettings())


def failed(call: LogicalCall) -> list[str]:
    """The names of the marks that say of a call that it failed."""
    return [mark.name for mark in call.marks if mark.meaning.value == "failed"]


def test_a_step_with_the_calls_own_id_says_how_it_ended() -> None:
    """In any framework: the failure of a step that bears the call's id is the call's, and nothing that it reached."""
    outer = tool("a", 0, 100, "c1")
    own = span(("b", "a"), 10, 90, status=ERROR, gen_ai__tool__call__id="c1")
    other = span(("b", "a"), 10, 90, status=ERROR, gen_ai__tool__call__id="c2")

    (call,) = calls_of([outer, own])
    assert (failed(call), len(call.members), call.upstream) == (["span.status"], 2, [])
    (call,) = calls_of([outer, other])
    assert (failed(call), len(call.members), len(call.upstream)) == ([], 1, 1), "another call's, or a step of its own"


def test_of_several_attempts_the_last_decides() -> None:
    """An attempt that failed before one that did not is no failure of the call."""
    attempts = [
        span(("b", "a"), 10, 40, status=ERROR, gen_ai__tool__call__id="c1"),
        span(("c", "a"), 50, 90, gen_ai__tool__call__id="c1"),
    ]

    (call,) = calls_of([tool("a", 0, 100, "c1"), *attempts])

    assert failed(call) == []
    assert [each.span_id for each in call.upstream] == ["b"]


def record(ms: int, call_id: str, **attributes: Any) -> LogRecord:
    """Claude Code's record of a call that is over."""
    scope = "com.anthropic.claude_code.events"
    return LogRecord(
        "t", "", "tool_result", ms * MS, attributes={"tool_use_id": call_id, **attributes}, scope_name=scope
    )


def claude(span_id: str, begin: int, end: int, call_id: str) -> Span:
    """Claude Code's span of a call."""
    return span((span_id, ""), begin, end, CLAUDE, span__type="tool", tool_name="Bash", tool_use_id=call_id)


def test_a_call_that_was_refused() -> None:
    """A no on Claude Code's wait for permission is a refusal; a yes is none, and what was run after it counts."""
    wait = {"span__type": "tool.blocked_on_user"}

    def waited(decision: str) -> Span:
        step = span(("b", "a"), 10, 20, CLAUDE, decision=decision, **wait)
        step.name = "claude_code.tool.blocked_on_user"
        return step

    ran = span(("c", "a"), 30, 90, CLAUDE, status=ERROR, success="false", span__type="tool.execution")
    ran.name = "claude_code.tool.execution"

    (call,) = calls_of([claude("a", 0, 100, "c1"), waited("reject")])
    assert [(mark.name, mark.meaning.value) for mark in call.marks] == [("decision", "refused")]
    (call,) = calls_of([claude("a", 0, 100, "c1"), waited("accept"), ran])
    assert "refused" not in [mark.meaning.value for mark in call.marks]
    assert "success" in failed(call)


def test_a_record_goes_to_the_call_of_its_time() -> None:
    """Where ids come again, each call takes the record written at its end, and each record is of one call."""
    spans = [claude("a", 0, 100, "c1"), claude("b", 60_000, 60_100, "c1"), claude("c", 120_000, 120_100, "c1")]
    logs = [
        record(60_101, "c1", success="false", error="no such file", tool_input='{"command": "cat x"}'),
        record(101, "c1", success="true", tool_input='{"command": "ls"}'),
    ]

    first, second, third = calls_of(spans, logs)

    assert (first.arguments, failed(first)) == ({"command": "ls"}, [])
    assert (second.arguments, failed(second)) == ({"command": "cat x"}, ["log tool_result success"])
    assert second.told == "no such file"
    assert (third.arguments_text, failed(third)) == (None, [])


def test_records_of_other_scopes_say_nothing() -> None:
    """An app's own record under the same event name is none of the framework's."""
    foreign = record(101, "c1", success="false")
    foreign.scope_name = "app"

    (call,) = calls_of([claude("a", 0, 100, "c1")], [foreign])

    assert call.marks == []
