"""What every wrapper notes on its way off: the flag of an error, the call's id, the tool's name."""

from __future__ import annotations

from typing import Any

from telltale.payload.wrappers.unwrapped import Unwrapped

FLAGS = ("isError", "is_error")


def note_flags(value: dict[str, Any], found: Unwrapped) -> None:
    for name in FLAGS:
        if isinstance(value.get(name), bool):
            found.marks.append((name, value[name]))


def note_call(value: dict[str, Any], found: Unwrapped, call_id: str, tool: str) -> None:
    if isinstance(value.get(call_id), str):
        found.call_id = found.call_id or value[call_id]
    if isinstance(value.get(tool), str):
        found.tool = found.tool or value[tool]
