"""FastMCP: a server middleware that keeps `isError` true, equal declarations, and the sentences it masks with."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from fastmcp import Client, FastMCP
from fastmcp.exceptions import AuthorizationError, ToolError

import telltale
from telltale.fastmcp import TelltaleMiddleware
from telltale.mcp import GuardedSession
from telltale.testing import assert_envelope, assert_error_maps


class McpCalls:
    """FastMCP's client with the protocol's own result, as agents use it."""

    def __init__(self, client: Client[Any]) -> None:
        self._client = client

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> Any:
        """The whole CallToolResult."""
        return await self._client.call_tool_mcp(name, arguments)


def calendar(scenario: Any, **options: Any) -> FastMCP[Any]:
    """A guarded server with the scenario's tool."""
    server: FastMCP[Any] = FastMCP("calendar", middleware=[TelltaleMiddleware(**options)])

    @server.tool
    def book_meeting(date: str, slot: str = "10:00") -> dict[str, str]:
        """Book a meeting."""
        found: dict[str, str] = scenario.book(date, slot)
        return found

    return server


@pytest.mark.parametrize("side", ["client", "server"])
def test_the_scenario(side: str, scenario: Any, spans: Any, judged: Any) -> None:
    """The budget counted where the conversation is known: at a guarded client, or at the server when it is told to."""
    server = calendar(scenario, **({"budget": 2} if side == "server" else {}))

    async def talk() -> list[Any]:
        told = []
        async with Client(server) as client:
            calls: Any = McpCalls(client) if side == "server" else GuardedSession(McpCalls(client))
            for turn in scenario.turns:
                step = scenario.next_step(turn)
                while isinstance(step, dict):
                    result = await calls.call_tool("book_meeting", step)
                    text = json.loads(result.content[0].text)
                    answer = text if result.is_error else {"status": "ok", "output": text}
                    told.append(answer)
                    step = scenario.next_step(turn, answer)
        return told

    with telltale.conversation("conv-1", agent="scheduler"):
        told = asyncio.run(talk())

    scenario.check_told(told)
    tools = [span for span in spans() if span.name == "execute_tool book_meeting"]
    assert len(tools) == 4
    judged()


def answers(server: FastMCP[Any], *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The protocol's own results of some calls."""

    async def ask() -> list[Any]:
        async with Client(server) as client:
            return [await client.call_tool_mcp(name, arguments) for name, arguments in calls]

    return asyncio.run(ask())


def test_each_way_to_fail_keeps_is_error_and_becomes_an_envelope() -> None:
    """Authored errors keep their text, crashes lose it, bad arguments are named, unknown tools are fixable."""
    server: FastMCP[Any] = FastMCP("calendar", middleware=[TelltaleMiddleware()])

    @server.tool
    def refuse(why: str) -> str:
        """Refuse."""
        kinds: dict[str, Exception] = {
            "authored": ToolError("slot must be in the future"),
            "crash": KeyError("db-7.internal"),
            "denied": AuthorizationError("no"),
            "down": ConnectionRefusedError(),
        }
        raise kinds[why]

    found = answers(
        server,
        *[("refuse", {"why": why}) for why in ("authored", "crash", "denied", "down")],
        ("refuse", {}),
        ("teleport", {}),
    )
    bodies = [assert_envelope(answer.content[0].text)["error"] for answer in found]

    assert [answer.is_error for answer in found] == [True] * 6
    assert [body["code"] for body in bodies] == [
        "INVALID_ARGUMENT",
        "INTERNAL",
        "PERMISSION_DENIED",
        "UNAVAILABLE",
        "INVALID_ARGUMENT",
        "INVALID_ARGUMENT",
    ]
    assert bodies[0]["message"] == "slot must be in the future"
    assert bodies[4]["field"] == "why"
    assert "internal" not in bodies[1]["message"]


def test_declarations_are_equal() -> None:
    """Middleware or decorator: the same tool is listed, output schema included."""

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        return {}

    def listed(middleware: list[Any], decorate: bool) -> Any:
        server: FastMCP[Any] = FastMCP("calendar", middleware=middleware)
        server.tool(telltale.guard(book_meeting) if decorate else book_meeting)

        async def ask() -> Any:
            async with Client(server) as client:
                return await client.list_tools()

        return asyncio.run(ask())

    plain = listed([], decorate=False)
    assert listed([TelltaleMiddleware()], decorate=False) == plain
    assert listed([], decorate=True) == plain


def test_a_guarded_function_with_a_list_annotation_passes_its_own_schema() -> None:
    """`-> list[str]` would make FastMCP refuse the envelope; the guard says what really comes back."""
    server: FastMCP[Any] = FastMCP("calendar", middleware=[TelltaleMiddleware()])

    @server.tool
    @telltale.guard
    def free_slots(day: str) -> list[str]:
        """List free slots."""
        if day == "x":
            raise FileNotFoundError
        return ["10:00"]

    failed, worked = answers(server, ("free_slots", {"day": "x"}), ("free_slots", {"day": "2026-10-06"}))

    assert failed.is_error
    assert assert_envelope(failed.content[0].text)["error"]["code"] == "NOT_FOUND"
    assert worked.structured_content == {"status": "ok", "output": ["10:00"]}


def test_a_good_result_is_the_servers_own() -> None:
    """Content and structured content are untouched."""
    server: FastMCP[Any] = FastMCP("calendar", middleware=[TelltaleMiddleware()])
    plain: FastMCP[Any] = FastMCP("calendar")
    for one in (server, plain):

        @one.tool
        def free_slots(day: str) -> list[str]:
            """List free slots."""
            return [day]

    (guarded_answer,), (plain_answer,) = (
        answers(server, ("free_slots", {"day": "x"})),
        answers(plain, ("free_slots", {"day": "x"})),
    )

    assert guarded_answer.content == plain_answer.content
    assert guarded_answer.structured_content == plain_answer.structured_content


@pytest.mark.parametrize(
    ("masked", "sentence"), [(True, "Error calling tool 'crash'"), (False, "Error calling tool 'crash': secret")]
)
def test_fastmcps_masking_sentences(masked: bool, sentence: str) -> None:
    """A canary: when FastMCP changes its words, the catalogue of masking sentences has to learn them."""
    from telltale.payload.texts.catalogues import masking_of

    server: FastMCP[Any] = FastMCP("calendar", mask_error_details=masked)

    @server.tool
    def crash() -> str:
        """Crash."""
        raise RuntimeError("secret")

    (answer,) = answers(server, ("crash", {}))

    assert answer.content[0].text == sentence
    assert masking_of(sentence) is not None


def test_error_maps() -> None:
    """The contract kit takes the middleware."""
    assert_error_maps(TelltaleMiddleware())


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("fastmcp_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed
