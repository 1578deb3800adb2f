"""The wrappers of frameworks: LangChain, LlamaIndex, Haystack, AutoGen, AgentScope, Browser Use, Semantic Kernel."""

from __future__ import annotations

from typing import Any

from telltale.payload.wrappers.blocks import is_block, text_of
from telltale.payload.wrappers.noting import note_call, note_flags
from telltale.payload.wrappers.protocols import STATES
from telltale.payload.wrappers.unwrapped import Unwrapped

_MESSAGE_KEYS = frozenset(
    {"content", "name", "status", "id", "type", "artifact", "additional_kwargs", "response_metadata", "tool_call_id"}
)
"""LangChain's ToolMessage; some exporters leave the call's id out."""


def tool_message(value: dict[str, Any], found: Unwrapped) -> bool:
    """LangChain ToolMessage: a message, `{"type": "tool", "data": …}`, or a serialised `{"lc": 1, "kwargs": …}`."""
    inner = value
    if value.get("type") == "tool" and isinstance(value.get("data"), dict):
        inner = value["data"]
    elif value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        inner = value["kwargs"]
    named = isinstance(inner.get("name"), str) and inner.get("status") in ("success", "error")
    typed = (
        "tool_call_id" in inner
        or "tool" in (inner.get("type"), inner.get("role"))
        or (named and inner.keys() <= _MESSAGE_KEYS)
    )
    if "content" not in inner or not typed:
        return False
    if isinstance(inner.get("status"), str):
        found.marks.append(("tool_message.status", inner["status"]))
    note_call(inner, found, "tool_call_id", "name")
    artifact = inner.get("artifact")
    structured = artifact.get("structured_content") if isinstance(artifact, dict) else None
    if structured is not None:
        found.text = text_of(inner["content"]) or found.text
    found.value = structured if structured is not None else inner["content"]
    return True


def command(value: dict[str, Any], found: Unwrapped) -> bool:
    """LangGraph Command that carries the tool's message in its update, or a node's state that ends in it."""
    update = value if value.keys() == {"messages"} else value.get("update")
    messages = update.get("messages") if isinstance(update, dict) else None
    if not isinstance(messages, list) or not messages or not isinstance(messages[-1], dict):
        return False
    if update is value and "tool" not in (messages[-1].get("type"), messages[-1].get("role")):
        return False
    found.value = messages[-1]
    return True


def llama_output(value: dict[str, Any], found: Unwrapped) -> bool:
    """LlamaIndex ToolOutput: `raw_output` is the value, blocks or content are what the model was shown."""
    if "raw_output" not in value or not ("blocks" in value or "content" in value):
        return False
    note_flags(value, found)
    note_call(value, found, "", "tool_name")
    found.text = text_of(value.get("blocks", value.get("content"))) or found.text
    raw = value["raw_output"]
    found.value = found.text if raw is None and found.text not in (None, "None") else raw
    return True


def tool_call_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Haystack ToolCallResult `{"result", "origin", "error"}`; only its raised flag is a mark."""
    if "origin" not in value or "result" not in value or not isinstance(value.get("error"), bool) or len(value) > 4:
        return False
    if value["error"]:
        found.marks.append(("is_error", True))
    found.value = value["result"]
    return True


def execution_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """AutoGen FunctionExecutionResult `{"content", "name", "call_id", "is_error"}`, as JSON or printed by pydantic."""
    if value.keys() - {"content", "name", "call_id", "is_error", "type"} or not isinstance(value.get("call_id"), str):
        return False
    if "content" not in value or not ("is_error" in value or "name" in value):
        return False
    note_flags(value, found)
    note_call(value, found, "call_id", "name")
    found.value = value["content"]
    return True


_RESPONSE_KEYS = frozenset({"content", "state", "metadata", "id", "is_last", "is_interrupted", "stream"})


def tool_response(value: dict[str, Any], found: Unwrapped) -> bool:
    """AgentScope ToolResponse: content blocks, and beside them how the execution ended: `state`, or flags (version 1).

    The version before had no state: there `is_interrupted` and `is_last` stand beside the blocks.
    """
    content, state = value.get("content"), value.get("state")
    if not isinstance(content, list) or not value.keys() <= _RESPONSE_KEYS:
        return False
    staged = isinstance(value.get("is_interrupted"), bool) and isinstance(value.get("is_last"), bool)
    if not (staged or (isinstance(state, str) and state in STATES)) or not all(is_block(block) for block in content):
        return False
    if isinstance(state, str):
        found.marks.append(("tool_result.status", state))
    elif value.get("is_interrupted") is True:
        found.marks.append(("tool_result.status", "interrupted"))
    found.value = content
    return True


def action_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Browser Use ActionResult: what the model is shown is the text in `extracted_content`, unless an error is set."""
    if "is_done" not in value or not isinstance(value.get("extracted_content"), str) or value.get("error"):
        return False
    found.value = value["extracted_content"]
    return True


def function_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Semantic Kernel FunctionResultContent."""
    if value.get("content_type") != "function_result" or "result" not in value:
        return False
    note_call(value, found, "id", "name")
    found.value = value["result"]
    return True
