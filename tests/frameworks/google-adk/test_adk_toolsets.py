"""Google ADK: toolsets over MCP and from OpenAPI documents, guarded."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool.mcp_session_manager import StdioConnectionParams
from google.adk.tools.mcp_tool.mcp_toolset import McpToolset
from google.adk.tools.openapi_tool import OpenAPIToolset
from mcp import StdioServerParameters
from scripted_adk import ScriptedModel, converse, one_call

from telltale.adk import guarded
from telltale.testing import assert_envelope

SERVER = '''
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

server = MCPServer("calendar")

@server.tool()
def book_meeting(date: str) -> dict[str, str]:
    """Book a meeting."""
    if date == "refused":
        raise ToolError("date must be in the future")
    if date == "crash":
        raise KeyError("db-7.internal")
    return {"meetingId": "m-7781"}

server.run("stdio")
'''


def test_an_mcp_toolset_is_guarded(tmp_path: Path) -> None:
    """McpToolset over stdio: `isError` becomes an envelope, a good result stays whole, the declaration is its own."""
    script = tmp_path / "server.py"
    script.write_text(SERVER)
    connection = StdioConnectionParams(
        server_params=StdioServerParameters(command=sys.executable, args=[str(script)]), timeout=30
    )
    dates = ["refused", "crash", "2026-10-06"]

    def step(user: str, told: Any = None) -> Any:
        return {"date": dates.pop(0)} if dates else "done"

    async def declared() -> tuple[Any, Any]:
        plain, toolset = McpToolset(connection_params=connection), guarded(McpToolset(connection_params=connection))
        found = (await plain.get_tools())[0]._get_declaration(), (await toolset.get_tools())[0]._get_declaration()
        await plain.close()
        await toolset.close()
        return found

    before, after = asyncio.run(declared())
    assert before == after
    model = ScriptedModel(model="scripted", next_step=step)
    toolset = guarded(McpToolset(connection_params=connection))
    told, _ = converse(LlmAgent(name="scheduler", model=model, tools=[toolset]), ("go",))

    envelopes = [assert_envelope(answer) for answer in told]
    assert [(e.get("error") or {}).get("code") for e in envelopes] == ["INVALID_ARGUMENT", "INTERNAL", None]
    assert "internal" not in envelopes[1]["error"]["message"]
    assert envelopes[2]["output"]["structuredContent"] == {"meetingId": "m-7781"}


def test_openapi_tools_are_guarded(scenario: Any) -> None:
    """Tools that ADK generates from an OpenAPI document say their HTTP status in a sentence; it becomes the code."""
    operation = {
        "operationId": "bookMeeting",
        "summary": "Book a meeting.",
        "requestBody": {
            "content": {"application/json": {"schema": {"type": "object", "properties": {"date": {"type": "string"}}}}}
        },
        "responses": {"201": {"description": "Booked."}},
    }
    spec = {
        "openapi": "3.0.0",
        "info": {"title": "calendar", "version": "1"},
        "servers": [{"url": scenario._url.removesuffix("/meetings")}],
        "paths": {"/meetings": {"post": operation}},
    }
    plain = OpenAPIToolset(spec_dict=spec)
    for tool in asyncio.run(plain.get_tools()):
        tool._allow_private_network_access = True  # the scenario's backend is on this machine
    toolset = guarded(plain)

    async def declared(tools: Any) -> Any:
        return [tool._get_declaration() for tool in await tools.get_tools()]

    assert asyncio.run(declared(plain)) == asyncio.run(declared(toolset))
    (told,) = one_call(toolset, {"date": "2026-10-06"}, name="book_meeting")
    body = assert_envelope(told)["error"]
    assert body["code"] == "UNAVAILABLE"
    assert "internal" not in body["message"]
