"""OpenLIT's instrumentations: GenAI attributes, on scopes of its own (`openlit.instrumentation.*`).

Many of them write a tool span's attributes after the tool has returned: of a call that raised nothing but the span's
name tells (`analytics.normalise.unwritten`).
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind

_CONTENT = (
    "openlit.init(capture_message_content=True), and OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT unset or true"
)

OPENLIT = Convention(
    name="openlit",
    named=("openlit.instrumentation.",),
    switches={"arguments": _CONTENT, "result": _CONTENT},
)

_MCP = ("openlit.instrumentation.mcp",)

OPENLIT_MCP = Convention(
    name="openlit_mcp",
    scopes=_MCP,
    named=_MCP,
    kinds={"mcp.operation.name": {"tools_call": Kind.TOOL}},
    tool=("mcp.request.payload#params/args/0", "mcp.request.payload#params/name"),
    arguments=("mcp.request.payload#params/args/1", "mcp.request.payload#params/arguments"),
    result=("mcp.response.payload",),
    protocol=True,
    parts=("mcp transport/request",),
    no_call=("mcp.fastmcp.tool.structured_output",),
)
"""Its MCP instrumentation wraps several functions of a call, on each side: spans of one name, one below the other, the
tool in the payload. Of a function that is awaited later the answer is a note of that.
"""
