"""What was missing is said, with the switch that would capture it; a cut value is not a whole one."""

from __future__ import annotations

from typing import Any

from analytics.normalise import LogicalCall, normalise
from analytics.settings import JudgeSettings
from analytics.spans import Event, Span, Trace
from telltale.payload.wrappers import MAX_READ
from telltale.vocabulary import Payload


def call_of(scope: str = "x", **more: Any) -> LogicalCall:
    """The call of one tool span."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", **more.pop("attributes", {})}
    span = Span("t", "s", "", "execute_tool search", 1, 0, 1, attributes=attributes, scope_name=scope, **more)
    [call] = normalise(Trace("default", "t", [span]), JudgeSettings())
    return call


def lost(call: LogicalCall) -> dict[str, str]:
    """What → switch."""
    return {what: switch for what, _, switch in (line.partition(": ") for line in call.lost)}


def test_each_framework_names_its_own_switch() -> None:
    """The scope decides whose switch is named."""
    assert lost(call_of("agent_framework"))["result"] == "ENABLE_SENSITIVE_DATA=true"
    assert lost(call_of("pydantic-ai"))["result"] == "InstrumentationSettings(include_content=True)"
    assert "telltale.guard" in lost(call_of("autogen-core"))["result"]
    assert "capture_content" in lost(call_of("telltale"))["result"]
    assert "telltale.conversation" in lost(call_of("telltale"))["session"]


def test_nothing_is_lost_where_everything_stands() -> None:
    """Arguments, result and session recorded: no line."""
    attributes = {
        "gen_ai.tool.call.arguments": "{}",
        "gen_ai.tool.call.result": "[]",
        "gen_ai.conversation.id": "c",
    }
    assert call_of(attributes=attributes).lost == []


def test_a_raising_tool_had_no_result_to_record() -> None:
    """An exception is the end of a call; only its text may be missing."""
    raised = call_of("pydantic-ai", status_code=2, events=[Event("exception", 0, {"exception.type": "E"})])
    told = call_of("pydantic-ai", status_code=2, events=[Event("exception", 0, {"exception.message": "boom"})])

    assert "result" not in lost(raised)
    assert lost(raised)["error text"] == "InstrumentationSettings(include_content=True)"
    assert "error text" not in lost(told)


def test_a_cut_result_is_truncated() -> None:
    """Cut at the receiver's cap, or in the middle of its JSON by the sender's limit."""
    key = "gen_ai.tool.call.result"
    capped = call_of(attributes={key: "some text"}, cut={key: 90_000})
    limited = call_of(attributes={key: '{"rows": [1, 2'})

    assert (capped.payload, limited.payload) == (Payload.TRUNCATED, Payload.TRUNCATED)
    assert "cap" in lost(capped)["result cut"]
    assert "OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT" in lost(limited)["result cut"]


def test_dropped_attributes_are_named() -> None:
    """A span that lost attributes to the SDK's limit says so."""
    assert "OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT" in lost(call_of(dropped_attributes=3))["attributes"]


def test_scrubbed_results_are_absent() -> None:
    """What Logfire put in the place of a value is no value."""
    call = call_of(attributes={"gen_ai.tool.call.result": "[Scrubbed due to 'auth']"})

    assert call.payload is Payload.ABSENT
    assert "scrubbed" in lost(call)


def test_a_result_beyond_what_is_read_counts_as_cut() -> None:
    """A result longer than the receiver would keep is truncated by the judge itself, and the row says so."""
    call = call_of(attributes={"gen_ai.tool.call.result": '{"items": "' + "x" * MAX_READ + '"}'})

    assert call.payload is Payload.TRUNCATED
    assert lost(call)["result cut"] == "the judge reads 256 KiB of it"
