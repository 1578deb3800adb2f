"""Mastra (TypeScript): GenAI names, and per kind of span its own input and output beside them."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind

MASTRA = Convention(
    name="mastra",
    kinds={
        "mastra.span.type": {
            "tool_call": Kind.TOOL,
            "mcp_tool_call": Kind.TOOL,
            "model_generation": Kind.MODEL,
            "model_step": Kind.STEP,
            "agent_run": Kind.AGENT,
            "workflow_run": Kind.STEP,
        }
    },
    tool=("gen_ai.tool.name",),
    arguments=("gen_ai.tool.call.arguments", "mastra.tool_call.input", "mastra.mcp_tool_call.input"),
    result=("gen_ai.tool.call.result", "mastra.tool_call.output", "mastra.mcp_tool_call.output"),
)
