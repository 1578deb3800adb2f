"""AgentOps: `agentops.span.kind`; of LangChain's tools every span is named `tool.tool`, and the tool stands beside it.

The SDK's `@tool` names the span `X.tool`, and the tool in `operation.name`.

A tool that raised leaves the span's status UNSET and sets `error`.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule

AGENTOPS = Convention(
    name="agentops",
    named=("agentops",),
    kinds={
        "agentops.span.kind": {
            "tool": Kind.TOOL,
            "llm": Kind.MODEL,
            "agent": Kind.AGENT,
            "chain": Kind.STEP,
            "task": Kind.STEP,
            "operation": Kind.STEP,
            "workflow": Kind.STEP,
            "session": Kind.STEP,
        }
    },
    tool=("langchain.tool.name", "tool.name", "operation.name"),
    arguments=("langchain.tool.input", "agentops.tool.input", "tool.parameters"),
    result=("langchain.tool.output", "agentops.tool.output", "tool.result"),
    marks=(MarkRule("error", failed=("true",)),),
)
