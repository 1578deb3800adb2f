"""Genkit (JavaScript, Go, Python): `genkit:*` attributes; tools, models and flows are actions told apart by subtype."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule

GENKIT = Convention(
    name="genkit",
    kinds={
        "genkit:metadata:subtype": {
            "tool": Kind.TOOL,
            "tool.v2": Kind.TOOL,
            "model": Kind.MODEL,
            "embedder": Kind.MODEL,
            "agent": Kind.AGENT,
            "flow": Kind.STEP,
        }
    },
    tool=("genkit:name",),
    arguments=("genkit:input",),
    result=("genkit:output",),
    marks=(MarkRule("genkit:state", failed=("error",)),),
    session=("genkit:sessionId",),
    model=("genkit:name",),
    messages_in=("genkit:input",),
    messages_out=("genkit:output",),
)
