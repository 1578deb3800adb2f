"""Messages that are spread over attributes, `<prefix>.N.…`: OpenInference's way, and OpenLLMetry's older names."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from analytics.normalise.exchange import Exchange, Request, Response, with_ids

_ANSWERING = frozenset({"tool", "function"})
"""Roles of a message that answers a call, also where it has no call id."""


def read_flattened(attributes: Mapping[str, Any], prefix: str) -> Exchange:
    """Tool calls and answers in the messages below a prefix."""
    messages: dict[tuple[str, str], dict[str, Any]] = {}
    calls: dict[tuple[str, str], dict[str, Any]] = {}
    start = len(prefix) + 1
    for key, value in attributes.items():
        if not key.startswith(prefix):
            continue
        number, _, rest = key[start:].partition(".")
        rest = rest.removeprefix("message.")
        if rest.startswith("tool_calls."):
            index, _, name = rest[11:].partition(".")
            name = name.removeprefix("tool_call.").removeprefix("function.")
            calls.setdefault((number, index), {})[name] = value
        elif rest in ("role", "content", "tool_call_id", "name") or rest.endswith("message_content.text"):
            messages.setdefault((number, ""), {})[rest.rpartition(".")[2]] = value
        if rest.startswith("contents."):  # BeeAI's messages hold the call id on each of their parts
            part, name = rest.split(".", 2)[1], rest.rpartition(".")[2]
            if name in ("tool_call_id", "text"):
                messages.setdefault((number, part), {})[name] = value
    return _exchange(messages, calls)


def _exchange(
    messages: Mapping[tuple[str, str], Mapping[str, Any]], calls: Mapping[tuple[str, str], Mapping[str, Any]]
) -> Exchange:
    found = Exchange()
    asked_in: list[int] = []
    for (number, _), call in sorted(calls.items(), key=lambda item: _place(item[0][0])):
        if isinstance(call.get("name"), str):
            found.requests.append(Request(_text(call.get("id")), call["name"], call.get("arguments")))
            asked_in.append(_place(number))
    for (number, _), message in messages.items():
        name = _text(message.get("name"))
        if "tool_call_id" in message or (name is not None and message.get("role") in _ANSWERING):
            content = message.get("content", message.get("text"))
            after = bisect_left(asked_in, _place(number))
            found.responses.append(Response(_text(message.get("tool_call_id")), name, content, after))
    return with_ids(found)


def _place(number: str) -> int:
    """A message's place in its list, out of the name of an attribute."""
    return int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 0


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
