"""Model Context Protocol spans, client and server side: MCP Python SDK 2, FastMCP, Logfire's and others.

GenAI semantic conventions for MCP (`mcp.method.name`, `jsonrpc.request.id`). Content is never recorded by the SDKs.
`mcp.session.id` may change with every request, so that it is no conversation. The SDK's client span names the tool in
the span name only and does not learn of `isError`.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention, Kind, MarkRule, last_word

_NONE = "MCP SDKs record no content: wrap the tool with telltale.guard, or record it in the calling framework"

MCP = Convention(
    name="mcp",
    protocol=True,
    kinds={
        "mcp.method.name": {"tools/call": Kind.TOOL},
        "rpc.method": {"tools/call": Kind.TOOL},
    },
    tool=("gen_ai.tool.name", "mcp.tool.name", "mcp.request.params.name"),
    tool_of=last_word,
    arguments=("gen_ai.tool.call.arguments", "mcp.tool.arguments", "request"),
    result=("gen_ai.tool.call.result", "mcp.tool.result", "response"),
    marks=(MarkRule("mcp.tool.is_error", failed=("true",), claimed_ok=("false",)),),
    user=("enduser.id",),
    switches={"arguments": _NONE, "result": _NONE},
)
