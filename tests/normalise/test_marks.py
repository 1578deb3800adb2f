"""Marks: what spans and wrappers say of a call, each with its meaning."""

from __future__ import annotations

from typing import Any

import pytest

from analytics.normalise import LogicalCall, Meaning, normalise
from analytics.settings import JudgeSettings
from analytics.spans import Event, Span, Trace


def call_of(**more: Any) -> LogicalCall:
    """The call of one tool span."""
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search", **more.pop("attributes", {})}
    span = Span("t", "s", "", "execute_tool search", 1, 0, 1, attributes=attributes, **more)
    [call] = normalise(Trace("default", "t", [span]), JudgeSettings())
    return call


def meanings(call: LogicalCall) -> dict[str, Meaning]:
    """Meaning by name."""
    return {mark.name: mark.meaning for mark in call.marks}


def test_status_ok_is_no_claim() -> None:
    """An unset or OK status says nothing; ERROR says that it failed, with its message."""
    assert call_of(status_code=1).marks == []
    [mark] = call_of(status_code=2, status_message="boom").marks

    assert (mark.name, mark.value, mark.meaning) == ("span.status", "boom", Meaning.FAILED)


def test_an_exception_speaks_under_status_ok() -> None:
    """Two copies of one exception are one mark, whatever the status."""
    event = Event("exception", 0, {"exception.type": "E", "exception.message": "boom"})

    assert [mark.value for mark in call_of(status_code=1, events=[event, event]).marks] == [
        {"type": "E", "message": "boom"}
    ]


@pytest.mark.parametrize(
    "kind",
    [
        "GraphInterrupt",
        "langgraph.errors.ParentCommand",
        "pydantic_ai.exceptions.ApprovalRequired",
        "InterruptException",
    ],
)
def test_steering_is_not_failing(kind: str) -> None:
    """Interrupts, hand-offs and approvals leave ERROR spans behind tools that did not fail."""
    event = Event("exception", 0, {"exception.type": kind, "exception.message": ""})
    call = call_of(status_code=2, events=[event], attributes={"error.type": kind})

    assert set(meanings(call).values()) == {Meaning.CONTROL_FLOW}


RESULTS: list[tuple[str, dict[str, Meaning]]] = [
    ('{"content": [], "isError": true}', {"isError": Meaning.FAILED}),
    ('{"content": [], "isError": false}', {"isError": Meaning.CLAIMED_OK}),
    ('{"type": "execution-denied", "reason": "no"}', {"output.type": Meaning.REFUSED}),
    ('{"type": "error-text", "value": "no"}', {"output.type": Meaning.FAILED}),
    ('{"type": "text", "value": "yes"}', {}),
    ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "m"}}', {"jsonrpc.error": Meaning.FAILED}),
    ('{"type": "tool", "data": {"content": "x", "tool_call_id": "c", "status": "success"}}', {}),
    ('{"status": "error"}', {}),
]


@pytest.mark.parametrize(("result", "expected"), RESULTS)
def test_wrappers_speak_and_values_do_not(result: str, expected: dict[str, Meaning]) -> None:
    """A protocol's flag is a mark; the tool's own words are for the payload rules."""
    assert meanings(call_of(attributes={"gen_ai.tool.call.result": result})) == expected


def test_a_response_code_of_the_protocol_is_a_mark() -> None:
    """JSON-RPC's error number on an MCP span says that the call failed; zero does not."""
    assert meanings(call_of(attributes={"rpc.response.status_code": "-32603"})) == {
        "rpc.response.status_code": Meaning.FAILED
    }
    assert call_of(attributes={"rpc.response.status_code": "0"}).marks == []
