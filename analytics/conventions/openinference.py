"""OpenInference (Arize), all its instrumentations: https://github.com/Arize-ai/openinference/tree/main/spec.

`tool.parameters` holds the arguments in some instrumentations (ADK, Agno) and the JSON schema in others, so that it is
read last, and not at all where it looks like a schema. `input.value` is what the tool was given.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, whole_name
from analytics.spans import Span

_KINDS = {
    "tool": Kind.TOOL,
    "llm": Kind.MODEL,
    "embedding": Kind.MODEL,
    "agent": Kind.AGENT,
    "chain": Kind.STEP,
}


def _tool(span: Span) -> str | None:
    """The span's name, but not a hand-off between agents, which is recorded with the same kind."""
    return None if span.name.startswith("handoff to ") else whole_name(span)


_MODEL_ONLY = (
    "llm.model_name",
    "llm.provider",
    "llm.invocation_parameters",
    "llm.output_messages.0.message.role",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id",
)
_SHOWN = "OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS unset or false"

OPENINFERENCE = Convention(
    name="openinference",
    kinds={
        "openinference.span.kind": _KINDS,
        "tool.name": {ANY: Kind.TOOL},
        # What is left of a model span whose kind fell to the limit of 128 attributes.
        **{key: {ANY: Kind.MODEL} for key in _MODEL_ONLY},
    },
    tool=("tool.name",),
    tool_of=_tool,
    call_id=("tool.id", "tool_call.id"),
    arguments=("input.value", "tool.parameters"),
    result=("output.value",),
    placeholders=frozenset({"__REDACTED__"}),
    session=("session.id",),
    user=("user.id",),
    agent=("agent.name", "agno.agent", "graph.node.id"),
    model=("llm.model_name",),
    messages_in=("llm.input_messages", "input.value"),
    messages_out=("llm.output_messages", "output.value"),
    switches={
        "arguments": _SHOWN,
        "result": _SHOWN,
        "session": "wrap the run in openinference.instrumentation.using_attributes(session_id=…, user_id=…)",
    },
)

SMOLAGENTS = Convention(
    name="smolagents",
    named=("openinference.instrumentation.smolagents", "openlit.instrumentation.smolagents"),
    skip=frozenset({"final_answer"}),
)
