"""What unwrapping yields: the tool's own value, and what was found on the way to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_LAYERS = 16
"""Most layers (an encoding or a wrapper each) taken off one result."""

MAX_DEPTH = 100
"""Deepest nesting of a decoded value; a deeper one stays text, so that whoever walks it may recurse."""

MAX_READ = 262_144
"""Most characters of one text that are read, as many as the receiver keeps of one; what is beyond counts as cut off."""


@dataclass(slots=True)
class Unwrapped:
    """The tool's own value, and what was found on the way to it.

    Attributes:
        value: None, bool, int, float, str, list or dict, nested at most `MAX_DEPTH` deep.
        marks: `(name, value)` as wrappers gave them, outermost first: `isError`, `is_error`, `tool_message.status`,
            `tool_result.status`, `output.type`, `block.type`, `jsonrpc.error`. A flag that says all is well is a
            mark too.
        wrappers: the names of the layers taken off, outermost first (`json`, `python`, `mcp.call_tool_result`, …).
        text: the text blocks that stood beside a structured value (what a model was shown), None where there are none.
        trailing: text after a JSON object, on lines of its own (a harness's remark), None where there is none.
        call_id: the model's call id, where a wrapper gave it.
        tool: the tool's name, where a wrapper gave it.
        cut: the text begins as JSON and ends in the middle of it, or goes on beyond `MAX_READ`: the value is the text,
            as far as it was read.
    """

    value: Any
    marks: list[tuple[str, Any]] = field(default_factory=list)
    wrappers: list[str] = field(default_factory=list)
    text: str | None = None
    trailing: str | None = None
    call_id: str | None = None
    tool: str | None = None
    cut: bool = False
