"""Google ADK: a tool that raises, guarded for an LlmAgent, with the plugin as the backstop.

pip install 'telltale-otel[adk,otlp]'; python examples/adk_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from calendar_tool import TURNS, make_tool, next_step, send_spans
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

import telltale
from telltale.adk import TelltalePlugin, guarded


class ScriptedModel(BaseLlm):
    """Stands where Gemini would."""

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """The next step of the script."""
        user, told = "", None
        for content in llm_request.contents:
            for part in content.parts or []:
                if part.text and content.role == "user":
                    user, told = part.text, None
                if part.function_response:
                    told = part.function_response.response
        step = next_step(user, told)
        call = None if isinstance(step, str) else types.FunctionCall(name="book_meeting", args=step)
        part = types.Part(text=step) if isinstance(step, str) else types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main() -> None:
    """Two user turns in one session."""
    agent = LlmAgent(
        name="scheduler",
        model=ScriptedModel(model="scripted"),
        instruction=telltale.agent_instruction(),
        tools=[guarded(make_tool())],
    )
    runner = InMemoryRunner(app=App(name="meetings", root_agent=agent, plugins=[TelltalePlugin()]))
    session = await runner.session_service.create_session(app_name="meetings", user_id="ada")
    for turn in TURNS:
        print(f"user: {turn}")
        message = types.Content(role="user", parts=[types.Part(text=turn)])
        async for event in runner.run_async(user_id="ada", session_id=session.id, new_message=message):
            if event.is_final_response() and event.content and event.content.parts:
                print(f"agent: {event.content.parts[0].text}")


if __name__ == "__main__":
    send_spans("adk-example")
    asyncio.run(main())
