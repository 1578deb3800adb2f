"""The objects that protocols and frameworks put around a tool's value, one small function each.

Each function looks at one object; if it is its wrapper, it notes the marks, moves `found.value` one layer in and
returns True. The order of `_WRAPPERS` matters: the more telling shapes stand first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from telltale.payload.blocks import RESPONSES, is_block, text_of

if TYPE_CHECKING:
    from telltale.payload.unwrap import Unwrapped

_MCP_KEYS = frozenset(
    {"content", "structuredContent", "structured_content", "isError", "is_error", "meta", "_meta", "resultType"}
)
_MESSAGE_KEYS = frozenset(
    {"content", "name", "status", "id", "type", "artifact", "additional_kwargs", "response_metadata", "tool_call_id"}
)
"""LangChain's ToolMessage; some exporters leave the call's id out."""

_SOLE_KEYS = frozenset({"result", "output", "response", "return_value", "returnValue", "json"})
_FLAGS = ("isError", "is_error")


def peel_object(value: dict[str, Any], found: Unwrapped) -> bool:
    """Take one known wrapper off an object; False where it is the tool's own value."""
    if value.keys().isdisjoint(_TRIGGERS):
        return False
    for name, peel in _WRAPPERS:
        if peel(value, found):
            found.wrappers.append(name)
            return True
    return False


def _flags(value: dict[str, Any], found: Unwrapped) -> None:
    for name in _FLAGS:
        if isinstance(value.get(name), bool):
            found.marks.append((name, value[name]))


def _note(value: dict[str, Any], found: Unwrapped, call_id: str, tool: str) -> None:
    if isinstance(value.get(call_id), str):
        found.call_id = found.call_id or value[call_id]
    if isinstance(value.get(tool), str):
        found.tool = found.tool or value[tool]


def _json_rpc(value: dict[str, Any], found: Unwrapped) -> bool:
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


def _call_tool_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """MCP CallToolResult (also as dumped by SDKs in snake case): structured content first, else the blocks."""
    content = value.get("content")
    structured = value.get("structuredContent", value.get("structured_content"))
    if structured is None and not isinstance(content, list) and "structuredContent" not in value:
        return False
    if "result" in value and "structuredContent" in value and len(value) == 2:
        content = value["result"]
    elif not _is_result(value, content, structured):
        return False
    _flags(value, found)
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
    flagged = known or any(isinstance(value.get(name), bool) for name in _FLAGS)
    return flagged and isinstance(content, list) and all(is_block(block) for block in content)


def _with_error_beside(value: dict[str, Any], content: Any) -> Any:
    """The content blocks; or, where an adapter's own object beside them bears an error, that object with their text."""
    for key, inner in value.items():
        if key not in _MCP_KEYS and isinstance(inner, dict) and inner.get("error"):
            return {"message": text_of(content) or "", **inner}
    return content


def _bedrock_tool_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Bedrock and Strands `{"toolUseId", "status", "content"}`, alone or under `toolResult`."""
    inner = value.get("toolResult") if len(value) == 1 else value
    if not isinstance(inner, dict) or "toolUseId" not in inner or "content" not in inner:
        return False
    if isinstance(inner.get("status"), str):
        found.marks.append(("tool_result.status", inner["status"]))
    _note(inner, found, "toolUseId", "name")
    found.value = inner["content"]
    return True


def _typed_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Parts that name themselves: tool_result, function_call_output, tool_call_response, tool-result, tool-error."""
    kind = value.get("type")
    entry = _TYPED.get(kind) if isinstance(kind, str) else None
    if entry is None:
        return False
    key = next((k for k in entry[1] if k in value), None)
    if key is None:
        return False
    _flags(value, found)
    if kind == "tool-error":
        found.marks.append(("output.type", "tool-error"))
    _note(value, found, entry[0], "toolName" if "toolName" in value else "name")
    found.value = value[key]
    return True


def _typed_output(value: dict[str, Any], found: Unwrapped) -> bool:
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


def _tool_message(value: dict[str, Any], found: Unwrapped) -> bool:
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
    _note(inner, found, "tool_call_id", "name")
    artifact = inner.get("artifact")
    structured = artifact.get("structured_content") if isinstance(artifact, dict) else None
    if structured is not None:
        found.text = text_of(inner["content"]) or found.text
    found.value = structured if structured is not None else inner["content"]
    return True


def _command(value: dict[str, Any], found: Unwrapped) -> bool:
    """LangGraph Command that carries the tool's message in its update, or a node's state that ends in it."""
    update = value if value.keys() == {"messages"} else value.get("update")
    messages = update.get("messages") if isinstance(update, dict) else None
    if not isinstance(messages, list) or not messages or not isinstance(messages[-1], dict):
        return False
    if update is value and "tool" not in (messages[-1].get("type"), messages[-1].get("role")):
        return False
    found.value = messages[-1]
    return True


def _llama_output(value: dict[str, Any], found: Unwrapped) -> bool:
    """LlamaIndex ToolOutput: `raw_output` is the value, blocks or content are what the model was shown."""
    if "raw_output" not in value or not ("blocks" in value or "content" in value):
        return False
    _flags(value, found)
    _note(value, found, "", "tool_name")
    found.text = text_of(value.get("blocks", value.get("content"))) or found.text
    raw = value["raw_output"]
    found.value = found.text if raw is None and found.text not in (None, "None") else raw
    return True


def _tool_call_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Haystack ToolCallResult `{"result", "origin", "error"}`; only its raised flag is a mark."""
    if "origin" not in value or "result" not in value or not isinstance(value.get("error"), bool) or len(value) > 4:
        return False
    if value["error"]:
        found.marks.append(("is_error", True))
    found.value = value["result"]
    return True


def _execution_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """AutoGen FunctionExecutionResult `{"content", "name", "call_id", "is_error"}`, as JSON or printed by pydantic."""
    if value.keys() - {"content", "name", "call_id", "is_error", "type"} or not isinstance(value.get("call_id"), str):
        return False
    if "content" not in value or not ("is_error" in value or "name" in value):
        return False
    _flags(value, found)
    _note(value, found, "call_id", "name")
    found.value = value["content"]
    return True


def _action_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Browser Use ActionResult: what the model is shown is the text in `extracted_content`, unless an error is set."""
    if "is_done" not in value or not isinstance(value.get("extracted_content"), str) or value.get("error"):
        return False
    found.value = value["extracted_content"]
    return True


def _function_result(value: dict[str, Any], found: Unwrapped) -> bool:
    """Semantic Kernel FunctionResultContent."""
    if value.get("content_type") != "function_result" or "result" not in value:
        return False
    _note(value, found, "id", "name")
    found.value = value["result"]
    return True


def _gemini_content(value: dict[str, Any], found: Unwrapped) -> bool:
    """Gemini Content `{"parts": [{"function_response": …}], "role"}`, alone or in an event of ADK."""
    content = value.get("content") if "parts" not in value else value
    parts = content.get("parts") if isinstance(content, dict) else None
    if not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], dict):
        return False
    inner = next((parts[0][key] for key in RESPONSES if isinstance(parts[0].get(key), dict)), None)
    if inner is None or "response" not in inner:
        return False
    _note(inner, found, "id", "name")
    found.value = inner["response"]
    return True


def _pascal_result(value: dict[str, Any], found: Unwrapped) -> bool:
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


def _kind_text(value: dict[str, Any], found: Unwrapped) -> bool:
    """A text part that calls its type a kind: `{"kind": "text", "content": "…"}`."""
    if value.get("kind") != "text" or len(value) != 2:
        return False
    text = value.get("content", value.get("text"))
    if not isinstance(text, str):
        return False
    found.value = text
    return True


def _function_response(value: dict[str, Any], found: Unwrapped) -> bool:
    """Gemini FunctionResponse `{"id", "name", "response"}`, as ADK's instrumentation records it."""
    if "response" not in value or not isinstance(value.get("name"), str) or len(value) > 5:
        return False
    if any(key not in ("id", "name", "response", "will_continue", "scheduling", "parts") for key in value):
        return False
    _note(value, found, "id", "name")
    found.value = value["response"]
    return True


def _sole(value: dict[str, Any], found: Unwrapped) -> bool:
    """`{"result": …}` and its like, with nothing beside it but an error flag or LangChain's run arguments."""
    keys = [key for key in value if key in _SOLE_KEYS]
    others = [key for key in value if key not in _SOLE_KEYS]
    if len(keys) != 1 or any(not (k == "kwargs" or (k in _FLAGS and isinstance(value[k], bool))) for k in others):
        return False
    _flags(value, found)
    found.value = value[keys[0]]
    return True


def _single_block(value: dict[str, Any], found: Unwrapped) -> bool:
    """One content block that stands without its list."""
    if value.get("type") not in ("text", "input_text", "output_text") or not is_block(value):
        return False
    found.value = value["text"]
    return True


_TYPED: dict[str, tuple[str, tuple[str, ...]]] = {
    "tool_result": ("tool_use_id", ("content",)),
    "function_call_output": ("call_id", ("output",)),
    "tool_call_response": ("id", ("response", "result")),
    "tool-result": ("toolCallId", ("output", "result")),
    "tool-error": ("toolCallId", ("error",)),
}
_OUTPUT_TYPES = frozenset({"json", "text", "content", "error-text", "error-json", "execution-denied"})

_WRAPPERS: tuple[tuple[str, Callable[[dict[str, Any], Unwrapped], bool]], ...] = (
    ("jsonrpc", _json_rpc),
    ("mcp.call_tool_result", _call_tool_result),
    ("langchain.tool_message", _tool_message),
    ("llama_index.tool_output", _llama_output),
    ("bedrock.tool_result", _bedrock_tool_result),
    ("typed_result", _typed_result),
    ("typed_output", _typed_output),
    ("haystack.tool_call_result", _tool_call_result),
    ("autogen.execution_result", _execution_result),
    ("browser_use.action_result", _action_result),
    ("semantic_kernel.function_result", _function_result),
    ("gemini.content", _gemini_content),
    ("mcp.call_tool_result.pascal", _pascal_result),
    ("content_block.kind", _kind_text),
    ("gemini.function_response", _function_response),
    ("langgraph.command", _command),
    ("result", _sole),
    ("content_block", _single_block),
)
_TRIGGERS = frozenset(
    {
        *("jsonrpc", "content", "structuredContent", "structured_content", "isError", "type", "lc", "raw_output"),
        *(
            *("extracted_content", "messages", "content_type", "parts", "Content", "kind", "json", "role"),
            "toolUseId",
            "toolResult",
            "response",
            "result",
            "output",
            "update",
            "return_value",
            "returnValue",
        ),
    }
)
