"""CrewAI: guarded tools, by native function calling and by the ReAct protocol; declarations, cache, its failures."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable
from typing import Any

import pytest

os.environ["CREWAI_DISABLE_TELEMETRY"] = "true"  # before the import: it would send spans of its own to its makers
os.environ["CREWAI_TRACING_ENABLED"] = "false"

from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import BaseTool, tool
from crewai.tools.tool_failure import ToolFailure
from pydantic import Field

import telltale
from telltale.crewai import guarded
from telltale.testing import assert_envelope


class ScriptedModel(BaseLLM):
    """Plays `next_step`, a function from the user's words and the last tool answer to a call or a text."""

    next_step: Callable[..., Any] = Field(exclude=True)
    tool: str = "book_meeting"
    native: bool = True
    seen: list[str] = Field(default_factory=list)

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        """The next step, read off the conversation as a real model reads it."""
        told = [self._told(message) for message in messages if self._told(message) is not None]
        self.seen = [str(answer) for answer in told]
        user = next(str(m["content"]) for m in messages if m["role"] == "user")
        step = self.next_step(user, told[-1] if told else None)
        if isinstance(step, str):
            return step if self.native else f"Thought: I now know the final answer\nFinal Answer: {step}"
        if self.native:
            function = {"name": self.tool, "arguments": json.dumps(step)}
            return [{"id": f"call_{len(told) + 1}", "type": "function", "function": function}]
        return f"Thought: go on\nAction: {self.tool}\nAction Input: {json.dumps(step)}"

    def _told(self, message: dict[str, Any]) -> str | None:
        content = str(message.get("content") or "")
        if self.native:
            return content if message["role"] == "tool" else None
        _, found, after = content.partition("\nObservation: ")
        if not found or not after.startswith("{") or message["role"] != "assistant":
            return None
        _, end = json.JSONDecoder().raw_decode(after)  # CrewAI repeats its instructions behind some
        return after[:end]

    def supports_function_calling(self) -> bool:
        """Which of CrewAI's two protocols is used."""
        return self.native

    def supports_stop_words(self) -> bool:
        """No."""
        return False

    def get_context_window_size(self) -> int:
        """Large enough."""
        return 100_000


def turn(model: ScriptedModel, tools: list[Any], user: str) -> list[str]:
    """One user turn: a crew of one with one task. What the model was given, from its own conversation."""
    agent = Agent(role="scheduler", goal="book", backstory="brief", llm=model, tools=tools, verbose=False)
    task = Task(description=user, expected_output="an answer", agent=agent)
    Crew(agents=[agent], tasks=[task], verbose=False).kickoff()
    return model.seen


@pytest.mark.parametrize("native", [True, False], ids=["native", "react"])
def test_the_scenario(native: bool, scenario: Any, spans: Any, judged: Any) -> None:
    """Compliant in every failing step, stopped at the budget, later success in the same conversation, judged."""

    @tool("book_meeting")
    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        found: dict[str, Any] = scenario.book(date, slot)
        return found

    def next_step(user: str, told: Any = None) -> Any:
        step = scenario.next_step(user, told)
        # CrewAI's ReAct loop never makes the same call twice in a row: the retry leaves the default slot out.
        retries = told is not None and json.loads(told).get("error", {}).get("action") == "retry_later"
        return {"date": step["date"]} if retries and not native else step

    told: list[str] = []
    with telltale.conversation("conv-1", agent="scheduler"):
        for user in scenario.turns:
            model = ScriptedModel(model="scripted", next_step=next_step, native=native)
            told += turn(model, [guarded(book_meeting)], user)

    scenario.check_told(told)
    tools = scenario.check_spans(spans())
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    judged()


@tool("book_meeting")
def plain_tool(date: str, slot: str = "10:00") -> str:
    """Book a meeting."""
    return "fine"


def test_declarations_are_equal() -> None:
    """Class, name, description and schema are the inner tool's."""
    copied = guarded(plain_tool)

    assert isinstance(copied, type(plain_tool))
    assert (copied.name, copied.description) == (plain_tool.name, plain_tool.description)
    assert copied.args_schema.model_json_schema() == plain_tool.args_schema.model_json_schema()

    def find_slots(day: str) -> list[str]:
        """Find slots."""
        return [day]

    by_decorator, without = tool("find_slots")(telltale.guard(find_slots)), tool("find_slots")(find_slots)
    assert by_decorator.args_schema.model_json_schema() == without.args_schema.model_json_schema()
    assert by_decorator.description == without.description
    before, after = plain_tool.to_structured_tool(), copied.to_structured_tool()
    assert (after.name, after.description, after.args) == (before.name, before.description, before.args)


def test_a_guarded_tool_answers_everywhere() -> None:
    """Plain, asynchronous, and in the form that ReAct agents call; as JSON where CrewAI makes text of it."""
    copied = guarded(plain_tool)

    assert copied.run(date="x") == {"status": "ok", "output": "fine"}
    assert copied.format_output_for_agent(copied.run(date="x")) == '{"status": "ok", "output": "fine"}'
    assert copied.to_structured_tool().invoke({"date": "x"}) == {"status": "ok", "output": "fine"}
    assert plain_tool.run(date="x") == "fine"


def test_failures_are_crewais_failures_and_are_not_cached() -> None:
    """CrewAI learns that the tool failed, and a failed answer is never kept for the next call."""

    class Own(BaseTool):
        """A tool as a class, with an asynchronous side."""

        name: str = "own"
        description: str = "Own."

        def _run(self, date: str) -> str:
            raise ConnectionRefusedError

        async def _arun(self, date: str) -> str:
            raise ConnectionRefusedError

    copied = guarded(Own())
    failed = copied.run(date="x")

    assert isinstance(failed, ToolFailure)
    assert assert_envelope(failed.as_agent_message())["error"]["code"] == "UNAVAILABLE"
    assert failed.retryable
    assert copied.cache_function({}, failed) is False
    assert copied.cache_function({}, copied.run) is True
    assert isinstance(asyncio.run(copied.arun(date="x")), ToolFailure)


def test_bad_arguments_name_the_field_in_both_forms() -> None:
    """CrewAI checks them in two places."""
    copied = guarded(plain_tool)

    for failed in (copied.run(slot="9"), copied.to_structured_tool().invoke({"slot": "9"})):
        body = assert_envelope(failed.as_agent_message())["error"]
        assert (body["code"], body["field"]) == ("INVALID_ARGUMENT", "date")


def test_a_declared_failure_becomes_an_envelope() -> None:
    """A tool may return CrewAI's ToolFailure itself."""

    @tool("declare")
    def declare() -> Any:
        """Declare a failure."""
        return ToolFailure(message="no such channel: not found")

    body = assert_envelope(guarded(declare).run().as_agent_message())["error"]

    assert body["code"] == "NOT_FOUND"


def test_crewais_masking_sentence() -> None:
    """A canary: when CrewAI changes its words, the catalogue of masking sentences has to learn them."""

    @tool("crash")
    def crash() -> str:
        """Crash."""
        raise KeyError("secret")

    def step(user: str, told: Any = None) -> Any:
        return {} if told is None else "done"

    assert turn(ScriptedModel(model="scripted", next_step=step, tool="crash"), [crash], "go") == [
        "Error executing tool: 'secret'"
    ]


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("crewai_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("crewai", "crewai.flow.async_feedback.types") == set()
