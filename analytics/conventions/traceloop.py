"""OpenLLMetry (Traceloop): `traceloop.*` attributes, beside GenAI names in newer versions.

The LangChain instrumentation writes one wrapper `{"input_str", "inputs", "kwargs", …}` as the arguments. The MCP
instrumentation writes no output at all for an empty list; the value then stands on the inner `ResponseStreamWriter`.
That of Agno prints Agno's own record of the execution, `status='success' result=… error=None …`.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule, whole_name
from analytics.spans import Span

_CONTENT = "TRACELOOP_TRACE_CONTENT unset or true"


def _entity(span: Span) -> str | None:
    name = whole_name(span)
    return name.removesuffix(".tool") if name else None


TRACELOOP = Convention(
    name="traceloop",
    kinds={
        "traceloop.span.kind": {
            "tool": Kind.TOOL,
            "agent": Kind.AGENT,
            "workflow": Kind.STEP,
            "task": Kind.STEP,
        },
        "llm.request.type": {"chat": Kind.MODEL, "completion": Kind.MODEL, "embedding": Kind.MODEL},
    },
    tool=("traceloop.entity.name",),
    tool_of=_entity,
    arguments=("traceloop.entity.input",),
    result=("traceloop.entity.output",),
    session=(
        "traceloop.association.properties.session_id",
        "traceloop.association.properties.conversation_id",
        "traceloop.association.properties.thread_id",
        "traceloop.association.properties.chat_id",
    ),
    user=("traceloop.association.properties.user_id",),
    agent=("traceloop.association.properties.lc_agent_name", "traceloop.workflow.name"),
    model=("traceloop.association.properties.ls_model_name",),
    switches={
        "arguments": _CONTENT,
        "result": _CONTENT,
        "session": "Traceloop.set_association_properties({'session_id': …, 'user_id': …})",
    },
)

TRACELOOP_AGNO = Convention(
    name="traceloop",
    kinds={"traceloop.span.kind": {"tool": Kind.TOOL}},
    scopes=("opentelemetry.instrumentation.agno",),
    result=("traceloop.entity.output#result", "traceloop.entity.output#error"),
    marks=(MarkRule("traceloop.entity.output#status", failed=("failure",)),),
)

TRACELOOP_MCP = Convention(
    name="traceloop",
    named=("opentelemetry.instrumentation.mcp",),
    omits_empty=True,
)
