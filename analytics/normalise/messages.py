"""Tool calls and their answers as the model's messages show them, in every shape that frameworks record.

One walk over the decoded messages, without recursion, recognises the parts by their own keys: GenAI message parts,
OpenAI chat and responses, Anthropic, Bedrock and Strands, Gemini and ADK, LangChain, Haystack, the AI SDK.
"""

from __future__ import annotations

from typing import Any

from analytics.normalise.exchange import Exchange, Request, Response, with_ids
from analytics.normalise.values import MISSING, as_text
from telltale.payload.wrappers import Unwrapped, decode, unwrap

MAX_NODES = 200_000
"""Most lists and objects looked at in one set of messages."""

_NESTED = (dict, list)


def read_messages(sent: Any) -> Exchange:
    """Tool calls and answers in a message list, as JSON text or structured. Never raises."""
    found = Exchange()
    if isinstance(sent, str) and not _may_hold_parts(sent):
        return found
    value = _decoded(sent)
    if not isinstance(value, dict | list):
        return found
    stack: list[Any] = [value]
    seen = 0
    while stack and seen < MAX_NODES:
        node = stack.pop()
        seen += 1
        if isinstance(node, dict):
            before = len(found.responses)
            if not _part(node, found):
                stack += [child for child in reversed(node.values()) if isinstance(child, _NESTED)]
            if len(found.responses) > before:
                for response in found.responses[before:]:
                    response.after = len(found.requests)
        else:
            stack += [child for child in reversed(node) if isinstance(child, _NESTED)]
    return with_ids(found)


def last_response(sent: Any) -> Any:
    """The content of the last answer in a message list; None where there is none."""
    responses = [response for response in read_messages(sent).responses if response.content is not MISSING]
    return responses[-1].content if responses else None


def _may_hold_parts(text: str) -> bool:
    """Whether a JSON text can hold a tool call or an answer: every name that marks one has one of two words in it.

    Most messages are a conversation without tools, and need no decoding. An escape may hide a letter of a name.
    """
    return "tool" in text or "function" in text or "\\u" in text


def _decoded(sent: Any) -> Any:
    if isinstance(sent, str):
        if sent[:1] not in "[{" and sent[:1] != '"':
            return None
        found = decode(sent)
        return found if isinstance(found, dict | list) else None
    return sent


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _part(node: dict[str, Any], found: Exchange) -> bool:
    """Note the tool calls and answers that this very object is; False where its children should be looked at."""
    kind = node.get("type")
    if isinstance(kind, str) and (kind in _PARTS or kind == "text"):
        return _PARTS.get(kind, _printed)(node, found)
    if "tool_call_id" in node and "content" in node and (node["tool_call_id"] is not None or _is_answer(node)):
        found.responses.append(Response(_text(node["tool_call_id"]), _text(node.get("name")), node))
        return True
    for key, reader in _HOLDERS:
        inner = node.get(key)
        if isinstance(inner, dict):
            reader(inner, found)
            return len(node) <= 3
    if "toolCallId" in node and "toolName" in node:
        return _ai_call(node, found)
    if isinstance(node.get("tool_calls"), list):
        for call in node["tool_calls"]:
            if isinstance(call, dict):
                _chat_call(call, found)
        return not any(isinstance(node.get(key), dict | list) for key in ("content", "parts", "messages"))
    return False


def _is_answer(node: dict[str, Any]) -> bool:
    """Whether a message without a call id is a tool's: MLflow writes the key, empty, on every message."""
    return bool(node.get("role", "tool") == "tool")


def _ask(found: Exchange, call_id: Any, tool: Any, arguments: Any) -> bool:
    if not isinstance(tool, str) or not tool:
        return False
    found.requests.append(Request(_text(call_id), tool, arguments))
    return True


def _chat_call(node: dict[str, Any], found: Exchange) -> bool:
    """OpenAI `{"id", "function": {"name", "arguments"}}`, LangChain `{"id", "name", "args"}`, and like them."""
    function = node.get("function")
    inner = function if isinstance(function, dict) else node
    arguments = inner.get("arguments", inner.get("args", inner.get("input")))
    call_id = node.get("call_id") or node.get("id") or node.get("toolCallId")
    if call_id is None and arguments is None:
        return False  # a tool's definition
    return _ask(found, call_id, inner.get("name", inner.get("toolName")), arguments)


def _genai_response(node: dict[str, Any], found: Exchange) -> bool:
    content = node if "response" in node or "result" in node else MISSING
    found.responses.append(Response(_text(node.get("id")), _text(node.get("name")), content))
    return True


def _ai_call(node: dict[str, Any], found: Exchange) -> bool:
    return _ask(found, node.get("toolCallId"), node.get("toolName"), node.get("input", node.get("args")))


def _ai_result(node: dict[str, Any], found: Exchange) -> bool:
    found.responses.append(Response(_text(node.get("toolCallId")), _text(node.get("toolName")), node))
    return True


def _printed(node: dict[str, Any], found: Exchange) -> bool:
    """A text part that holds an assistant's whole message as data: OpenTelemetry's OpenAI Agents instrumentation."""
    text = node.get("content")
    if not isinstance(text, str) or text[:1] != "{" or "tool_calls" not in text:
        return False
    message = decode(text)
    if isinstance(message, dict) and message.get("role") == "assistant" and isinstance(message.get("tool_calls"), list):
        return _part(message, found)
    return False


def _anthropic_result(node: dict[str, Any], found: Exchange) -> bool:
    found.responses.append(Response(_text(node.get("tool_use_id")), None, node))
    return True


def _output(node: dict[str, Any], found: Exchange) -> bool:
    found.responses.append(Response(_text(node.get("call_id")), None, node))
    return True


def _langchain_tool(node: dict[str, Any], found: Exchange) -> bool:
    inner = node.get("data") if isinstance(node.get("data"), dict) else node
    if not isinstance(inner, dict) or "content" not in inner:
        return False
    found.responses.append(Response(_text(inner.get("tool_call_id")), _text(inner.get("name")), node))
    return True


def _tool_use(node: dict[str, Any], found: Exchange) -> None:
    _ask(found, node.get("toolUseId"), node.get("name"), node.get("input"))


def _tool_result(node: dict[str, Any], found: Exchange) -> None:
    found.responses.append(Response(_text(node.get("toolUseId")), None, node))


def _gemini_call(node: dict[str, Any], found: Exchange) -> None:
    _ask(found, node.get("id"), node.get("name"), node.get("args", node.get("arguments")))


def _gemini_response(node: dict[str, Any], found: Exchange) -> None:
    found.responses.append(Response(_text(node.get("id")), _text(node.get("name")), node))


def _haystack_call(node: dict[str, Any], found: Exchange) -> None:
    _ask(found, node.get("id"), node.get("tool_name"), node.get("arguments"))


def _haystack_result(node: dict[str, Any], found: Exchange) -> None:
    origin = node.get("origin")
    origin = origin if isinstance(origin, dict) else {}
    found.responses.append(Response(_text(origin.get("id")), _text(origin.get("tool_name")), node))


_PARTS = {
    "tool_call": _chat_call,
    "function": _chat_call,
    "function_call": _chat_call,
    "tool_use": _chat_call,
    "tool_call_response": _genai_response,
    "tool-call": _ai_call,
    "tool-result": _ai_result,
    "tool-error": _ai_result,
    "tool_result": _anthropic_result,
    "function_call_output": _output,
    "tool": _langchain_tool,
}
_HOLDERS = (
    ("toolUse", _tool_use),
    ("toolResult", _tool_result),
    ("function_call", _gemini_call),
    ("functionCall", _gemini_call),
    ("function_response", _gemini_response),
    ("functionResponse", _gemini_response),
    ("tool_call", _haystack_call),
    ("tool_call_result", _haystack_result),
)


def shown(content: Any) -> str | None:
    """The text that a model was given, out of an answer's part or message; None where it was not recorded."""
    if content is MISSING or isinstance(content, str):
        return None if content is MISSING else content
    return shown_in(unwrap(content))


def shown_in(found: Unwrapped) -> str | None:
    """The same out of an answer that is unwrapped already."""
    return found.text if found.text is not None else as_text(found.value)
