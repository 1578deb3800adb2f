"""Laminar SDK: `lmnr.span.type`, input and output as JSON; the tool's name is the span's name."""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, whole_name

LAMINAR = Convention(
    name="laminar",
    kinds={"lmnr.span.type": {"tool": Kind.TOOL, "llm": Kind.MODEL}},
    tool_of=whole_name,
    arguments=("lmnr.span.input",),
    result=("lmnr.span.output",),
    session=("lmnr.association.properties.session_id",),
    user=("lmnr.association.properties.user_id",),
    messages_in=("lmnr.span.input",),
    messages_out=("lmnr.span.output",),
    switches={"session": "Laminar.set_trace_session_id(…)"},
)
