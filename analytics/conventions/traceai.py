"""Future AGI's traceAI: OpenInference's values under `gen_ai.span.kind`; its tool spans bear both vocabularies."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind

_SCOPES = ("traceai_", "traceai.", "@traceai/")

TRACEAI = Convention(
    name="traceai",
    named=_SCOPES,
    kinds={
        "gen_ai.span.kind": {
            "tool": Kind.TOOL,
            "llm": Kind.MODEL,
            "agent": Kind.AGENT,
            "chain": Kind.STEP,
        }
    },
    tool=("gen_ai.tool.name", "tool.name"),
    arguments=("gen_ai.tool.call.arguments", "input.value"),
    result=("gen_ai.tool.call.result", "output.value"),
    session=("session.id",),
    user=("user.id",),
)
