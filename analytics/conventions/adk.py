"""Google ADK 1.x and 2.x, native spans (scope `gcp.vertex.agent`).

2.x (schema 2) writes GenAI attributes, with content off by default; 1.x and schema 1 write `gcp.vertex.agent.*`.
A call that raised has `<not specified>` for its id and response. Two calls in one answer add a span named
`(merged tools)`, which is none.
"""

from __future__ import annotations

from analytics.conventions.convention import ANY, Convention, Kind, last_word

_ON = (
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT (true means events only); "
    "ADK 1.x and schema 1: ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS=true"
)

ADK = Convention(
    name="adk",
    kinds={
        "gcp.vertex.agent.tool_call_args": {ANY: Kind.TOOL},
        "gcp.vertex.agent.tool_response": {ANY: Kind.TOOL},
        "gcp.vertex.agent.llm_request": {ANY: Kind.MODEL},
    },
    named=("gcp.vertex.agent", "openinference.instrumentation.google_adk"),
    tool_of=last_word,
    arguments=("gcp.vertex.agent.tool_call_args",),
    result=("gcp.vertex.agent.tool_response",),
    placeholders=frozenset(
        {
            *("<not specified>", "<not serializable>", '"<not serializable>"', "<elided>"),
            *('{"result": "<not specified>"}', '{"result":"<not specified>"}'),
        }
    ),
    skip=frozenset({"(merged tools)", "(merged)"}),
    session=("gcp.vertex.agent.session_id",),
    messages_in=("gcp.vertex.agent.llm_request",),
    messages_out=("gcp.vertex.agent.llm_response",),
    switches={"arguments": _ON, "result": _ON, "user": "the logs exporter (user.id travels in the GenAI log event)"},
)
