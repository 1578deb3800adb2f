"""OpenAI Agents SDK: guarded tools and MCP servers; declarations, timeouts, approvals, its masking sentence."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    RunConfig,
    Runner,
    ToolOutputImage,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import telltale
from telltale.openai_agents import guarded
from telltale.testing import assert_envelope

set_tracing_disabled(True)


class ScriptedModel(Model):
    """Plays `next_step`, a function from the user's words and the last tool answer to a call or a text."""

    def __init__(self, next_step: Callable[..., Any], tool: str = "book_meeting") -> None:
        self._next_step, self._tool = next_step, tool

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        """The next step, read off the input as a real model reads it."""
        user, told, number = "", None, 0
        for item in input if isinstance(input, list) else [{"role": "user", "content": input}]:
            if item.get("role") == "user":
                user, told = item["content"], None
            elif item.get("type") == "function_call_output":
                told, number = item["output"], number + 1
        step = self._next_step(user, told)
        output: Any
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            call_id = f"call_{number + 1}"
            output = ResponseFunctionToolCall(
                type="function_call", name=self._tool, arguments=json.dumps(step), call_id=call_id, id=call_id
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not used here."""
        raise NotImplementedError
        yield


def converse(agent: Agent[Any], turns: tuple[str, ...]) -> list[Any]:
    """The conversation's tool answers, from the SDK's own items."""

    async def talk() -> list[Any]:
        items: list[Any] = []
        for turn in turns:
            given = [*items, {"role": "user", "content": turn}]
            result = await Runner.run(agent, given, run_config=RunConfig(group_id="conv-1"))
            items = result.to_input_list()
        return items

    return [item["output"] for item in asyncio.run(talk()) if item.get("type") == "function_call_output"]


def test_the_scenario(scenario: Any, spans: Any, judged: Any) -> None:
    """Compliant in every failing step, stopped at the budget, one span a call in the run's group, judged."""

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        return scenario.book(date, slot)

    agent = Agent(name="scheduler", model=ScriptedModel(scenario.next_step), tools=[guarded(book_meeting)])
    scenario.check_told(converse(agent, scenario.turns))
    tools = scenario.check_spans(spans())
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    assert {span.attributes["gen_ai.agent.name"] for span in tools} == {"scheduler"}
    judged()


def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
    """Book a meeting."""
    return {}


def test_declarations_are_equal() -> None:
    """Every field of the tool but the invoker is the inner tool's."""
    plain, tool = function_tool(book_meeting), guarded(function_tool(book_meeting))
    by_decorator = function_tool(telltale.guard(book_meeting))

    for name in ("name", "description", "params_json_schema", "strict_json_schema", "is_enabled", "needs_approval"):
        assert getattr(tool, name) == getattr(plain, name), name
        assert getattr(by_decorator, name) == getattr(plain, name), name
    assert isinstance(tool.on_invoke_tool, type(plain.on_invoke_tool))
    search = WebSearchTool()
    assert guarded(search) is search


def one_call(tool: Any, arguments: dict[str, Any], name: str) -> Any:
    """The answer of one call by the model."""

    def step(user: str, told: Any = None) -> Any:
        return arguments if told is None else "done"

    (told,) = converse(Agent(name="scheduler", model=ScriptedModel(step, name), tools=[tool]), ("go",))
    return told


def test_missing_arguments_are_fixable() -> None:
    """What the SDK would mask names no field in this version, but is fixable."""
    assert assert_envelope(one_call(guarded(book_meeting), {}, "book_meeting"))["error"]["code"] == "INVALID_ARGUMENT"


def test_a_timeout_of_the_sdk_is_an_outage() -> None:
    """The SDK cuts the tool off itself; its sentence is replaced by an envelope."""

    @function_tool(timeout=0.05)
    async def slow() -> str:
        """Be slow."""
        await asyncio.sleep(30)
        return ""

    assert assert_envelope(one_call(guarded(slow), {}, "slow"))["error"]["code"] == "UNAVAILABLE"


def test_a_copy_of_a_guarded_tool_is_guarded() -> None:
    """The SDK copies tools and binds their invokers anew."""

    def crash() -> str:
        """Crash."""
        raise KeyError("secret")

    assert assert_envelope(one_call(copy.copy(guarded(crash)), {}, "crash"))["error"]["code"] == "INTERNAL"


def test_a_tool_with_an_invoker_of_its_own() -> None:
    """A FunctionTool made by hand."""

    async def invoke(ctx: Any, text: str) -> str:
        raise ConnectionRefusedError

    tool = FunctionTool(
        name="own",
        description="Own.",
        params_json_schema={"type": "object", "properties": {}},
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )

    assert assert_envelope(one_call(guarded(tool), {}, "own"))["error"]["code"] == "UNAVAILABLE"


def test_pictures_stay_pictures() -> None:
    """Rich output goes to the model as the SDK has it."""

    def picture() -> ToolOutputImage:
        """Give a picture."""
        return ToolOutputImage(image_url="https://example.com/cat.png")

    (part,) = one_call(guarded(picture), {}, "picture")

    assert part["type"] == "input_image"


def test_an_approval_is_asked_before_the_tool_runs() -> None:
    """The SDK's interruption survives the guard."""
    calls: list[str] = []

    async def needed(ctx: Any, arguments: dict[str, Any], call_id: str) -> bool:
        return bool(arguments["date"])

    @function_tool(needs_approval=needed)
    def pay(date: str) -> str:
        """Pay."""
        calls.append(date)
        return "paid"

    def step(user: str, told: Any = None) -> Any:
        return {"date": "x"} if told is None else "done"

    agent = Agent(name="scheduler", model=ScriptedModel(step, "pay"), tools=[guarded(pay)])

    async def ask() -> Any:
        first = await Runner.run(agent, "go")
        state = first.to_state()
        state.approve(first.interruptions[0])
        return first, await Runner.run(agent, state)

    first, second = asyncio.run(ask())

    assert len(first.interruptions) == 1
    assert calls == ["x"]
    assert second.final_output == "done"


def test_an_mcp_server_is_guarded_in_place() -> None:
    """The SDK keeps no `isError`; the envelope's own text says it."""
    from mcp import types

    async def call_tool(name: str, arguments: Any, meta: Any = None) -> Any:
        return types.CallToolResult.model_validate(
            {"content": [types.TextContent(type="text", text="Error executing tool x")], "isError": True}, by_alias=True
        )

    server = guarded(SimpleNamespace(call_tool=call_tool, list_tools=list))
    result = asyncio.run(server.call_tool("x", {}))

    assert assert_envelope(result.content[0].text)["error"]["code"] == "INTERNAL"


def test_the_sdks_masking_sentence() -> None:
    """A canary: when the SDK changes its words, the catalogue of masking sentences has to learn them."""
    from telltale.payload.texts.catalogues import masking_of

    def crash() -> str:
        """Crash."""
        raise KeyError("secret")

    text = one_call(function_tool(crash), {}, "crash")

    assert text == "An error occurred while running the tool. Please try again."
    assert masking_of(text) is not None


class FatalError(Exception):
    """The app is not set up."""


def test_a_fatal_exception_fails_the_run() -> None:
    """What the app names is not answered."""

    def fatal() -> str:
        """Fail."""
        raise FatalError

    with pytest.raises(Exception) as caught:  # noqa: PT011 - the SDK wraps it in an error of its own
        one_call(guarded(fatal, fatal=FatalError), {}, "fatal")
    assert isinstance(caught.value, FatalError) or isinstance(caught.value.__cause__, FatalError)


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("openai_agents_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("agents", "agents.exceptions") == set()
