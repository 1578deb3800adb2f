"""Claude Agent SDK: tools of MCP servers are named `mcp__<server>__<tool>`, the SDK's in-process servers' too.

https://docs.claude.com/en/api/agent-sdk/custom-tools. The server's own span names the tool alone, in a trace of its own
(the CLI between them propagates no context), so that the tool's own name is what both sides share.
"""

from __future__ import annotations

from analytics.conventions.convention import Convention


def without_server(tool: str) -> str:
    """The tool's own name, without the server's before it; names of other tools as they are."""
    if not tool.startswith("mcp__"):
        return tool
    return tool[len("mcp__") :].partition("__")[2] or tool


CLAUDE_AGENT_SDK = Convention(
    name="claude_agent_sdk",
    named=("openinference.instrumentation.claude_agent_sdk",),
    rename=without_server,
)
