"""VoltAgent (TypeScript): `tool.execution:X` spans whose values stand under bare names (`input`, `output`).

`tool.parameters` is the tool's schema. Every span bears the conversation; an agent's own span alone bears
`agent.state`. One model span covers all model calls of a run, so that its messages are the history before the run: they
are not read, since they would bring the calls of earlier runs again.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind

_SCOPES = ("@voltagent/core",)

VOLTAGENT = Convention(
    name="voltagent",
    scopes=_SCOPES,
    named=_SCOPES,
    kinds={
        "span.type": {
            "tool": Kind.TOOL,
            "llm": Kind.MODEL,
            "agent": Kind.AGENT,
            "workflow-step": Kind.STEP,
            "memory": Kind.STEP,
            "scorer": Kind.STEP,
        },
        "agent.state": {ANY: Kind.AGENT},
    },
    tool=("tool.name",),
    call_id=("tool.call.id",),
    arguments=("input",),
    result=("output",),
    session=("conversation.id", "voltagent.conversation_id"),
    agent=("entity.name",),
    switches={
        "session": "pass conversationId (and userId) to generateText, streamText or the workflow's run",
        "upstream": "spanFilters: { enabled: false } in VoltAgentObservability: other scopes' spans are left out",
    },
)
