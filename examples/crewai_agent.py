"""CrewAI: a guarded tool; the crew also learns that it failed, and a failed answer is never cached.

pip install 'telltale-otel[crewai,otlp]'; python examples/crewai_agent.py [--endpoint http://localhost:4318]
"""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("CREWAI_TRACING_ENABLED", "false")

from calendar_tool import TURNS, make_tool, next_step, send_spans
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

import telltale
from telltale.crewai import guarded


class ScriptedModel(BaseLLM):
    """Stands where a model with function calling would."""

    def call(self, messages: Any, *_: Any, **__: Any) -> Any:
        """The next step of the script."""
        told = [message["content"] for message in messages if message["role"] == "tool"]
        user = next(str(message["content"]) for message in messages if message["role"] == "user")
        step = next_step(user, told[-1] if told else None)
        if isinstance(step, str):
            return step
        function = {"name": "book_meeting", "arguments": json.dumps(step)}
        return [{"id": f"call_{len(told)}", "type": "function", "function": function}]

    def supports_function_calling(self) -> bool:
        """Yes."""
        return True


def main() -> None:
    """Two tasks in one conversation."""
    book_meeting = guarded(tool("book_meeting")(make_tool()))
    for turn in TURNS:
        print(f"user: {turn}")
        agent = Agent(
            role="scheduler",
            goal="Book meetings.",
            backstory=telltale.agent_instruction(),
            llm=ScriptedModel(model="scripted"),
            tools=[book_meeting],
        )
        task = Task(description=turn, expected_output="What was booked.", agent=agent)
        print(f"agent: {Crew(agents=[agent], tasks=[task]).kickoff()}")


if __name__ == "__main__":
    send_spans("crewai-example")
    with telltale.conversation("crewai-example", agent="scheduler"):
        main()
