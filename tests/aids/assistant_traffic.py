"""Traffic of a small assistant, as OTLP/JSON: sessions with user, model, tool and upstream spans; some calls fail.

The spans follow the OpenTelemetry GenAI semantic conventions. What happens is drawn from a seed; times end now.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from typing import Any

SECOND = 10**9
Json = dict[str, Any]

ANSWERS: dict[str, tuple[str, int]] = {
    # what happens: (what the tool returns, status of the HTTP call below it)
    "ok": ('{"status": "ok", "output": {"id": "m-7781", "slots": ["10:00", "11:30"]}}', 200),
    "unavailable": (
        '{"status": "error", "error": {"code": "UNAVAILABLE", "message": "The calendar does not answer. Try again'
        ' later.", "action": "retry_later", "retryable": true}}',
        503,
    ),
    "exhausted": (
        '{"status": "error", "error": {"code": "UNAVAILABLE", "message": "The calendar does not answer. It failed 2'
        ' times in a row; stop calling it.", "action": "stop_and_tell_user", "retryable": false}}',
        503,
    ),
    "argument": (
        '{"status": "error", "error": {"code": "INVALID_ARGUMENT", "field": "date", "message": "date must be an'
        ' ISO-8601 calendar date such as 2026-10-06", "action": "fix_arguments", "retryable": true}}',
        0,
    ),
    "exception": (
        "HTTPStatusError: Server error '500 Internal Server Error' for url 'https://crm.example.com/v2'",
        500,
    ),
    "denied": ('{"error": "forbidden", "status": 403}', 403),
    "empty": ("[]", 503),
    "page": ("<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>", 502),
}
TOOLS: dict[str, dict[str, int]] = {
    "book_meeting": {"ok": 60, "argument": 8, "unavailable": 5, "exhausted": 2},
    "list_meetings": {"ok": 70, "empty": 6, "page": 1},
    "find_customer": {"ok": 60, "denied": 4, "exception": 3},
    "send_mail": {"ok": 80, "exception": 2},
    "search_flights": {"ok": 90, "unavailable": 2, "empty": 2},
}
HOSTS = {
    "book_meeting": "calendar.example.com",
    "list_meetings": "calendar.example.com",
    "find_customer": "crm.example.com",
    "send_mail": "mail.example.com",
    "search_flights": "flights.example.com",
}


class Traffic:
    """Makes requests; `hostile` text goes into every name, id and payload."""

    def __init__(self, seed: int = 3, hostile: str = "") -> None:
        self._rng = random.Random(seed)
        self._hostile = f" {hostile}" if hostile else ""
        self._now = time.time_ns()

    def day(self, sessions: int, days_ago: int = 0) -> list[Json]:
        """One request for each session, spread over a day, more of them towards its end."""
        made = []
        for n in range(sessions):
            back = 23.5 * 3600 * ((n + 0.5) / sessions) ** 1.6 + days_ago * 24 * 3600
            made.append(self.session(f"chat-{days_ago}{n:04d}", self._now - int(back * SECOND) - 20 * SECOND))
        return made

    def session(self, name: str, at_ns: int, script: list[tuple[str, str]] | None = None) -> Json:
        """One session as an export request. `script` names tool and answer of each call; None draws them."""
        drawn = script or [self._draw() for _ in range(self._rng.randint(1, 4))]
        common = {
            "gen_ai.conversation.id": name + self._hostile,
            "gen_ai.agent.name": self._rng.choice(("scheduler", "concierge")) + self._hostile,
            "user.id": f"user-{self._rng.randint(1, 30)}{self._hostile}",
        }
        run = _Run(f"{self._rng.getrandbits(128):032x}", self._id(), common)
        at = at_ns
        heard = [_message("user", f"Please book next Tuesday at ten.{self._hostile}")]
        for n, (tool, answer) in enumerate(drawn):
            call_id = f"call_{run.trace[:6]}_{n}"
            called = _call_message(tool, call_id)
            run.spans.append(self._chat(run, at, heard, called))
            run.spans += self._tool(run, at + SECOND, (tool + self._hostile, answer), call_id)
            heard = [*heard, called, _answer_message(call_id, ANSWERS[answer][0])]
            at += 2 * SECOND
        closing = "Done: it is booked." if drawn[-1][1] == "ok" else "There are no meetings next week."
        run.spans.append(self._chat(run, at, heard, _message("assistant", closing + self._hostile)))
        agent = {**common, "gen_ai.operation.name": "invoke_agent"}
        name = f"invoke_agent scheduler{self._hostile}"
        run.spans.append(run.span(run.root, "", name, (at_ns, at + SECOND), agent))
        return _request(run.spans, {"service.name": f"assistant{self._hostile}", "service.version": "2026.11.3"})

    def _draw(self) -> tuple[str, str]:
        tool = self._rng.choice(list(TOOLS))
        chances = TOOLS[tool]
        return tool, self._rng.choices(list(chances), list(chances.values()))[0]

    def _id(self) -> str:
        return f"{self._rng.getrandbits(64):016x}"

    def _chat(self, run: _Run, at: int, heard: list[Json], said: Json) -> Json:
        attributes = {
            **run.common,
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "model-x",
            "gen_ai.input.messages": json.dumps(heard),
            "gen_ai.output.messages": json.dumps([{**said, "finish_reason": "stop"}]),
        }
        return run.span(self._id(), run.root, "chat model-x", (at, at + SECOND // 2), attributes)

    def _tool(self, run: _Run, at: int, what: tuple[str, str], call_id: str) -> list[Json]:
        tool, answer = what
        result, status = ANSWERS[answer]
        took = int(self._rng.lognormvariate(5, 0.8) * 10**6)
        attributes = {
            **run.common,
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": tool,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call_id,
            "gen_ai.tool.call.arguments": json.dumps({"date": "2026-10-06", "note": self._hostile.strip()}),
            "gen_ai.tool.call.result": result + self._hostile if answer in {"exception", "page"} else result,
        }
        own = self._id()
        # ERROR for a caught exception: the only failure that this assistant's framework marks.
        marked = 2 * (answer == "exception")
        spans = [run.span(own, run.root, f"execute_tool {tool}", (at, at + took), attributes, status=marked)]
        if status:
            host = next(host for name, host in HOSTS.items() if tool.startswith(name))
            http = {
                "http.request.method": "GET",
                "http.response.status_code": status,
                "server.address": host + self._hostile,
            }
            times, failed = (at, at + took // 2), 2 * (status >= 400)
            spans.append(run.span(self._id(), own, f"GET{self._hostile}", times, http, status=failed, kind=3))
        return spans


@dataclass(slots=True)
class _Run:
    """One trace in the making."""

    trace: str
    root: str
    common: Json
    spans: list[Json] = field(default_factory=list)

    def span(
        self,
        own: str,
        parent: str,
        name: str,
        times: tuple[int, int],
        attributes: Json,
        *,
        status: int = 0,
        kind: int = 1,
    ) -> Json:
        return {
            "traceId": self.trace,
            "spanId": own,
            "parentSpanId": parent,
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(times[0]),
            "endTimeUnixNano": str(times[1]),
            "attributes": _attributes(attributes),
            "status": {"code": status},
        }


def _message(role: str, text: str) -> Json:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _call_message(tool: str, call_id: str) -> Json:
    call = {"type": "tool_call", "id": call_id, "name": tool, "arguments": {"date": "2026-10-06"}}
    return {"role": "assistant", "parts": [call]}


def _answer_message(call_id: str, text: str) -> Json:
    return {"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": text}]}


def _attributes(values: Json) -> list[Json]:
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}}
        for key, value in values.items()
    ]


def _request(spans: list[Json], resource: Json) -> Json:
    scope = {"scope": {"name": "assistant.framework", "version": "1.0"}, "spans": spans}
    return {"resourceSpans": [{"resource": {"attributes": _attributes(resource)}, "scopeSpans": [scope]}]}
