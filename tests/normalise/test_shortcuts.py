"""Shortcuts of the reader of messages leave nothing out."""

from __future__ import annotations

import json

import pytest

from analytics.normalise.messages import _HOLDERS, _PARTS, read_messages

CALL = {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "find", "arguments": {}}]}


def test_every_mark_of_a_part_has_one_of_the_words_that_the_reader_looks_for() -> None:
    """A text without these words is not decoded, so no name of a part may lack both."""
    names = [*_PARTS, *(key for key, _ in _HOLDERS), "tool_call_id", "toolCallId", "toolName", "tool_calls"]

    assert [name for name in names if "tool" not in name and "function" not in name] == []


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([CALL]),
        json.dumps([CALL]).replace("tool_call", "\\u0074ool_call"),
        json.dumps(json.dumps([CALL])),
        json.dumps(json.dumps([CALL]).replace("tool_call", "\\u0074ool_call")),
    ],
    ids=["plain", "escaped", "JSON in JSON", "escaped within"],
)
def test_a_call_is_found_however_its_letters_are_written(text: str) -> None:
    """Escapes and a second layer of JSON hide no call."""
    assert [request.call_id for request in read_messages(text).requests] == ["c1"]


def test_a_conversation_without_tools_holds_none() -> None:
    """Nothing is found in plain messages, whatever they hold."""
    assert read_messages('[{"role": "user", "content": [{"type": "text", "text": "hello"}]}]').requests == []
