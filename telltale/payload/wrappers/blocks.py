"""Content blocks (MCP, Anthropic, OpenAI, Gemini): which objects are some, and what they hold."""

from __future__ import annotations

from typing import Any

from telltale.payload.wrappers.decode import decode
from telltale.payload.wrappers.unwrapped import Unwrapped

RESPONSES = ("functionResponse", "function_response")
"""Gemini's part that holds a tool's response."""

_BLOCK_TYPES = frozenset(
    {
        "error",
        "text",
        "image",
        "audio",
        "resource",
        "resource_link",
        "json",
        "input_text",
        "output_text",
        "image_url",
        "file",
    }
)
_ITEM_KEYS = frozenset({"json", "binary", "pairedItem"})
"""An item of n8n, which wraps what a node gave."""

_BARE_BLOCKS = frozenset({"text", "json", "image", "document", "video", *RESPONSES})


def peel_blocks(blocks: list[Any], found: Unwrapped) -> bool:
    """Take content blocks off: one text block gives its text, several give a list or their lines joined."""
    if blocks and all(is_printed_block(block) for block in blocks):
        blocks = [decode(block) for block in blocks]
    if not blocks or not all(is_block(block) for block in blocks):
        return False
    found.wrappers.append("content_blocks")
    if any(block.get("type") == "error" for block in blocks):
        found.marks.append(("block.type", "error"))
    parts = [_block_value(block) for block in blocks if not _is_picture(block)] or list(blocks)
    if len(parts) == 1:
        found.value = parts[0]
    elif all(isinstance(part, str) for part in parts):
        found.value = _joined(parts)
    else:
        found.value = parts
    return True


def is_printed_block(block: Any) -> bool:
    """Whether a text is a content block as pydantic prints it: `type='text' text='…' annotations=None`."""
    return isinstance(block, str) and block.startswith("type='text' text=")


def _is_picture(block: dict[str, Any]) -> bool:
    """Whether a block holds nothing to read: what stands beside it is the answer."""
    return block.get("type") in ("image", "image_url", "audio", "data")


def is_block(block: Any) -> bool:
    """Whether an object is one content block."""
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    if kind is None and isinstance(block.get("json"), dict) and block.keys() <= _ITEM_KEYS:
        return True
    if kind is None:
        return len(block) == 1 and not _BARE_BLOCKS.isdisjoint(block)
    if kind in ("error", "text", "input_text", "output_text"):
        return isinstance(block.get("text"), str) and len(block) <= 6
    if kind == "data":
        return isinstance(block.get("source"), dict)
    return isinstance(kind, str) and kind in _BLOCK_TYPES


def _block_value(block: dict[str, Any]) -> Any:
    for key in ("text", "json", *RESPONSES):
        if key in block:
            return block[key]
    return block


def _joined(parts: list[str]) -> Any:
    """Text blocks: as many JSON objects become a list of texts (each a value of its own), prose is joined by lines."""
    if all(part[:1] == "{" and part.rstrip()[-1:] == "}" for part in parts):
        return "[" + ",".join(parts) + "]"
    return "\n".join(parts)


def text_of(content: Any) -> str | None:
    """The text that content blocks show, None where they show none."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [b["text"] for b in content if isinstance(b, dict) and isinstance(b.get("text"), str)]
    return "\n".join(texts) if texts else None
