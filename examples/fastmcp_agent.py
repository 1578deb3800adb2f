"""FastMCP: a server whose middleware turns what tools raise into envelopes, and counts the failure budget.

pip install 'telltale-otel[fastmcp,otlp]'; python examples/fastmcp_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

import asyncio
import json

from calendar_tool import TURNS, make_tool, next_step, send_spans
from fastmcp import Client, FastMCP

import telltale
from telltale.fastmcp import TelltaleMiddleware


async def main() -> None:
    """Two user turns; `isError` stays true on every failed answer."""
    server: FastMCP = FastMCP("calendar", middleware=[TelltaleMiddleware(budget=2)])
    server.tool(make_tool())
    async with Client(server) as client:
        for turn in TURNS:
            print(f"user: {turn}")
            step = next_step(turn)
            while isinstance(step, dict):
                result = await client.call_tool_mcp("book_meeting", step)
                answer = json.loads(result.content[0].text)
                step = next_step(turn, answer if result.is_error else telltale.ok(answer))
            print(f"agent: {step}")


if __name__ == "__main__":
    send_spans("fastmcp-example")
    with telltale.conversation("fastmcp-example", agent="scheduler"):
        asyncio.run(main())
