"""Monocle: `span.type` and numbered entities; a tool is `entity.1`, its values travel in two span events."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind

_SCOPES = ("monocle_apptrace",)

MONOCLE = Convention(
    name="monocle",
    scopes=_SCOPES,
    named=_SCOPES,
    kinds={
        "span.type": {
            "agentic.tool.invocation": Kind.TOOL,
            "agentic.mcp.invocation": Kind.TOOL,
            "agentic.invocation": Kind.AGENT,
            "agentic.turn": Kind.STEP,
            "inference": Kind.MODEL,
            "inference.framework": Kind.MODEL,
            "inference.modelapi": Kind.MODEL,
            "workflow": Kind.STEP,
        }
    },
    tool=("entity.1.name",),
    argument_events=(("data.input", "input"),),
    result_events=(("data.output", "response"),),
    session=("scope.agentic.session",),
)
