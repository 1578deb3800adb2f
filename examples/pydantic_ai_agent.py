"""Pydantic AI: a guarded toolset; with the framework's own tracing on, its span of the call is enriched.

pip install 'telltale-otel[pydantic-ai,otlp]'; python examples/pydantic_ai_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

from calendar_tool import TURNS, make_tool, next_step, send_spans
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import telltale
from telltale.pydantic_ai import guarded


def scripted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stands where a model would: the next step of the script."""
    user, told = "", None
    for message in messages:
        for part in message.parts:
            if isinstance(part, UserPromptPart):
                user, told = str(part.content), None
            elif isinstance(part, ToolReturnPart):
                told = part.content
    step = next_step(user, told)
    return ModelResponse(parts=[TextPart(step) if isinstance(step, str) else ToolCallPart("book_meeting", step)])


def main() -> None:
    """Two user turns in one conversation."""
    agent = Agent(
        FunctionModel(scripted),
        name="scheduler",
        instructions=telltale.agent_instruction(),
        toolsets=[guarded([make_tool()])],
    )
    history: list[ModelMessage] = []
    for turn in TURNS:
        print(f"user: {turn}")
        result = agent.run_sync(turn, message_history=history)
        history = result.all_messages()
        print(f"agent: {result.output}")


if __name__ == "__main__":
    send_spans("pydantic-ai-example")
    Agent.instrument_all()
    with telltale.conversation("pydantic-ai-example"):
        main()
