"""A scripted model for Google ADK, and conversations with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types


class ScriptedModel(BaseLlm):
    """Plays `next_step`, a function from the user's words and the last tool answer to a call or a text."""

    next_step: Callable[..., Any]
    tool: str = "book_meeting"

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncIterator[LlmResponse]:
        """The next step, read off the request as a real model reads it."""
        user, told, number = "", None, 0
        for content in llm_request.contents:
            for part in content.parts or []:
                if part.text and content.role == "user":
                    user, told = part.text, None
                if part.function_response:
                    told, number = part.function_response.response, number + 1
        step = self.next_step(user, told)
        if isinstance(step, str):
            part = types.Part(text=step)
        else:
            call = types.FunctionCall(name=self.tool, args=step, id=f"call_{number + 1}")
            part = types.Part(function_call=call)
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


def converse(agent: LlmAgent, turns: tuple[str, ...], plugins: list[Any] | None = None) -> tuple[list[Any], Any]:
    """The conversation's tool answers, from the session's own events, and the session."""

    async def talk() -> Any:
        runner = InMemoryRunner(app=App(name="meetings", root_agent=agent, plugins=plugins or []))
        session = await runner.session_service.create_session(app_name="meetings", user_id="ada", session_id="conv-1")
        for turn in turns:
            message = types.Content(role="user", parts=[types.Part(text=turn)])
            async for _ in runner.run_async(user_id="ada", session_id=session.id, new_message=message):
                pass
        return await runner.session_service.get_session(app_name="meetings", user_id="ada", session_id="conv-1")

    session = asyncio.run(talk())
    told = [answer.response for event in session.events for answer in event.get_function_responses()]
    return told, session


def one_call(tool: Any, arguments: dict[str, Any], plugins: list[Any] | None = None, name: str = "") -> list[Any]:
    """The answers of one call by the model, then it stops."""

    def step(user: str, told: Any = None) -> Any:
        return arguments if told is None else "done"

    model = ScriptedModel(model="scripted", next_step=step, tool=name or getattr(tool, "name", ""))
    told, _ = converse(LlmAgent(name="scheduler", model=model, tools=[tool]), ("go",), plugins)
    return told
