"""Records `google_adk.jsonl`: a travel agent on google-adk with tools that nobody guarded.

Needs: google-adk, opentelemetry-sdk, opentelemetry-exporter-otlp-proto-http, opentelemetry-instrumentation-httpx,
httpx.
Run: `python sample_traces/record/google_adk.py`
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

os.environ.setdefault("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "SPAN_ONLY")
os.environ.setdefault("OTEL_SEMCONV_STABILITY_OPT_IN", "gen_ai_latest_experimental,http")

import httpx
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from opentelemetry import trace
from opentelemetry.instrumentation.httpx import HTTPXClientInstrumentor

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recording import HTML_502, Recorder, backend, think

Step = tuple[str, dict[str, Any]] | str

SCRIPTS: dict[str, list[tuple[str, list[Step]]]] = {
    "trip-anna": [
        ("Flights from Vienna to Lisbon?", [("search_flights", {"to": "LIS"}), "There is one at 9:40 for 129 euros."]),
        ("And to Oslo?", [("search_flights", {"to": "OSL"}), "There are no flights to Oslo."]),
    ],
    "trip-bruno": [
        ("What are the fare rules?", [("read_fare_rules", {"fare": "LIGHT"}), "The fare rules are a bad gateway."]),
        ("Any flights to Funchal?", [("search_flights", {"to": "FNC"}), "No flights to Funchal on that day."]),
    ],
    "trip-carla": [
        ("How many points do I have?", [("loyalty_points", {"member": "C-101"}), "Your status is unauthorized."]),
    ],
    "trip-david": [
        ("And I?", [("loyalty_points", {"member": "D-202"}), "I could not see your points."]),
        ("Hold a seat to Lisbon.", [("hold_seat", {"flight": "TP-1271"}), "Your seat is held."]),
    ],
    "trip-elena": [
        ("My points, please.", [("loyalty_points", {"member": "E-303"}), "It says unauthorized."]),
        ("Flights to Oslo?", [("search_flights", {"to": "OSL"}), "None today."]),
    ],
    "trip-frank": [
        ("Do I need a visa for Oslo?", [("visa_check", {"passport": "??"}), ("visa_check", {"passport": "AT"}),
                                        "No visa is needed."]),
        ("Flights to Lisbon?", [("search_flights", {"to": "LIS"}), "One at 9:40."]),
    ],
}  # fmt: skip
"""Sessions: what the user says, then the model's calls and its last words."""


def airline(method: str, path: str) -> tuple[int, Any]:
    """Oslo is out of order, the rules page sits behind a broken gateway, the loyalty token has expired."""
    if path.startswith("/flights/LIS"):
        return 200, [{"flight": "TP-1271", "departs": "09:40", "price": 129}]
    if path.startswith("/flights/OSL"):
        return 503, {"detail": "inventory is being rebuilt"}
    if path.startswith("/rules"):
        return 502, HTML_502
    if path.startswith("/points"):
        return 401, {"detail": "token expired"}
    if path.startswith("/seats"):
        time.sleep(1)
        return 200, {"held": True}
    return 200, []


class ScriptedModel(BaseLlm):
    """Follows the script of the session that is being recorded."""

    model: str = "scripted-1"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next call or the last words."""
        think(0.8)
        step = PENDING.pop(0)
        if isinstance(step, str):
            part = types.Part(text=step)
        else:
            part = types.Part(function_call=types.FunctionCall(name=step[0], args=step[1], id=f"call_{id(step):x}"))
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=50, candidates_token_count=10)
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=usage)


PENDING: list[Step] = []
PLACE = ""


def search_flights(to: str) -> list[dict[str, Any]]:
    """Flights from Vienna to an airport (IATA code) tomorrow."""
    try:
        response = httpx.get(f"http://{PLACE}/flights/{to}", timeout=5)
        response.raise_for_status()
    except httpx.HTTPError:
        return []  # the bug that the envelope is against: a failure told as emptiness
    found: list[dict[str, Any]] = response.json()
    return found


def read_fare_rules(fare: str) -> str:
    """The text of a fare's rules."""
    return httpx.get(f"http://{PLACE}/rules/{fare}", timeout=5).text


def loyalty_points(member: str) -> dict[str, Any]:
    """A member's points."""
    response = httpx.get(f"http://{PLACE}/points/{member}", timeout=5)
    if response.status_code == 401:
        return {"status": "unauthorized"}
    found: dict[str, Any] = response.json()
    return found


def hold_seat(flight: str) -> dict[str, Any]:
    """Hold a seat for ten minutes."""
    response = httpx.post(f"http://{PLACE}/seats/{flight}", timeout=0.3)
    held: dict[str, Any] = response.json()
    return held


def visa_check(passport: str) -> dict[str, Any]:
    """Whether a passport (ISO country code) needs a visa for Norway."""
    if len(passport) != 2 or not passport.isalpha():
        return {"error": "passport must be an ISO country code such as AT"}
    return {"visa": False}


async def converse(runner: InMemoryRunner, session: str, turns: list[tuple[str, list[Step]]]) -> None:
    """One session: every turn through ADK's own runner."""
    user = session.removeprefix("trip-")
    await runner.session_service.create_session(app_name=runner.app_name, user_id=user, session_id=session)
    for asked, steps in turns:
        PENDING[:] = steps
        message = types.Content(role="user", parts=[types.Part(text=asked)])
        try:
            async for event in runner.run_async(user_id=user, session_id=session, new_message=message):
                print(session, *(event.content.parts if event.content else [event.error_code]))
        except httpx.HTTPError as raised:
            print(session, "the run ended with", type(raised).__name__)
        think(2)


def main() -> None:
    """Record every session."""
    global PLACE
    recorder = Recorder()
    trace.set_tracer_provider(recorder.provider("travel-concierge", "2.0.1"))
    HTTPXClientInstrumentor().instrument()
    with backend(airline) as PLACE:
        agent = LlmAgent(
            name="concierge",
            model=ScriptedModel(),
            instruction="You help travellers.",
            tools=[search_flights, read_fare_rules, loyalty_points, hold_seat, visa_check],
        )
        runner = InMemoryRunner(agent=agent, app_name="travel")
        for session, turns in SCRIPTS.items():
            asyncio.run(converse(runner, session, turns))
        recorder.write("google_adk", {PLACE: "airline.example:443"})


if __name__ == "__main__":
    main()
