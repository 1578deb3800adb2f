"""LangWatch SDK: `langwatch.span.type`; values as `{"type", "value"}`; the tool's name is the span's name."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, whole_name

LANGWATCH = Convention(
    name="langwatch",
    kinds={
        "langwatch.span.type": {
            "tool": Kind.TOOL,
            "llm": Kind.MODEL,
            "agent": Kind.AGENT,
            "chain": Kind.STEP,
            "workflow": Kind.STEP,
        }
    },
    tool=("gen_ai.tool.name",),
    tool_of=whole_name,
    arguments=("langwatch.input",),
    result=("langwatch.output",),
    session=("langwatch.thread.id",),
    user=("langwatch.user.id",),
    messages_in=("langwatch.input",),
    messages_out=("langwatch.output",),
)
