"""Strands Agents: content in span events by default, in attributes with `gen_ai_latest_experimental`.

The event `gen_ai.tool.message` on a tool span holds the arguments, `gen_ai.choice` the result. With the experimental
names a failed call has no result attribute; its text stands in `gen_ai.output.messages` or in the event
`gen_ai.client.inference.operation.details`. Releases before 1.0 write `tool.status`, and end failed calls with OK.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, MarkRule

STRANDS = Convention(
    name="strands",
    named=("strands.telemetry",),
    argument_events=(("gen_ai.tool.message", "content"),),
    result=("gen_ai.output.messages",),
    result_events=(
        ("gen_ai.choice", "message"),
        ("gen_ai.client.inference.operation.details", "gen_ai.output.messages"),
    ),
    marks=(MarkRule("gen_ai.tool.status", failed=("error",)), MarkRule("tool.status", failed=("error",))),
    switches={"session": "Agent(trace_attributes={'session.id': …, 'user.id': …})"},
)
