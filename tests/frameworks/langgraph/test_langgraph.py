"""LangGraph and LangChain: agent middleware, ToolNode, guarded tools; declarations, interrupts, state budgets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool, ToolException, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command, interrupt

import telltale
from telltale.langchain import TelltaleMiddleware, Wrap, guarded
from telltale.testing import assert_envelope


class ScriptedModel(BaseChatModel):
    """Plays `next_step`, a function from the user's words and the last tool answer to a call or a text."""

    next_step: Callable[..., Any]
    tool: str = "book_meeting"

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Take any tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        user, told, number = "", None, 0
        for message in messages:
            if isinstance(message, HumanMessage):
                user, told = str(message.content), None
            elif isinstance(message, ToolMessage):
                told, number = message.content, number + 1
        step = self.next_step(user, told)
        calls = [] if isinstance(step, str) else [{"name": self.tool, "args": step, "id": f"call_{number + 1}"}]
        answer = AIMessage(content=step if isinstance(step, str) else "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=answer)])


CONFIG: Any = {"configurable": {"thread_id": "conv-1"}}


def told_by(graph: Any, turns: tuple[str, ...], *, asynchronous: bool = False) -> list[Any]:
    """The conversation's tool messages, from the graph's own state."""
    for turn in turns:
        given = {"messages": [("user", turn)]}
        if asynchronous:
            asyncio.run(graph.ainvoke(given, CONFIG))
        else:
            graph.invoke(given, CONFIG)
    return [message for message in graph.get_state(CONFIG).values["messages"] if isinstance(message, ToolMessage)]


def book_tool(scenario: Any) -> BaseTool:
    """The scenario's tool."""

    @tool
    def book_meeting(date: str, slot: str = "10:00") -> dict[str, Any]:
        """Book a meeting."""
        found: dict[str, Any] = scenario.book(date, slot)
        return found

    return book_meeting


def node_graph(tools: list[Any], model: Any, **wrap: Any) -> Any:
    """A graph of a model and a ToolNode, as LangGraph users write it."""

    def call_model(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    def after(state: MessagesState) -> str:
        last: Any = state["messages"][-1]
        return "tools" if last.tool_calls else "__end__"

    graph = StateGraph(MessagesState)
    graph.add_node("model", call_model)
    graph.add_node("tools", ToolNode(tools, **wrap))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", after, ["tools", "__end__"])
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("way", ["middleware", "middleware in state", "asynchronous", "tool node", "guarded tool"])
def test_the_scenario(way: str, scenario: Any, spans: Any, judged: Any) -> None:
    """Every way of guarding: compliant in every failing step, stopped at the budget, one span a call, judged."""
    model, book = ScriptedModel(next_step=scenario.next_step), book_tool(scenario)
    wrap = Wrap()
    graph = {
        "middleware": lambda: create_agent(
            model, [book], middleware=[TelltaleMiddleware()], checkpointer=InMemorySaver()
        ),
        "asynchronous": lambda: create_agent(
            model, [book], middleware=[TelltaleMiddleware()], checkpointer=InMemorySaver()
        ),
        "middleware in state": lambda: create_agent(
            model, [book], middleware=[TelltaleMiddleware(count_in_state=True)], checkpointer=InMemorySaver()
        ),
        "tool node": lambda: node_graph([book], model, wrap_tool_call=wrap.call, awrap_tool_call=wrap.acall),
        "guarded tool": lambda: node_graph([guarded(book)], model),
    }[way]()

    messages = told_by(graph, scenario.turns, asynchronous=way == "asynchronous")

    assert [message.status for message in messages] == ["error", "error", "error", "success"]
    scenario.check_told([message.content for message in messages])
    tools = scenario.check_spans(spans())
    assert {span.attributes["gen_ai.conversation.id"] for span in tools} == {"conv-1"}
    assert [span.attributes["gen_ai.tool.call.id"] for span in tools] == [f"call_{n}" for n in (1, 2, 3, 4)]
    judged()


@tool
def plain_tool(date: str, slot: str = "10:00") -> str:
    """Book a meeting."""
    return "fine"


def by_hand(date: str, slot: str = "10:00") -> dict[str, Any]:
    """Book a meeting."""
    return {}


def test_declarations_are_equal() -> None:
    """Name, description, schema and class are the inner tool's; the decorator changes nothing either."""
    copied = guarded(plain_tool)

    assert convert_to_openai_tool(copied) == convert_to_openai_tool(plain_tool)
    assert isinstance(copied, type(plain_tool))
    assert (copied.args, copied.return_direct, copied.tags) == (
        plain_tool.args,
        plain_tool.return_direct,
        plain_tool.tags,
    )
    assert convert_to_openai_tool(tool(telltale.guard(by_hand))) == convert_to_openai_tool(tool(by_hand))
    assert convert_to_openai_tool(guarded(by_hand)) == convert_to_openai_tool(tool(by_hand))


def test_a_guarded_tool_answers_everywhere() -> None:
    """Invoked with arguments it gives the envelope, with a tool call a ToolMessage; the plain one is untouched."""
    copied = guarded(plain_tool)

    assert copied.invoke({"date": "x"}) == {"status": "ok", "output": "fine"}
    assert asyncio.run(copied.ainvoke({"date": "x"})) == {"status": "ok", "output": "fine"}
    assert copied.invoke({})["error"]["field"] == "date"
    message = copied.invoke({"type": "tool_call", "name": "plain_tool", "args": {"date": "x"}, "id": "c1"})
    assert (message.tool_call_id, json.loads(message.content)) == ("c1", {"status": "ok", "output": "fine"})
    assert plain_tool.invoke({"date": "x"}) == "fine"


def one_call(tools: list[Any], arguments: dict[str, Any], name: str) -> ToolMessage:
    """One call by the model through the middleware."""

    def step(user: str, told: Any = None) -> Any:
        return arguments if told is None else "done"

    model = ScriptedModel(next_step=step, tool=name)
    graph = create_agent(model, tools, middleware=[TelltaleMiddleware()], checkpointer=InMemorySaver())
    (message,) = told_by(graph, ("go",))
    return message


def test_calls_that_never_reach_a_tool_are_answered_too() -> None:
    """Missing arguments name the field; an unknown tool is fixable (canaries for LangGraph's sentences)."""
    missing = one_call([plain_tool], {"slot": "9"}, "plain_tool")
    unknown = one_call([plain_tool], {}, "teleport")

    body = assert_envelope(missing.content)["error"]
    assert (body["code"], body["field"]) == ("INVALID_ARGUMENT", "date")
    assert assert_envelope(unknown.content)["error"]["code"] == "INVALID_ARGUMENT"
    assert (missing.status, unknown.status) == ("error", "error")


def test_an_authored_tool_exception_keeps_its_text() -> None:
    """ToolException is LangChain's way to speak to the model."""

    @tool
    def refuse() -> str:
        """Refuse."""
        raise ToolException("slot must be in the future")

    body = assert_envelope(one_call([refuse], {}, "refuse").content)["error"]

    assert (body["code"], body["message"]) == ("INVALID_ARGUMENT", "slot must be in the future")


def test_artifacts_and_content_blocks_survive() -> None:
    """What is not text for the model stays what it was."""

    def with_artifact() -> tuple[str, dict[str, int]]:
        """Give an artifact."""
        return "fine", {"id": 1}

    @tool
    def picture() -> list[dict[str, str]]:
        """Give a picture."""
        return [{"type": "text", "text": "a cat"}, {"type": "image", "url": "https://example.com/cat.png"}]

    made = StructuredTool.from_function(with_artifact, response_format="content_and_artifact")

    message = one_call([made], {}, "with_artifact")
    assert message.artifact == {"id": 1}
    assert json.loads(message.content) == {"status": "ok", "output": "fine"}  # type: ignore[arg-type]
    assert isinstance(one_call([picture], {}, "picture").content, list)


def test_interrupts_and_commands_are_the_graphs() -> None:
    """Neither is a result: an interrupt pauses the run and resumes, a Command updates the state."""

    @tool
    def approve(what: str) -> str:
        """Ask a person."""
        return f"{what}: {interrupt('sure?')}"

    @tool
    def hand_over(tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Change the state."""
        return Command(update={"messages": [ToolMessage("handed over", tool_call_id=tool_call_id)]})

    def step(user: str, told: Any = None) -> Any:
        return {"what": "pay"} if told is None else "done"

    model = ScriptedModel(next_step=step, tool="approve")
    graph = create_agent(model, [approve], middleware=[TelltaleMiddleware()], checkpointer=InMemorySaver())
    paused = graph.invoke({"messages": [("user", "go")]}, CONFIG)
    assert "__interrupt__" in paused
    resumed = graph.invoke(Command(resume="yes"), CONFIG)
    answers = [json.loads(m.content) for m in resumed["messages"] if isinstance(m, ToolMessage)]
    assert answers == [{"status": "ok", "output": "pay: yes"}]

    assert one_call([hand_over], {}, "hand_over").content == "handed over"


def test_without_the_guard_a_failure_ends_the_run() -> None:
    """A canary: LangGraph raises what a tool raises. When it starts to mask, the guard has a sentence to learn."""

    @tool
    def crash() -> str:
        """Crash."""
        raise KeyError("secret")

    def step(user: str, told: Any = None) -> Any:
        return {} if told is None else "done"

    with pytest.raises(KeyError):
        create_agent(ScriptedModel(next_step=step, tool="crash"), [crash]).invoke({"messages": [("user", "go")]})


def test_the_example_runs(example: Any) -> None:
    """A newcomer sees the worked example: told to fix, to retry, to stop; then booked."""
    printed = example("langgraph_agent.py")

    for word in ("fix_arguments", "retry_later", "stop_and_tell_user", "nothing was booked", "Booked: m-7781"):
        assert word in printed


def test_the_frameworks_signals_still_exist(missing_signals: Any) -> None:
    """A canary: a signal under a new name would be taken for a failure."""
    assert missing_signals("langgraph", "langgraph.errors") == set()
