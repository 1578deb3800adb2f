"""LangGraph: one middleware guards every tool of an agent, and counts the failure budget from the graph's state.

pip install 'telltale-otel[langchain,otlp]'; python examples/langgraph_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

from typing import Any

from calendar_tool import TURNS, make_tool, next_step, send_spans
from langchain.agents import create_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

import telltale
from telltale.langchain import TelltaleMiddleware


class ScriptedModel(BaseChatModel):
    """Stands where a chat model would."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        """Take any tools."""
        return self

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        user, told = "", None
        for message in messages:
            if isinstance(message, HumanMessage):
                user, told = str(message.content), None
            elif isinstance(message, ToolMessage):
                told = message.content
        step = next_step(user, told)
        if isinstance(step, str):
            answer = AIMessage(content=step)
        else:
            call = {"name": "book_meeting", "args": step, "id": f"call_{len(messages)}"}
            answer = AIMessage(content="", tool_calls=[call])
        return ChatResult(generations=[ChatGeneration(message=answer)])


def main() -> None:
    """Two user turns in one thread."""
    agent = create_agent(
        ScriptedModel(),
        [make_tool()],
        system_prompt=telltale.agent_instruction(),
        middleware=[TelltaleMiddleware(count_in_state=True)],
        checkpointer=InMemorySaver(),
    )
    for turn in TURNS:
        print(f"user: {turn}")
        result = agent.invoke({"messages": [("user", turn)]}, {"configurable": {"thread_id": "langgraph-example"}})
        print(f"agent: {result['messages'][-1].content}")


if __name__ == "__main__":
    send_spans("langgraph-example")
    main()
