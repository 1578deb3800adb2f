"""LangSmith's OpenTelemetry mode (`LANGSMITH_OTEL_ENABLED=true`).

Status OK may be set before the run ends, so that the `exception` event decides. `langsmith.trace.session_name` is a
project, not a session.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, whole_name

_HIDDEN = "LANGSMITH_HIDE_INPUTS and LANGSMITH_HIDE_OUTPUTS unset or false"

LANGSMITH = Convention(
    name="langsmith",
    kinds={"langsmith.span.kind": {"tool": Kind.TOOL, "llm": Kind.MODEL, "chain": Kind.STEP, "embedding": Kind.MODEL}},
    tool=("gen_ai.tool.name",),
    tool_of=whole_name,
    call_id=("gen_ai.tool.call.id",),
    arguments=("gen_ai.prompt",),
    result=("gen_ai.completion",),
    placeholders=frozenset({"{}"}),
    session=(
        "langsmith.metadata.session_id",
        "langsmith.metadata.conversation_id",
        "langsmith.metadata.thread_id",
    ),
    user=("langsmith.metadata.user_id",),
    agent=("langsmith.metadata.lc_agent_name",),
    model=("langsmith.metadata.ls_model_name",),
    switches={
        "arguments": _HIDDEN,
        "result": _HIDDEN,
        "session": "config={'metadata': {'session_id': …}} on invoke",
    },
)
