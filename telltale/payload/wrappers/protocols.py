"""The wrappers of protocols and model APIs: JSON-RPC, MCP, Bedrock, Anthropic, OpenAI, Gemini, AI SDK."""

from __future__ import annotations

from typing import Any

from telltale.payload.wrappers.blocks import RESPONSES, is_block, is_printed_block, text_of
from telltale.payload.wrappers.noting import FLAGS, note_call, note_flags
from telltale.payload.wrappers.unwrapped import Unwrapped

_MCP_KEYS = frozenset(
    {"content", "structuredContent", "structured_content", "isError", "is_error", "meta", "_meta", "resultType"}
)
_TYPED: dict[str, tuple[str, tuple[str, ...]]] = {
    "tool_result": ("tool_use_id", ("content", "output")),
    "function_call_output": ("call_id", ("output",)),
    "tool_call_response": ("id", ("response", "result")),
    "tool-result": ("toolCallId", ("output", "result")),
    "tool-error": ("toolCallId", ("error",)),
}
STATES = frozenset({"success", "error", "interrupted", "denied", "running"})
"""How AgentScope says that an execution ended."""

_OUTPUT_TYPES = frozenset({"json", "text", "content", "error-text", "error-json", "execution-denied"})


def json_rpc(value: dict[str, Any], found: Unwrapped) -> bool:
    """A JSON-RPC 2.0 response (§5): the result, or the error object with a mark."""
    if "jsonrpc" not in value or not ("result" in value or "error" in value):
        return False
    error = value.get("error")
    if error is not None:
        found.marks.append(("jsonrpc.error", error.get("code") if isinstance(error, dict) else error))
        found.value = {"error": error}
    else:
        found.value = value.get("result")
    return True


def call_tool_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """MCP CallToolResult (also as dumped by SDKs in snake case): structured content first, else the blocks."""
    content = value.get("content")
    structured = value.get("structuredContent", value.get("structured_content"))
    if structured is None and not isinstance(content, list) and "structuredContent" not in value:
        return False
    if "result" in value and "structuredContent" in value and len(value) == 2:
        content = value["result"]
    elif not _is_result(value, content, structured):
        return False
    note_flags(value, found)
    if structured is not None:
        found.value = structured
        found.text = text_of(content) or found.text
    else:
        found.value = _with_error_beside(value, content)
    return True


def _is_result(value: dict[str, Any], content: Any, structured: Any) -> bool:
    """Whether an object has MCP's keys alone, or content blocks beside its flag."""
    known = value.keys() <= _MCP_KEYS
    if structured is not None and known:
        return True
    flagged = known or any(isinstance(value.get(name), bool) for name in FLAGS)
    return flagged and isinstance(content, list) and all(is_block(b) or is_printed_block(b) for b in content)


def _with_error_beside(value: dict[str, Any], content: Any) -> Any:
    """The content blocks; or, where an adapter's own object beside them bears an error, that object with their text."""
    for key, inner in value.items():
        if key not in _MCP_KEYS and isinstance(inner, dict) and inner.get("error"):
            return {"message": text_of(content) or "", **inner}
    return content


def pascal_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """MCP CallToolResult as .NET writes it without its naming policy: `{"Content": [{"Type", "Text"}], "IsError"}`."""
    content = value.get("Content")
    if not isinstance(content, list) or not isinstance(value.get("IsError"), bool):
        return False
    blocks = [
        {str(key)[:1].lower() + str(key)[1:]: inner for key, inner in block.items()}
        if isinstance(block, dict)
        else block
        for block in content
    ]
    found.marks.append(("isError", value["IsError"]))
    found.value = value["StructuredContent"] if value.get("StructuredContent") is not None else blocks
    return True


def bedrock_tool_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Bedrock and Strands `{"toolUseId", "status", "content"}`, alone or under `toolResult`."""
    inner = value.get("toolResult") if len(value) == 1 else value
    if not isinstance(inner, dict) or "toolUseId" not in inner or "content" not in inner:
        return False
    if isinstance(inner.get("status"), str):
        found.marks.append(("tool_result.status", inner["status"]))
    note_call(inner, found, "toolUseId", "name")
    found.value = inner["content"]
    return True


def typed_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Parts that name themselves: tool_result, function_call_output, tool_call_response, tool-result, tool-error."""
    kind = value.get("type")
    entry = _TYPED.get(kind) if isinstance(kind, str) else None
    if entry is None:
        return False
    key = next((k for k in entry[1] if k in value), None)
    if key is None:
        return False
    note_flags(value, found)
    if kind == "tool-error":
        found.marks.append(("output.type", "tool-error"))
    state = value.get("state")
    if kind == "tool_result" and isinstance(state, str) and state.lower() in STATES:  # AgentScope's ToolResultBlock
        found.marks.append(("tool_result.status", state.lower()))
    note_call(value, found, entry[0] if entry[0] in value else "id", "toolName" if "toolName" in value else "name")
    found.value = value[key]
    return True


def typed_output(value: dict[str, Any], found: Unwrapped) -> bool:
    """AI SDK tool output `{"type": "json" | "text" | "error-text" | …, "value"}`."""
    kind = value.get("type")
    if (
        not isinstance(kind, str)
        or kind not in _OUTPUT_TYPES
        or not ("value" in value or "reason" in value)
        or len(value) > 3
    ):
        return False
    found.marks.append(("output.type", kind))
    found.value = value.get("value", value.get("reason"))
    return True


def gemini_content(value: dict[str, Any], found: Unwrapped) -> bool:
    """Gemini Content `{"parts": [{"function_response": …}], "role"}`, alone or in an event of ADK."""
    content = value.get("content") if "parts" not in value else value
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], dict):
        return False
    inner = next((parts[0][key] for key in RESPONSES if isinstance(parts[0].get(key), dict)), None)
    if inner is None or "response" not in inner:
        return False
    note_call(inner, found, "id", "name")
    found.value = inner["response"]
    return True


def cli_response(value: dict[str, Any], found: Unwrapped) -> bool:
    """Gemini CLI's answer to a call: the parts for the model, beside what the terminal showed."""
    parts = value.get("responseParts")
    if not isinstance(parts, list) or not isinstance(value.get("callId"), str):
        return False
    note_call(value, found, "callId", "")
    found.value = parts
    return True


def function_response(value: dict[str, Any], found: Unwrapped) -> bool:
    """Gemini FunctionResponse `{"id", "name", "response"}`, as ADK's instrumentation records it."""
    if "response" not in value or not isinstance(value.get("name"), str) or len(value) > 5:
        return False
    if any(key not in ("id", "name", "response", "will_continue", "scheduling", "parts") for key in value):
        return False
    note_call(value, found, "id", "name")
    found.value = value["response"]
    return True
