"""The official MCP SDK: guarded servers and sessions; `isError` stays true, schemas stay equal, spans join."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp.client import Client
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

import telltale
from telltale.mcp import GuardedSession, guard_server
from telltale.testing import assert_envelope


def converse(server: MCPServer, scenario: Any, *, guard_client: bool) -> list[Any]:
    """The scenario with a scripted model in front of a client session: what the model was given, as text."""

    async def talk() -> list[Any]:
        told: list[Any] = []
        async with Client(server) as client:
            session = GuardedSession(client) if guard_client else client
            for turn in scenario.turns:
                step = scenario.next_step(turn)
                while isinstance(step, dict):
                    result = await session.call_tool("book_meeting", step)
                    text = result.content[0].text
                    answer = json.loads(text) if result.is_error else {"status": "ok", "output": json.loads(text)}
                    assert result.is_error is (answer["status"] == "error")
                    told.append(answer)
                    step = scenario.next_step(turn, answer)
        return told

    with telltale.conversation("conv-1", agent="scheduler"):
        return asyncio.run(talk())


def calendar(scenario: Any) -> MCPServer:
    """A server with the scenario's tool."""
    server = MCPServer("calendar")

    @server.tool()
    def book_meeting(date: str, slot: str = "10:00") -> dict[str, str]:
        """Book a meeting."""
        found: dict[str, str] = scenario.book(date, slot)
        return found

    return server


def test_the_scenario(scenario: Any, spans: Any, judged: Any) -> None:
    """Guarded on both sides: the server knows the reasons, the client counts the budget."""
    told = converse(guard_server(calendar(scenario)), scenario, guard_client=True)

    scenario.check_told(told)
    tools = [span for span in spans() if span.name == "execute_tool book_meeting"]
    assert len(tools) == 4
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    judged()


def test_a_guarded_server_alone_is_compliant_in_every_step(scenario: Any) -> None:
    """Any client gets envelopes; without a client that counts there is no budget."""
    server = guard_server(calendar(scenario))

    async def twice() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool("book_meeting", {"date": day}) for day in ("x", "2026-10-06", "2026-10-06")]

    answers = asyncio.run(twice())

    assert [answer.is_error for answer in answers] == [True] * 3
    codes = [assert_envelope(answer.content[0].text)["error"]["code"] for answer in answers]
    assert codes == ["INVALID_ARGUMENT", "UNAVAILABLE", "UNAVAILABLE"]


def test_a_guarded_session_reads_any_server(scenario: Any) -> None:
    """A server that masks gives INTERNAL; a server's own sentence gives its code; the answer is an envelope always."""
    server = calendar(scenario)

    @server.tool()
    def picky(date: str) -> str:
        """Refuse."""
        raise ToolError("date must be in the future")

    async def ask() -> list[Any]:
        async with Client(server) as client:
            session = GuardedSession(client)
            calls = [
                ("book_meeting", {"date": "2026-10-06"}),
                ("picky", {"date": "x"}),
                ("picky", {}),
                ("teleport", {}),
            ]
            return [await session.call_tool(*call) for call in calls]

    answers = asyncio.run(ask())
    bodies = [assert_envelope(answer.content[0].text)["error"] for answer in answers]

    assert [answer.is_error for answer in answers] == [True] * 4
    assert [body["code"] for body in bodies] == ["INTERNAL", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "NOT_FOUND"]
    assert "Error executing tool" not in bodies[0]["message"]
    assert answers[0].structured_content == json.loads(answers[0].content[0].text)


def test_declarations_are_equal() -> None:
    """A guarded server lists the same tools, and a guarded function declares the same arguments."""

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        return {}

    def listed(guard: bool, decorate: bool) -> Any:
        server = MCPServer("calendar")
        if guard:
            guard_server(server)
        server.add_tool(telltale.guard(book_meeting) if decorate else book_meeting)
        return asyncio.run(server.list_tools())

    plain = listed(guard=False, decorate=False)
    assert listed(guard=True, decorate=False) == plain
    assert listed(guard=False, decorate=True) == plain


def test_a_guarded_function_behind_a_guarded_server_is_an_error_with_is_error() -> None:
    """An envelope that a function returns is lifted to the protocol's own flag; a success keeps its schema."""
    server = guard_server(MCPServer("calendar"))

    @server.tool()
    @telltale.guard
    def free_slots(day: str) -> list[str]:
        """List free slots."""
        if day == "x":
            raise FileNotFoundError
        return ["10:00"]

    async def both() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool("free_slots", {"day": day}) for day in ("x", "2026-10-06")]

    failed, worked = asyncio.run(both())

    assert failed.is_error
    assert assert_envelope(failed.content[0].text)["error"]["code"] == "NOT_FOUND"
    assert not worked.is_error
    assert worked.structured_content == {"status": "ok", "output": ["10:00"]}


def test_the_session_is_otherwise_the_inner_one(scenario: Any) -> None:
    """Listing, entering and leaving are delegated."""

    async def use() -> list[str]:
        async with GuardedSession(Client(calendar(scenario))) as session:
            return [tool.name for tool in (await session.list_tools()).tools]

    assert asyncio.run(use()) == ["book_meeting"]
    with pytest.raises(TypeError, match="guard_server takes an MCPServer"):
        guard_server(object())


@pytest.mark.parametrize(
    ("tool", "arguments", "sentence"),
    [("crash", {}, "Error executing tool crash"), ("teleport", {}, "Unknown tool: teleport")],
)
def test_the_sdks_masking_sentences(tool: str, arguments: dict[str, Any], sentence: str) -> None:
    """A canary: when the SDK changes its words, the catalogue of masking sentences has to learn them."""
    from telltale.payload.texts.catalogues import masking_of

    server = MCPServer("calendar")

    @server.tool()
    def crash() -> str:
        """Crash."""
        raise RuntimeError("secret")

    async def ask() -> Any:
        async with Client(server) as client:
            return await client.call_tool(tool, arguments)

    text = asyncio.run(ask()).content[0].text

    assert text == sentence
    assert masking_of(text) is not None


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("mcp_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("mcp", "mcp.shared.exceptions") == set()
