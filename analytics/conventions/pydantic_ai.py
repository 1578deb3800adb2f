"""Pydantic AI: GenAI names (span format 3 and later), `tool_arguments`/`tool_response` in format 2 and before.

Format 1 puts all messages of a model call, given and answered, into one list of `events`.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, MarkRule

_CONTENT = "InstrumentationSettings(include_content=True)"

PYDANTIC_AI = Convention(
    name="pydantic_ai",
    kinds={"tool_arguments": {ANY: Kind.TOOL}, "tool_response": {ANY: Kind.TOOL}},
    scopes=("pydantic-ai", "logfire"),
    named=("pydantic-ai",),
    tool=("gen_ai.tool.name",),
    arguments=("tool_arguments",),
    result=("tool_response",),
    marks=(
        MarkRule("pydantic_ai.tool.retry.cause", failed=(ANY,)),
        MarkRule("pydantic_ai.tool.failure_stage", failed=(ANY,)),
    ),
    messages_in=("events",),
    messages_out=("events",),
    switches={
        "arguments": _CONTENT,
        "result": _CONTENT,
        "error text": _CONTENT,
        "session": "agent.run(…, conversation_id=…)",
    },
)
