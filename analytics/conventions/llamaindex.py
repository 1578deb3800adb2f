"""LlamaIndex: its own spans, and OpenLLMetry's instrumentation of it (OpenInference's writes OpenInference's names).

LlamaIndex's own spans (`llama-index-observability-otel`) hold the event of each step as a Python repr, cut at 200
characters: of a call's result its beginning at most. OpenLLMetry writes every span as a `task`; the
agent's step bears the tool's name, and `{"tool_name", "tool_kwargs", "tool_id", "tool_output"}` as its output.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from analytics.conventions.convention import ANY, Convention, Kind
from analytics.spans import Span

_EVENT = "llamaindex.step.input_summary"
_OUTPUT = "traceloop.entity.output"
_NAME = re.compile(r"ToolCall\(tool_name='([^'\\]{1,200})'")


def _named_in_event(span: Span) -> str | None:
    """The tool's name at the head of an event that was cut."""
    event = span.attributes.get(_EVENT)
    found = _NAME.match(event) if isinstance(event, str) else None
    return found[1] if found else None


def _told_in_output(span: Span) -> tuple[Any, bool] | None:
    """The first block of what a step handed on, and whether its end was cut off."""
    output = next((event.attributes.get("output") for event in span.events if event.name == "step.output"), None)
    found = _BLOCKS.search(output) if isinstance(output, str) else None
    if found is None or not isinstance(output, str):
        return None
    if found["quote"] is None:
        return ([], False) if output.startswith("]", found.end()) else None
    text, cut = found["text"], not found["end"]
    if cut:
        text = text.removesuffix("...")
    try:
        return ast.literal_eval(f"{found['quote']}{text}{found['quote']}"), cut
    except (SyntaxError, ValueError):  # cut within an escape
        return text, cut


_BLOCKS = re.compile(
    r"tool_output=ToolOutput\(blocks=\[(?:TextBlock\(block_type='text', text="
    r"(?P<quote>['\"])(?P<text>(?:\\.|(?!(?P=quote))[^\\])*)(?P<end>(?P=quote))?)?",
    re.DOTALL,
)


LLAMAINDEX = Convention(
    name="llamaindex",
    kinds={"llamaindex.step.input_event": {"toolcall": Kind.TOOL}},
    tool=(f"{_EVENT}#tool_name",),
    tool_of=_named_in_event,
    call_id=(f"{_EVENT}#tool_id",),
    arguments=(f"{_EVENT}#tool_kwargs",),
    result_of=_told_in_output,
    switches={
        "result": "LlamaIndex cuts it: instrument with openinference-instrumentation-llama-index",
        "session": "LlamaIndex records none: set session.id with a span processor",
    },
)

LLAMAINDEX_TRACELOOP = Convention(
    name="traceloop",
    kinds={"tool.name": {ANY: Kind.TOOL}, "traceloop.entity.name": {"functiontool.task": Kind.TOOL}},
    scopes=("opentelemetry.instrumentation.llamaindex",),
    named=("opentelemetry.instrumentation.llamaindex",),
    tool=("tool.name", f"{_OUTPUT}#tool_name"),
    call_id=(f"{_OUTPUT}#tool_id",),
    arguments=("tool.arguments", f"{_OUTPUT}#tool_kwargs", "traceloop.entity.input"),
    result=(f"{_OUTPUT}#tool_output", _OUTPUT),
    switches={
        "arguments": "TRACELOOP_TRACE_CONTENT unset or true",
        "result": "TRACELOOP_TRACE_CONTENT unset or true",
        "session": "Traceloop.set_association_properties({'session_id': …, 'user_id': …})",
    },
)
