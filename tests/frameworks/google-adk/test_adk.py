"""Google ADK: the scenario end to end, equal declarations, surviving behaviours, and the sentences it masks with."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.function_tool import FunctionTool
from google.adk.tools.google_search_tool import google_search
from google.adk.tools.long_running_tool import LongRunningFunctionTool
from google.adk.tools.tool_context import ToolContext
from google.genai import types
from scripted_adk import ScriptedModel, converse, one_call

import telltale
from telltale.adk import GuardedTool, GuardedToolset, TelltalePlugin, guarded
from telltale.testing import assert_envelope, assert_error_maps


def test_the_scenario(scenario: Any, spans: Any, judged: Any) -> None:
    """Compliant in every failing step, stopped at the budget, counted in session state, one span a call, judged."""

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        return scenario.book(date, slot)

    agent = LlmAgent(
        name="scheduler",
        model=ScriptedModel(model="scripted", next_step=scenario.next_step),
        tools=[guarded(book_meeting)],
    )
    told, session = converse(agent, scenario.turns)

    scenario.check_told(told)
    assert session.state["tool_failures:book_meeting"] == 0
    tools = scenario.check_spans(spans())
    assert {span.instrumentation_scope.name for span in tools} == {"gcp.vertex.agent"}  # ADK's own span, enriched
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    assert [span.attributes["error.type"] for span in tools[:3]] == ["INVALID_ARGUMENT", "UNAVAILABLE", "UNAVAILABLE"]
    judged()


def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
    """Book a meeting.

    Args:
        date: ISO-8601 date.
    """
    return {}


def cancel_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
    """Cancel a meeting."""
    return {}


def test_declarations_are_equal() -> None:
    """Wrapped and unwrapped tools declare the same, whether by adapter or by decorator."""
    plain = FunctionTool(book_meeting)

    assert guarded(plain)._get_declaration() == plain._get_declaration()
    assert guarded(book_meeting).name == "book_meeting"
    assert FunctionTool(telltale.guard(book_meeting))._get_declaration() == plain._get_declaration()


def test_flags_and_metadata_are_the_inner_tools() -> None:
    """Long-running, custom metadata, behaviour, response scheduling, authentication, anything else by attribute."""

    class Rich(BaseTool):
        """A tool with everything."""

        propagate_grounding_metadata = True

        def __init__(self) -> None:
            super().__init__(
                name="rich",
                description="Everything.",
                is_long_running=True,
                custom_metadata={"owner": "calendar"},
                behavior=types.Behavior.NON_BLOCKING,
                response_scheduling=types.FunctionResponseScheduling.SILENT,
            )
            self._auth_config = "auth"
            self._defers_response = True

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            """Run."""
            return None

    inner = Rich()
    tool = guarded(inner)

    for name in (
        "is_long_running",
        "custom_metadata",
        "behavior",
        "response_scheduling",
        "_auth_config",
        "_defers_response",
    ):
        assert getattr(tool, name) == getattr(inner, name), name
    assert tool.propagate_grounding_metadata is True
    assert copy.copy(tool).name == "rich"
    assert guarded(tool) is tool
    with pytest.raises(AttributeError):
        _ = tool.no_such_attribute


def test_a_tool_runs_without_a_context() -> None:
    """In a tool author's own test: the call answers, and its failures are counted outside a session."""

    def divide(number: int) -> float:
        """Divide."""
        return 1 / number

    tool = guarded(FunctionTool(divide))

    assert asyncio.run(tool.run_async(args={"number": 2}, tool_context=None)) == {"status": "ok", "output": 0.5}
    failed = asyncio.run(tool.run_async(args={"number": 0}, tool_context=None))
    assert (failed["status"], failed["error"]["code"]) == ("error", "INTERNAL")


def test_a_model_side_tool_is_left_as_it_is() -> None:
    """Search runs inside the model: there is nothing to guard."""
    assert guarded(google_search) is google_search


class Changing(FunctionTool):
    """A tool that changes the model's request."""

    async def process_llm_request(self, *, tool_context: Any, llm_request: LlmRequest) -> None:
        """Add itself and an instruction."""
        await super().process_llm_request(tool_context=tool_context, llm_request=llm_request)
        llm_request.append_instructions(["Be brief."])


@pytest.mark.parametrize("kind", [FunctionTool, Changing])
def test_request_processing_survives_and_calls_come_to_the_guard(kind: type[FunctionTool]) -> None:
    """The request is changed as by the inner tool, and the tool registered in it is the guarded one."""

    async def prepared(tool: Any) -> LlmRequest:
        request = LlmRequest()
        await tool.process_llm_request(tool_context=None, llm_request=request)
        return request

    plain, tool = kind(book_meeting), guarded(kind(book_meeting))
    before, after = asyncio.run(prepared(plain)), asyncio.run(prepared(tool))

    assert after.config == before.config
    assert after.tools_dict == {"book_meeting": tool}


class Calendar(BaseToolset):
    """A toolset with a prefix."""

    closed = False

    async def get_tools(self, readonly_context: Any = None) -> list[BaseTool]:
        """Two tools."""
        return [FunctionTool(book_meeting), Changing(cancel_meeting)]

    async def close(self) -> None:
        """Remember it."""
        self.closed = True


def test_a_toolset_comes_guarded_under_its_prefix() -> None:
    """Prefix, closing and request processing are the inner toolset's."""
    inner = Calendar(tool_name_prefix="cal")
    toolset = guarded(inner)

    async def use() -> tuple[list[Any], list[Any], LlmRequest]:
        request = LlmRequest()
        tools = await toolset.get_tools_with_prefix()
        for tool in tools:
            await tool.process_llm_request(tool_context=None, llm_request=request)
        plain = await Calendar(tool_name_prefix="cal").get_tools_with_prefix()
        await toolset.close()
        return tools, plain, request

    tools, plain, request = asyncio.run(use())

    assert isinstance(toolset, GuardedToolset)
    assert [tool.name for tool in tools] == ["cal_book_meeting", "cal_cancel_meeting"]
    assert [tool._get_declaration() for tool in tools] == [tool._get_declaration() for tool in plain]
    assert all(isinstance(tool, GuardedTool) for tool in request.tools_dict.values())
    assert inner.closed


def test_missing_arguments_are_fixable() -> None:
    """ADK's own sentence for a missing parameter becomes an envelope that names it (a canary for the sentence)."""
    (told,) = one_call(guarded(book_meeting), {"slot": "10:00"})

    body = assert_envelope(told)["error"]
    assert (body["code"], body["field"], body["action"]) == ("INVALID_ARGUMENT", "date", "fix_arguments")


def test_a_returned_error_is_no_success() -> None:
    """ADK's documented way to fail, `{"error": …}`, is not wrapped as output."""

    def look_up(name: str) -> dict[str, Any]:
        """Look up."""
        return {"error": "503 Service Unavailable"}

    (told,) = one_call(guarded(look_up), {"name": "x"})

    assert assert_envelope(told)["error"]["code"] == "UNAVAILABLE"


def test_a_long_running_tools_empty_answer_stays_empty() -> None:
    """No answer yet is no answer."""

    def approve() -> None:
        """Ask for an approval."""

    tool = guarded(LongRunningFunctionTool(approve))

    assert tool.is_long_running
    assert one_call(tool, {}) == []


def test_a_pending_confirmation_is_not_a_result(spans: Any) -> None:
    """ADK's pause passes through untouched and paints nothing."""
    tool = guarded(FunctionTool(book_meeting, require_confirmation=True))
    told = one_call(tool, {"date": "2026-10-06"})

    assert told[0].keys() == {"error"}
    assert "requires confirmation" in told[0]["error"]
    (span,) = [found for found in spans() if found.name == "execute_tool book_meeting"]
    assert span.status.is_unset
    assert "telltale.error.code" not in span.attributes


def test_a_live_stream_stays_a_stream() -> None:
    """An async generator comes back as one; its failure is a last item."""

    class Streaming(BaseTool):
        """A tool that gives a stream, as live mode has it."""

        async def run_async(self, *, args: Any, tool_context: Any) -> Any:
            """Give the stream."""

            async def items() -> AsyncIterator[str]:
                yield "one"
                raise TimeoutError

            return items()

    async def collect() -> list[Any]:
        class Context:
            state: dict[str, Any] = {}  # noqa: RUF012
            function_call_id = "call_1"

        stream = await guarded(Streaming(name="s", description="d")).run_async(args={}, tool_context=Context())
        return [item async for item in stream]

    items = asyncio.run(collect())

    assert items[0] == "one"
    assert items[1]["error"]["code"] == "UNAVAILABLE"


def failing() -> None:
    """A tool that nobody guarded."""
    raise KeyError("db-7.internal")


def test_the_plugin_is_a_loud_backstop(caplog: pytest.LogCaptureFixture) -> None:
    """An unguarded tool's error is logged at error level and answered with an envelope."""
    (told,) = one_call(failing, {}, [TelltalePlugin()], "failing")

    assert assert_envelope(told)["error"]["code"] == "INTERNAL"
    assert "tool failing is not guarded" in caplog.text


def test_the_plugin_answers_an_unknown_tool() -> None:
    """A name that the model made up is an argument that it can mend."""
    (told,) = one_call(guarded(book_meeting), {}, [TelltalePlugin()], "teleport")

    assert assert_envelope(told)["error"]["code"] == "INVALID_ARGUMENT"


class FatalError(Exception):
    """The app is not set up."""


def fatal() -> None:
    """A tool with a misconfigured credential."""
    raise FatalError


def test_a_fatal_exception_fails_the_run() -> None:
    """What the app names passes the guard and the plugin."""
    with pytest.raises(FatalError):
        one_call(guarded(fatal, fatal=FatalError), {}, [TelltalePlugin(fatal=FatalError)])


def test_without_the_plugin_an_unguarded_error_ends_the_run() -> None:
    """A canary: ADK raises. When it starts to mask, the guard has a sentence to learn."""
    with pytest.raises(KeyError):
        one_call(failing, {}, [], "failing")


def test_error_maps_of_a_guarded_tool() -> None:
    """The contract kit takes an adapter's tool."""
    assert_error_maps(guarded(book_meeting))


def test_the_tool_context_still_arrives() -> None:
    """ADK injects its context into a decorated function, and keeps it out of the declaration."""

    @telltale.guard
    def remember(word: str, tool_context: ToolContext) -> dict[str, Any]:
        """Remember a word."""
        tool_context.state["word"] = word
        return {"session": tool_context.session.id}

    (told,) = one_call(FunctionTool(remember), {"word": "x"})

    assert told == {"status": "ok", "output": {"session": "conv-1"}}
    declared = FunctionTool(remember)._get_declaration()
    assert "tool_context" not in str(declared)


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("adk_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("google", "google.adk.agents.invocation_context", "google.adk.workflow._errors") == set()
