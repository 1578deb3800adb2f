"""The official MCP SDK: a guarded server, and a guarded session in front of it.

pip install 'telltale-otel[mcp,otlp]'; python examples/mcp_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

import asyncio
import json

from calendar_tool import TURNS, make_tool, next_step, send_spans
from mcp.client import Client
from mcp.server.mcpserver import MCPServer

import telltale
from telltale.mcp import GuardedSession, guard_server


async def main() -> None:
    """Two user turns; `isError` stays true on every failed answer."""
    server = guard_server(MCPServer("calendar"))
    server.add_tool(make_tool())
    async with Client(server) as client:
        session = GuardedSession(client)
        for turn in TURNS:
            print(f"user: {turn}")
            step = next_step(turn)
            while isinstance(step, dict):
                result = await session.call_tool("book_meeting", step)
                answer = json.loads(result.content[0].text)
                step = next_step(turn, answer if result.is_error else telltale.ok(answer))
            print(f"agent: {step}")


if __name__ == "__main__":
    send_spans("mcp-example")
    with telltale.conversation("mcp-example", agent="scheduler"):
        asyncio.run(main())
