"""Mastra (TypeScript): GenAI names, and per kind of span its own input and output beside them.

What an app gives as tracing metadata stands on every span, under `mastra.metadata.`. A tool that the app itself runs is
a `client_tool_call`, and so is one that the model named and nobody knows.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, last_word

MASTRA = Convention(
    name="mastra",
    kinds={
        "mastra.span.type": {
            "tool_call": Kind.TOOL,
            "mcp_tool_call": Kind.TOOL,
            "client_tool_call": Kind.TOOL,
            "model_generation": Kind.MODEL,
            "model_step": Kind.STEP,
            "model_chunk": Kind.STEP,
            "agent_run": Kind.AGENT,
            "workflow_run": Kind.STEP,
        }
    },
    tool=("gen_ai.tool.name",),
    arguments=(
        "gen_ai.tool.call.arguments",
        "mastra.tool_call.input",
        "mastra.mcp_tool_call.input",
        "mastra.metadata.args",
    ),
    result=("gen_ai.tool.call.result", "mastra.tool_call.output", "mastra.mcp_tool_call.output"),
    tool_of=last_word,
    session=("mastra.metadata.sessionId", "mastra.metadata.threadId"),
    user=("mastra.metadata.userId", "mastra.metadata.resourceId"),
    messages_out=("mastra.model_generation.output",),
    switches={"session": "agent.generate(…, {tracingOptions: {metadata: {sessionId: …, userId: …}}})"},
)
