"""Answers that came without a call id, beside calls that have one."""

from __future__ import annotations

from typing import Any

from analytics.normalise.flattened import read_flattened
from analytics.normalise.messages import read_messages


def asks(*calls: str) -> dict[str, Any]:
    """A model's message that asks for calls, each `id:tool`."""
    parts = [{"function_call": {"id": c.partition(":")[0], "name": c.partition(":")[2], "args": {}}} for c in calls]
    return {"role": "model", "parts": parts}


def answers(*given: str) -> dict[str, Any]:
    """The message that answers, each `tool=value` or `id:tool=value`."""
    parts = []
    for each in given:
        name, _, value = each.partition("=")
        call_id, _, tool = name.rpartition(":")
        part = {"name": tool, "response": {"result": value}} | ({"id": call_id} if call_id else {})
        parts.append({"function_response": part})
    return {"role": "user", "parts": parts}


def paired(*messages: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Call id and value of each answer, in their order."""
    return [(r.call_id, r.content["response"]["result"]) for r in read_messages(list(messages)).responses]


def test_calls_of_one_tool_are_answered_in_their_order() -> None:
    """Of several calls, the first of an answer's tool is the one it answers, also where tools are mixed."""
    asked = asks("c1:search", "c2:fetch", "c3:search")

    assert paired(asked, answers("search=a", "fetch=b", "search=c")) == [("c1", "a"), ("c2", "b"), ("c3", "c")]
    assert paired(asked, answers("fetch=b", "search=a")) == [("c2", "b"), ("c1", "a")]


def test_an_answer_belongs_to_what_was_asked_last() -> None:
    """A call that was never answered does not take the answer of a later one."""
    history = [asks("c1:search"), {"role": "user", "parts": [{"text": "again"}]}, answers("fetch=x")]

    assert paired(*history, asks("c2:search"), answers("search=b")) == [(None, "x"), ("c2", "b")]


def test_ids_that_are_there_stay() -> None:
    """An answer with an id keeps it, and its call takes no other; without any id nothing is made up."""
    assert paired(asks("c1:search", "c2:search"), answers("c1:search=a", "search=b")) == [("c1", "a"), ("c2", "b")]
    assert paired(asks(":search"), answers("search=a")) == [(None, "a")]
    assert paired(asks("c1:search"), answers("fetch=a")) == [(None, "a")]


def test_the_same_in_messages_that_are_spread_over_attributes() -> None:
    """OpenInference's messages of Google's SDK: a tool's message has a name and no id."""
    flat = {
        "llm.input_messages.1.message.role": "model",
        "llm.input_messages.1.message.tool_calls.0.tool_call.id": "c1",
        "llm.input_messages.1.message.tool_calls.0.tool_call.function.name": "search",
        "llm.input_messages.10.message.role": "model",
        "llm.input_messages.10.message.tool_calls.0.tool_call.id": "c2",
        "llm.input_messages.10.message.tool_calls.0.tool_call.function.name": "search",
        "llm.input_messages.2.message.role": "tool",
        "llm.input_messages.2.message.name": "search",
        "llm.input_messages.2.message.content": "a",
        "llm.input_messages.11.message.role": "tool",
        "llm.input_messages.11.message.name": "search",
        "llm.input_messages.11.message.content": "b",
        "llm.input_messages.12.message.role": "user",
        "llm.input_messages.12.message.name": "search",
        "llm.input_messages.12.message.content": "no answer",
    }

    found = [(r.call_id, r.content) for r in read_flattened(flat, "llm.input_messages").responses]
    assert found == [("c1", "a"), ("c2", "b")]
