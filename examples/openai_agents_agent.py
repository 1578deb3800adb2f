"""OpenAI Agents SDK: a function tool whose failures reach the model as envelopes instead of one fixed sentence.

pip install 'telltale-otel[openai-agents,otlp]'; python examples/openai_agents_agent.py [--endpoint …]
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import Agent, RunConfig, Runner, set_tracing_disabled
from agents.items import ModelResponse
from agents.models.interface import Model
from agents.usage import Usage
from calendar_tool import TURNS, make_tool, next_step, send_spans
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import telltale
from telltale.openai_agents import guarded


class ScriptedModel(Model):
    """Stands where an OpenAI model would."""

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002
        """The next step of the script."""
        user, told = "", None
        for item in input:
            if item.get("role") == "user":
                user, told = item["content"], None
            elif item.get("type") == "function_call_output":
                told = item["output"]
        step = next_step(user, told)
        output: Any
        if isinstance(step, str):
            text = ResponseOutputText(type="output_text", text=step, annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        else:
            name, call_id = "book_meeting", f"call_{len(input)}"
            output = ResponseFunctionToolCall(
                type="function_call", name=name, arguments=json.dumps(step), call_id=call_id, id=call_id
            )
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    async def stream_response(self, *_: Any, **__: Any) -> Any:
        """Not used here."""
        raise NotImplementedError
        yield


async def main() -> None:
    """Two user turns in one group."""
    agent = Agent(
        name="scheduler",
        instructions=telltale.agent_instruction(),
        model=ScriptedModel(),
        tools=[guarded(make_tool())],
    )
    items: list[Any] = []
    for turn in TURNS:
        print(f"user: {turn}")
        given = [*items, {"role": "user", "content": turn}]
        result = await Runner.run(agent, given, run_config=RunConfig(group_id="openai-agents-example"))
        items = result.to_input_list()
        print(f"agent: {result.final_output}")


if __name__ == "__main__":
    set_tracing_disabled(True)
    send_spans("openai-agents-example")
    asyncio.run(main())
