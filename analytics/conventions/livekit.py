"""LiveKit Agents (voice): `function_tool` spans with `lk.function_tool.*`."""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, MarkRule

LIVEKIT = Convention(
    name="livekit",
    kinds={"lk.function_tool.name": {ANY: Kind.TOOL}},
    tool=("lk.function_tool.name",),
    call_id=("lk.function_tool.id",),
    arguments=("lk.function_tool.arguments",),
    result=("lk.function_tool.output",),
    marks=(MarkRule("lk.function_tool.is_error", failed=("true",), claimed_ok=("false",)),),
    agent=("lk.agent_name", "lk.agent_label"),
)
