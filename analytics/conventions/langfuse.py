"""Langfuse SDK 3 and later (`langfuse.observation.*`). The tool's name is the span's name.

Its LangChain handler copies the run's metadata to every span, as JSON texts under `langfuse.trace.metadata.`.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule, whole_name

_IO = "@observe(capture_input=True, capture_output=True)"

LANGFUSE = Convention(
    name="langfuse",
    kinds={
        "langfuse.observation.type": {
            "tool": Kind.TOOL,
            "generation": Kind.MODEL,
            "embedding": Kind.MODEL,
            "agent": Kind.AGENT,
            "chain": Kind.STEP,
        }
    },
    tool_of=whole_name,
    call_id=("langfuse.observation.metadata.tool_call_id",),
    arguments=("langfuse.observation.input",),
    result=("langfuse.observation.output",),
    marks=(MarkRule("langfuse.observation.level", failed=("error",)),),
    session=(
        "langfuse.session.id",
        "session.id",
        "langfuse.trace.metadata.session_id",
        "langfuse.trace.metadata.thread_id",
    ),
    user=("langfuse.user.id", "user.id", "langfuse.trace.metadata.user_id"),
    agent=("langfuse.observation.metadata.lc_agent_name", "langfuse.trace.metadata.lc_agent_name"),
    model=("langfuse.observation.model.name",),
    messages_in=("langfuse.observation.input",),
    messages_out=("langfuse.observation.output",),
    switches={
        "arguments": _IO,
        "result": _IO,
        "session": "propagate_attributes(session_id=…, user_id=…) around the run",
        "upstream": "attach Langfuse's processor to your own provider: its own exporter drops HTTP spans",
    },
)
