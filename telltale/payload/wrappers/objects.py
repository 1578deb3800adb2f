"""Takes one wrapper off an object: a table of small functions, each of which knows one shape.

Each function looks at one object; if it is its wrapper, it notes the marks, moves `found.value` one layer in and
returns True. The order of `_WRAPPERS` matters: the more telling shapes stand first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telltale.payload.words import words
from telltale.payload.wrappers import frameworks, protocols
from telltale.payload.wrappers.blocks import is_block
from telltale.payload.wrappers.noting import FLAGS, note_flags
from telltale.payload.wrappers.unwrapped import Unwrapped

_SOLE_KEYS = frozenset({"result", "output", "response", "return_value", "returnValue", "json"})


def peel_object(value: dict[str, Any], found: Unwrapped) -> bool:
    """Take one known wrapper off an object; False where it is the tool's own value."""
    if value.keys().isdisjoint(_TRIGGERS):
        return False
    for name, peel in _WRAPPERS:
        if peel(value, found):
            found.wrappers.append(name)
            return True
    return False


def _kind_text(value: dict[str, Any], found: Unwrapped) -> bool:
    """A text part that calls its type a kind: `{"kind": "text", "content": "…"}`."""
    if value.get("kind") != "text" or len(value) != 2:
        return False
    text = value.get("content", value.get("text"))
    if not isinstance(text, str):
        return False
    found.value = text
    return True


def _sole(value: dict[str, Any], found: Unwrapped) -> bool:
    """`{"result": …}` and its like, with nothing beside it but an error flag or LangChain's run arguments."""
    keys = [key for key in value if key in _SOLE_KEYS]
    others = [key for key in value if key not in _SOLE_KEYS]
    if len(keys) != 1 or any(not (k == "kwargs" or (k in FLAGS and isinstance(value[k], bool))) for k in others):
        return False
    note_flags(value, found)
    found.value = value[keys[0]]
    return True


def _single_block(value: dict[str, Any], found: Unwrapped) -> bool:
    """One content block that stands without its list."""
    if value.get("type") not in ("text", "input_text", "output_text") or not is_block(value):
        return False
    found.value = value["text"]
    return True


_WRAPPERS: tuple[tuple[str, Callable[[dict[str, Any], Unwrapped], bool]], ...] = (
    ("jsonrpc", protocols.json_rpc),
    ("mcp.call_tool_result", protocols.call_tool_result),
    ("langchain.tool_message", frameworks.tool_message),
    ("llama_index.tool_output", frameworks.llama_output),
    ("bedrock.tool_result", protocols.bedrock_tool_result),
    ("typed_result", protocols.typed_result),
    ("typed_output", protocols.typed_output),
    ("haystack.tool_call_result", frameworks.tool_call_result),
    ("autogen.execution_result", frameworks.execution_result),
    ("agentscope.tool_response", frameworks.tool_response),
    ("browser_use.action_result", frameworks.action_result),
    ("semantic_kernel.function_result", frameworks.function_result),
    ("gemini.content", protocols.gemini_content),
    ("mcp.call_tool_result.pascal", protocols.pascal_result),
    ("content_block.kind", _kind_text),
    ("gemini.cli_response", protocols.cli_response),
    ("gemini.function_response", protocols.function_response),
    ("langgraph.command", frameworks.command),
    ("result", _sole),
    ("content_block", _single_block),
)
_TRIGGERS = words(
    """
    jsonrpc content structuredContent structured_content isError type lc raw_output extracted_content messages
    content_type parts Content kind json role toolUseId toolResult response result output update return_value
    returnValue responseParts
    """
)
"""One of these keys is in every wrapper; most objects are none, and are told so at once."""
