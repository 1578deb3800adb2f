"""Tool calls and answers in every message shape, read by their own keys."""

from __future__ import annotations

import json
from typing import Any

import pytest

from analytics.normalise.flattened import read_flattened
from analytics.normalise.messages import read_messages, shown

ARGUMENTS = {"city": "Paris"}
TEXT = json.dumps(ARGUMENTS)

SHAPES: dict[str, list[dict[str, Any]]] = {
    "genai": [
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "w", "arguments": ARGUMENTS}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}]},
    ],
    "openai chat": [
        {"role": "assistant", "tool_calls": [{"id": "c1", "function": {"name": "w", "arguments": TEXT}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ],
    "openai responses": [
        {"type": "function_call", "id": "fc_9", "call_id": "c1", "name": "w", "arguments": TEXT},
        {"type": "function_call_output", "call_id": "c1", "output": "sunny"},
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "w", "input": ARGUMENTS}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "sunny"}]},
    ],
    "bedrock": [
        {"role": "assistant", "content": [{"toolUse": {"toolUseId": "c1", "name": "w", "input": ARGUMENTS}}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c1", "content": [{"text": "sunny"}]}}]},
    ],
    "gemini": [
        {"role": "model", "parts": [{"function_call": {"id": "c1", "name": "w", "args": ARGUMENTS}}]},
        {"role": "user", "parts": [{"function_response": {"id": "c1", "name": "w", "response": {"result": "sunny"}}}]},
    ],
    "ai sdk": [
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "w", "input": ARGUMENTS}],
        },
        {
            "role": "tool",
            "content": [
                {
                    "type": "tool-result",
                    "toolCallId": "c1",
                    "toolName": "w",
                    "output": {"type": "text", "value": "sunny"},
                }
            ],
        },
    ],
    "langchain": [
        {"type": "ai", "data": {"content": "", "tool_calls": [{"id": "c1", "name": "w", "args": ARGUMENTS}]}},
        {"type": "tool", "data": {"content": "sunny", "name": "w", "tool_call_id": "c1", "status": "success"}},
    ],
    "langchain serialised": [
        {"lc": 1, "kwargs": {"type": "ai", "tool_calls": [{"id": "c1", "name": "w", "args": ARGUMENTS}]}},
        {"lc": 1, "kwargs": {"type": "tool", "content": "sunny", "tool_call_id": "c1"}},
    ],
    "haystack": [
        {"role": "assistant", "content": [{"tool_call": {"tool_name": "w", "arguments": ARGUMENTS, "id": "c1"}}]},
        {
            "role": "tool",
            "content": [{"tool_call_result": {"result": "sunny", "origin": {"id": "c1"}, "error": False}}],
        },
    ],
}


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_gives_the_same_exchange(name: str) -> None:
    """One call asked for, one answer given, under one id; as values and as JSON text."""
    for sent in (SHAPES[name], json.dumps(SHAPES[name]), json.dumps({"messages": SHAPES[name]})):
        found = read_messages(sent)
        assert [(r.call_id, r.tool) for r in found.requests] == [("c1", "w")]
        assert [(r.call_id, shown(r.content)) for r in found.responses] == [("c1", "sunny")]
        arguments = found.requests[0].arguments
        assert (json.loads(arguments) if isinstance(arguments, str) else arguments) == ARGUMENTS


def test_definitions_of_tools_are_no_requests() -> None:
    """What a model is offered is not what it asks for."""
    offer = {"tools": [{"type": "function", "function": {"name": "w", "parameters": {}}}], "messages": []}

    assert read_messages(offer).requests == []
    assert read_messages({"config": {"tools": [{"function_declarations": [{"name": "w"}]}]}}).requests == []


def test_messages_spread_over_attributes() -> None:
    """OpenInference's numbered attributes, in whatever order, with some of them dropped."""
    attributes = {
        "llm.input_messages.3.message.tool_call_id": "c1",
        "llm.input_messages.3.message.content": "sunny",
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": TEXT,
        "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "w",
        "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
        "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c0",
        "llm.input_messages": "not a message",
    }
    found = read_flattened(attributes, "llm.input_messages")

    assert [(r.call_id, r.tool, r.arguments) for r in found.requests] == [("c1", "w", TEXT)]
    assert [(r.call_id, r.content) for r in found.responses] == [("c1", "sunny")]


@pytest.mark.parametrize("sent", [None, 5, "", "hello", "[", "[[[[", {"a": {"b": []}}, [None, 1], b"x"])
def test_anything_else_is_no_exchange(sent: Any) -> None:
    """Text, numbers and odd shapes give nothing, and raise nothing."""
    found = read_messages(sent)

    assert (found.requests, found.responses) == ([], [])
