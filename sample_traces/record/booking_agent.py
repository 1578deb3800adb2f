"""Records `booking_agent.jsonl`: examples/booking_agent.py as it is, and more conversations with guarded tools.

Needs: this project with its `otlp` extra. Run from the checkout: `python sample_traces/record/booking_agent.py`
"""

from __future__ import annotations

import importlib.util
import json
import sys
import threading
import types
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from opentelemetry import trace

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

from recording import Recorder, backend, think  # noqa: E402

import telltale  # noqa: E402
from telltale import guard  # noqa: E402

Step = tuple[str, dict[str, Any]]


def example() -> types.ModuleType:
    """The example as a module."""
    place = Path(__file__).resolve().parents[2] / "examples" / "booking_agent.py"
    spec = importlib.util.spec_from_file_location("booking_agent_example", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def directory(method: str, path: str) -> tuple[int, Any]:
    """The company directory: sharing is forbidden since its token lost a scope, one calendar is broken."""
    if path.startswith("/shares"):
        return 403, {"detail": "token lacks scope calendars.share"}
    if path.startswith("/rooms/free"):
        return 200, [{"room": "Ada", "seats": 6}]
    return 200, []


def make_tools(agent: types.ModuleType, calendar: str, people: str) -> dict[str, Callable[..., dict[str, Any]]]:
    """The example's tools, and three more."""

    @guard
    def share_calendar(person: str) -> dict[str, Any]:
        """Let a colleague see the user's calendar."""
        shared: dict[str, Any] = agent.request("POST", f"http://{people}/shares", {"person": person})
        return shared

    @guard
    def find_room(seats: int) -> list[dict[str, Any]]:
        """Rooms that are free now."""
        kind = "free" if seats < 10 else "large"
        rooms: list[dict[str, Any]] = agent.request("GET", f"http://{people}/rooms/{kind}")
        return rooms

    @guard
    def move_meeting(meeting: str, slot: str) -> dict[str, Any]:
        """Move a meeting to another slot of the same day."""
        known: dict[str, str] = {}
        return {"meetingId": meeting, "day": known[meeting]}  # the bug: a KeyError that nobody expected

    return {
        **agent.make_tools(f"http://{calendar}"),
        "share_calendar": share_calendar,
        "find_room": find_room,
        "move_meeting": move_meeting,
    }


SCRIPTS: dict[str, list[tuple[str, list[Step], str]]] = {
    "booking-ben": [
        ("What is on 9 October?", [("list_meetings", {"day": "2026-10-09"})], "Nothing is planned on that day."),
        ("A room for six, please.", [("find_room", {"seats": 6})], "Room Ada is free."),
    ],
    "booking-cleo": [
        ("Share my calendar with Dan.", [("share_calendar", {"person": "dan"})], "I have no access to do that."),
    ],
    "booking-dan": [
        ("Is a room for twenty free?", [("find_room", {"seats": 20})], "No large room is free now."),
        ("Share my calendar with Eve.", [("share_calendar", {"person": "eve"})], "I have no access to do that."),
    ],
    "booking-eve": [
        ("Share my calendar with Fay.", [("share_calendar", {"person": "fay"})], "I have no access to do that."),
    ],
    "booking-fay": [
        ("Move m-7781 to two.", [("move_meeting", {"meeting": "m-7781", "slot": "14:00"})],
         "Something went wrong on our side; the meeting was not moved."),
    ],
    "booking-gus": [
        ("Move m-7790 to 16:00.", [("move_meeting", {"meeting": "m-7790", "slot": "16:00"})],
         "Something went wrong on our side; the meeting was not moved."),
    ],
    "booking-ivy": [
        ("Book 7 October at eleven.", [("book_meeting", {"date": "2026-10-07", "slot": "11:00"}),
                                       ("book_meeting", {"date": "2026-10-07", "slot": "11:00"})],
         "The calendar is not available; nothing was booked."),
    ],
    "booking-hal": [
        ("Move m-7802 to 09:30.", [("move_meeting", {"meeting": "m-7802", "slot": "09:30"})],
         "Something went wrong on our side; the meeting was not moved."),
        ("Then what is on 6 October?", [("list_meetings", {"day": "2026-10-06"})], "A standup at nine."),
    ],
}  # fmt: skip
"""Conversations: what the user asks, the tools that the model calls, what it answers."""


def play(agent: types.ModuleType, tools: dict[str, Callable[..., dict[str, Any]]]) -> None:
    """Run every scripted conversation through the example's own loop, with a model that follows the script."""
    for session, turns in SCRIPTS.items():
        agent.Calendar.outages = 2 if session == "booking-ivy" else 0
        with telltale.conversation(session, agent=agent.AGENT, user=session.removeprefix("booking-")):
            messages = [agent.text("system", "You schedule meetings.")]
            for asked, steps, said in turns:
                agent.model = scripted(agent, steps, said)
                agent.turn(asked, messages, tools)
                think(2)


def scripted(agent: types.ModuleType, steps: list[Step], said: str) -> Callable[[list[Any]], Any]:
    """A model that makes these calls, one after the other, and then says this."""
    left = list(steps)

    def model(messages: list[Any]) -> Any:
        think(0.8)
        if left:
            name, arguments = left.pop(0)
            number = sum(message["role"] == "tool" for message in messages) + 1
            return agent.call(number, name, arguments)
        return agent.text("assistant", said)

    return model


def paced(agent: types.ModuleType) -> Callable[[list[Any]], Any]:
    """The example's own model, at the pace of a real one."""
    own = agent.model

    def model(messages: list[Any]) -> Any:
        think(0.8)
        return own(messages)

    return model


def main() -> None:
    """Record the example's conversation and the scripted ones."""
    recorder = Recorder()
    trace.set_tracer_provider(recorder.provider("booking-agent"))
    agent = example()
    calendar = ThreadingHTTPServer(("127.0.0.1", 0), agent.Calendar)
    threading.Thread(target=calendar.serve_forever, daemon=True).start()
    place = f"127.0.0.1:{calendar.server_port}"
    with backend(directory) as people:
        tools = make_tools(agent, place, people)
        own, agent.model = agent.model, paced(agent)
        messages = [agent.text("system", f"You schedule meetings.\n{telltale.agent_instruction()}")]
        with telltale.conversation("booking-ada", agent=agent.AGENT, user="ada"):
            for asked in agent.TURNS:
                print(json.dumps(agent.turn(asked, messages, tools)))
                think(3)
        agent.model = own
        play(agent, tools)
        recorder.write("booking_agent", {place: "calendar.example:443", people: "directory.example:443"})
    calendar.shutdown()


if __name__ == "__main__":
    main()
