"""An instrumented agent that a newcomer can run: no key, no framework, no network beyond this machine.

A user asks a scheduling agent to book a meeting. The model first gives a date that is none, then the calendar answers
503 twice, the failure budget is spent, the user is told, and later the same request succeeds.

    python examples/booking_agent.py                                    # prints the conversation
    python examples/booking_agent.py --endpoint http://localhost:4318   # and sends its spans to a collector

The model is a script that does what each envelope's action asks; everything else is as in a real agent: spans
`invoke_agent`, `chat` and `execute_tool` in one conversation, and a real HTTP backend behind the tools.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import threading
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.trace import SpanKind, Status, StatusCode

import telltale
from telltale import Code, ToolError, guard

AGENT = "scheduler"
MODEL = "scripted-1"
tracer = trace.get_tracer("booking-agent")
Message = dict[str, Any]


# --- The calendar: a real HTTP server in this process, out of order for two bookings ---------------------------------


class Calendar(BaseHTTPRequestHandler):
    """`POST /meetings` books, `GET /meetings/{day}` lists. The first two bookings answer 503."""

    outages = 2
    meetings: ClassVar[dict[str, list[dict[str, str]]]] = {"2026-10-06": [{"slot": "09:00", "title": "Standup"}]}

    def do_POST(self) -> None:
        """Book a slot."""
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if Calendar.outages > 0:
            Calendar.outages -= 1
            return self._answer(503, {"detail": "pool exhausted on db-7.internal"})
        day = Calendar.meetings.setdefault(asked["date"], [])
        if any(meeting["slot"] == asked["slot"] for meeting in day):
            return self._answer(409, {"detail": "slot taken"})
        day.append({"slot": asked["slot"], "title": asked["title"]})
        return self._answer(201, {"meetingId": "m-7781", "start": f"{asked['date']}T{asked['slot']}:00Z"})

    def do_GET(self) -> None:
        """List a day's meetings; an unknown day is honestly empty."""
        return self._answer(200, Calendar.meetings.get(self.path.rpartition("/")[2], []))

    def _answer(self, status: int, body: Any) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Stay silent: the transcript is the output."""


def request(method: str, url: str, body: Any = None) -> Any:
    """One HTTP request under a client span, as an instrumented HTTP library makes it."""
    parts = urlsplit(url)
    attributes: dict[str, Any] = {
        "http.request.method": method,
        "url.full": url,
        "server.address": parts.hostname or "",
        "server.port": parts.port or 80,
    }
    with tracer.start_as_current_span(method, kind=SpanKind.CLIENT, attributes=attributes) as span:
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(url, data=data, method=method, headers={"content-type": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=5) as response:
                span.set_attribute("http.response.status_code", response.status)
                return json.load(response)
        except urllib.error.HTTPError as refused:
            span.set_attribute("http.response.status_code", refused.code)
            span.set_attribute("error.type", str(refused.code))
            span.set_status(Status(StatusCode.ERROR))
            raise


# --- The tools: business logic; the guard does the rest --------------------------------------------------------------


def make_tools(base: str) -> dict[str, Callable[..., dict[str, Any]]]:
    """The agent's tools, talking to the calendar at `base`."""

    @guard
    def book_meeting(date: str, slot: str, title: str = "Meeting") -> dict[str, Any]:
        """Book a meeting on an ISO-8601 date at a 24h start time."""
        try:
            day = datetime.date.fromisoformat(date)
        except ValueError:
            raise ToolError(
                Code.INVALID_ARGUMENT, "date must be an ISO-8601 calendar date such as 2026-10-06", field="date"
            ) from None
        start = datetime.time.fromisoformat(slot)
        booked: dict[str, Any] = request(
            "POST", f"{base}/meetings", {"date": f"{day}", "slot": f"{start:%H:%M}", "title": title}
        )
        return booked

    @guard
    def list_meetings(day: str) -> list[dict[str, str]]:
        """List the meetings of a day."""
        found: list[dict[str, str]] = request("GET", f"{base}/meetings/{day}")
        return found

    return {"book_meeting": book_meeting, "list_meetings": list_meetings}


# --- The model: a script that obeys the action of each envelope ------------------------------------------------------


def text(role: str, content: str) -> Message:
    """A message of plain text, in the shape of the GenAI conventions."""
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def call(number: int, name: str, arguments: dict[str, Any]) -> Message:
    """The model's wish to call a tool."""
    part = {"type": "tool_call", "id": f"call_{number}", "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part]}


def model(messages: list[Message]) -> Message:
    """The next step, read off the last message and, after a tool has answered, off the envelope's action."""
    number = sum(message["role"] == "tool" for message in messages) + 1
    last = messages[-1]["parts"][0]
    if last["type"] == "text":
        asked = last["content"]
        if "what else" in asked.lower():
            return call(number, "list_meetings", {"day": "2026-10-06"})
        day = "2026-10-06" if "again" in asked.lower() else "next Tuesday"
        return call(number, "book_meeting", {"date": day, "slot": "10:00"})
    envelope = last["response"]
    if envelope["status"] == "ok":
        return text("assistant", confirmation(envelope["output"]))
    action = envelope["error"]["action"]
    if action in ("fix_arguments", "retry_later"):
        return call(number, "book_meeting", {"date": "2026-10-06", "slot": "10:00"})
    return text("assistant", "The calendar is not available right now, so nothing was booked. Ask me again later.")


def confirmation(output: Any) -> str:
    """What the user is told of a success."""
    if isinstance(output, list):
        return "On that day: " + ", ".join(f"{m['slot']} {m['title']}" for m in output)
    return f"Booked: {output['meetingId']} at {output['start']}."


# --- The agent loop, with the spans of the GenAI conventions ---------------------------------------------------------


def chat(messages: list[Message]) -> Message:
    """One model call under its span."""
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": MODEL,
        "gen_ai.conversation.id": session_id(),
        "gen_ai.input.messages": json.dumps(messages),
    }
    with tracer.start_as_current_span(f"chat {MODEL}", kind=SpanKind.CLIENT, attributes=attributes) as span:
        answer = model(messages)
        finish = "tool_call" if answer["parts"][0]["type"] == "tool_call" else "stop"
        span.set_attribute("gen_ai.output.messages", json.dumps([{**answer, "finish_reason": finish}]))
        span.set_attribute("gen_ai.response.finish_reasons", [finish])
        return answer


def session_id() -> str:
    """The conversation's id, as `telltale.conversation` set it."""
    return telltale.current_identity().session or ""


def turn(asked: str, messages: list[Message], tools: dict[str, Callable[..., dict[str, Any]]]) -> str:
    """One user turn: model and tools in turns until the model has an answer for the user."""
    messages.append(text("user", asked))
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": session_id(),
        "user.id": telltale.current_identity().user or "",
    }
    with tracer.start_as_current_span(f"invoke_agent {AGENT}", attributes=attributes):
        while True:
            answer = chat(messages)
            messages.append(answer)
            part = answer["parts"][0]
            if part["type"] == "text":
                return str(part["content"])
            with telltale.tool_call(part["id"]):
                envelope = tools[part["name"]](**part["arguments"])
            print(f"  {part['name']}({json.dumps(part['arguments'])})\n    -> {json.dumps(envelope)}")
            messages.append(
                {"role": "tool", "parts": [{"type": "tool_call_response", "id": part["id"], "response": envelope}]}
            )


TURNS = ("Book next Tuesday at ten.", "What else is on that day?", "Please try the booking again.")


def main() -> None:
    """Start the calendar, run the conversation, send the spans."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--endpoint", help="OTLP collector, such as http://localhost:4318")
    parser.add_argument("--session", help="conversation id; a fresh one where left out")
    options = parser.parse_args()
    if options.endpoint or any(name.startswith("OTEL_EXPORTER_OTLP") for name in os.environ):
        # The requests below make their own client spans, so that the example needs no instrumentation package.
        telltale.instrument(endpoint=options.endpoint, service="booking-agent", upstream=False)
    Calendar.outages = 2
    server = ThreadingHTTPServer(("127.0.0.1", 0), Calendar)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tools = make_tools(f"http://127.0.0.1:{server.server_port}")
    session = options.session or f"booking-{uuid.uuid4().hex[:8]}"
    messages: list[Message] = [text("system", f"You schedule meetings.\n{telltale.agent_instruction()}")]
    print(f"conversation {session}")
    with telltale.conversation(session, agent=AGENT, user="ada"):
        for asked in TURNS:
            print(f"\nuser: {asked}")
            print(f"agent: {turn(asked, messages, tools)}")
    server.shutdown()


if __name__ == "__main__":
    main()
