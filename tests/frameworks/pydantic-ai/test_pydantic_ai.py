"""Pydantic AI: guarded toolsets; declarations, its own control flow, rich returns, its own span enriched."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, ModelRetry, RunContext, Tool, ToolReturn
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset

import telltale
from telltale.pydantic_ai import GuardedToolset, guarded
from telltale.testing import assert_envelope, assert_error_maps


def scripted(next_step: Any, tool: str = "book_meeting", seen: list[AgentInfo] | None = None) -> FunctionModel:
    """Plays `next_step`, a function from the user's words and the last tool answer to a call or a text."""

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append(info)
        user, told, number = "", None, 0
        for message in messages:
            for part in message.parts:
                if isinstance(part, UserPromptPart):
                    user, told = str(part.content), None
                elif part.part_kind in ("tool-return", "retry-prompt"):
                    told, number = part.content, number + 1  # type: ignore[union-attr]
        step = next_step(user, told)
        return ModelResponse(
            parts=[TextPart(step) if isinstance(step, str) else ToolCallPart(tool, step, f"call_{number + 1}")]
        )

    return FunctionModel(play)


def converse(agent: Agent[Any, Any], turns: tuple[str, ...]) -> list[Any]:
    """The conversation's tool answers, from the run's own messages."""
    history: list[ModelMessage] = []
    for turn in turns:
        history = agent.run_sync(turn, message_history=history).all_messages()
    return [part.content for message in history for part in message.parts if part.part_kind == "tool-return"]


@pytest.mark.parametrize("instrumented", [True, False])
def test_the_scenario(instrumented: bool, scenario: Any, spans: Any, judged: Any) -> None:
    """Compliant in every failing step, stopped at the budget, judged; the framework's own span is enriched."""

    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        return scenario.book(date, slot)

    agent = Agent(scripted(scenario.next_step), name="scheduler", toolsets=[guarded([book_meeting])])
    agent.instrument = instrumented
    with telltale.conversation("conv-1"):
        told = converse(agent, scenario.turns)

    scenario.check_told(told)
    tools = scenario.check_spans(spans())
    named = [span for span in spans() if span.name == "execute_tool book_meeting"]
    assert len(named) == 4
    assert {span.instrumentation_scope.name for span in tools} == {"pydantic-ai" if instrumented else "telltale"}
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    judged()


def book_meeting(ctx: RunContext[None], date: str, slot: str = "10:00") -> dict[str, Any]:
    """Book a meeting.

    Args:
        date: ISO-8601 date.
    """
    return {}


def test_declarations_are_equal() -> None:
    """Toolset or decorator: the model is shown the same definition."""

    def shown(**tools: Any) -> Any:
        seen: list[AgentInfo] = []
        Agent(scripted(lambda *_: "done", seen=seen), **tools).run_sync("go")
        return [(t.name, t.description, t.parameters_json_schema, t.kind) for t in seen[0].function_tools]

    plain = shown(tools=[book_meeting])

    assert shown(toolsets=[guarded([book_meeting])]) == plain
    assert shown(toolsets=[guarded(FunctionToolset([book_meeting]))]) == plain
    assert shown(tools=[telltale.guard(book_meeting)]) == plain
    assert shown(toolsets=[guarded(Tool(book_meeting))]) == plain


def one_call(tool: Any, arguments: dict[str, Any] | None = None, **options: Any) -> list[Any]:
    """What the model is told of one call: the contents of tool returns and retry prompts."""

    def step(user: str, told: Any = None) -> Any:
        return (arguments or {}) if told is None else "done"

    agent = Agent(scripted(step, tool.__name__), toolsets=[guarded([tool], **options)])
    messages = agent.run_sync("go").all_messages()
    return [part for message in messages for part in message.parts if part.part_kind in ("tool-return", "retry-prompt")]


def test_a_model_retry_passes_through() -> None:
    """Pydantic AI's own way to ask again is control flow, with its own words."""

    def again() -> str:
        """Ask again."""
        raise ModelRetry("use another date")

    (part,) = one_call(again)

    assert "use another date" in str(part.content)


def test_an_authored_failure_keeps_its_text() -> None:
    """`ToolFailed` is written for the model."""

    def refuse() -> str:
        """Refuse."""
        raise ToolFailed("slot must be in the future")

    body = assert_envelope(one_call(refuse)[0].content)["error"]

    assert (body["code"], body["message"]) == ("INVALID_ARGUMENT", "slot must be in the future")


def test_a_rich_return_keeps_its_parts() -> None:
    """The value becomes the envelope; metadata stays."""

    def rich() -> ToolReturn:
        """Give a rich return."""
        return ToolReturn(return_value={"id": 1}, metadata={"trace": "t"})

    (part,) = one_call(rich)

    assert part.content == {"status": "ok", "output": {"id": 1}}
    assert part.metadata == {"trace": "t"}


def test_the_inner_toolset_is_entered_and_named() -> None:
    """Life cycle and id are the inner toolset's."""
    inner = FunctionToolset([book_meeting], id="calendar")
    toolset = guarded(inner)

    async def enter() -> None:
        async with toolset:
            pass

    asyncio.run(enter())
    assert isinstance(toolset, GuardedToolset)
    assert toolset.id == "calendar"
    assert guarded(toolset) is toolset
    assert_error_maps(toolset)


def crash() -> str:
    """Crash."""
    raise KeyError("secret")


def test_without_the_guard_a_failure_ends_the_run() -> None:
    """A canary: Pydantic AI raises what a tool raises. When it starts to mask, the guard has a sentence to learn."""

    def step(user: str, told: Any = None) -> Any:
        return {} if told is None else "done"

    with pytest.raises(KeyError):
        Agent(scripted(step, "crash"), tools=[crash]).run_sync("go")
    assert assert_envelope(one_call(crash)[0].content)["error"]["code"] == "INTERNAL"


class FatalError(Exception):
    """The app is not set up."""


def fatal() -> str:
    """Fail."""
    raise FatalError


def test_a_fatal_exception_fails_the_run() -> None:
    """What the app names is not answered."""
    with pytest.raises(FatalError):
        one_call(fatal, fatal=FatalError)


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("pydantic_ai_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("pydantic_ai", "pydantic_ai.exceptions") == set()
