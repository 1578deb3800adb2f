"""Three sessions of a booking agent as spans: one that recovers, one that is lied to, one that went well."""

from __future__ import annotations

import json
from typing import Any

from analytics.spans import CLIENT, ERROR, INTERNAL, UNSET, Span
from analytics.store import Batch

MINUTE = 60_000_000_000
HOSTILE = '=HYPERLINK("http://evil.test") \x1b[31mred\x1b[0m [link](http://evil.test) <script>alert(1)</script>'


def scene(now_ns: int) -> Batch:
    """The spans, all within the last minutes before `now_ns`."""
    start = now_ns - 10 * MINUTE
    return Batch(spans=[*_recovers(start), *_lied_to(start + MINUTE), *_went_well(start + 2 * MINUTE)])


def _recovers(start: int) -> list[Span]:
    error = {"code": "INVALID_ARGUMENT", "field": "date", "message": "date must be YYYY-MM-DD", "retryable": True}
    wrong = {"status": "error", "error": {**error, "action": "fix_arguments"}}
    right = {"status": "ok", "output": {"meetingId": "m-1"}}
    return [
        _span(1, 0, start, "invoke_agent scheduler", agent=True),
        _model(1, 1, start + 1, [("user", "Book next Tuesday")], None),
        _tool(
            (1, 2, start + 2),
            "book_meeting",
            {"date": "next tuesday", "slot": "10:00"},
            wrong,
            "s-recovers",
            status=ERROR,
        ),
        _tool((1, 3, start + 3), "book_meeting", {"date": "2026-10-06", "slot": "10:00"}, right, "s-recovers"),
        _model(1, 4, start + 4, [("user", "Book next Tuesday")], "Booked for Tuesday."),
    ]


def _lied_to(start: int) -> list[Span]:
    http = _span(2, 9, start + 2, "GET", parent=2)
    http.kind, http.status_code = CLIENT, ERROR
    http.attributes = {
        "http.request.method": "GET",
        "http.response.status_code": 503,
        "server.address": "calendar.internal",
        "url.full": "http://calendar.internal/meetings",
    }
    return [
        _span(2, 0, start, "invoke_agent scheduler", agent=True),
        _model(2, 1, start + 1, [("user", "What is on my calendar?")], None),
        _tool((2, 2, start + 2), "list_meetings", {"week": 41}, [], "s-lied"),
        http,
        _tool((2, 3, start + 3), "fetch_note", {"id": 7}, {"error": HOSTILE}, "s-lied"),
        _model(2, 4, start + 4, [("user", "What is on my calendar?")], "You have no meetings."),
    ]


def _went_well(start: int) -> list[Span]:
    return [
        _span(3, 0, start, "invoke_agent scheduler", agent=True),
        _tool((3, 1, start + 1), "list_meetings", {"week": 42}, [{"id": "m-1"}], "s-well/with slash"),
    ]


def _span(trace: int, number: int, start: int, name: str, *, parent: int = 0, agent: bool = False) -> Span:
    return Span(
        trace_id=f"{trace:032x}",
        span_id=f"{trace * 100 + number:016x}",
        parent_span_id="" if agent else f"{trace * 100 + parent:016x}",
        name=name,
        kind=INTERNAL,
        start_ns=start + number * 1_000_000,
        end_ns=start + number * 1_000_000 + (9_000_000 if agent else 900_000),
        attributes={"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "scheduler"} if agent else {},
        resource={"service.name": "booking", "service.version": "1.2"},
        scope_name="booking",
    )


def _tool(
    place: tuple[int, int, int], tool: str, arguments: Any, result: Any, session: str, *, status: int = UNSET
) -> Span:
    trace, number, start = place
    span = _span(trace, number, start, f"execute_tool {tool}")
    span.status_code = status
    span.attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": f"call-{trace}-{number}",
        "gen_ai.tool.call.arguments": json.dumps(arguments),
        "gen_ai.tool.call.result": json.dumps(result),
        "gen_ai.conversation.id": session,
    }
    return span


def _model(trace: int, number: int, start: int, given: list[tuple[str, str]], answer: str | None) -> Span:
    span = _span(trace, number, start, "chat model-1")
    said = [{"role": role, "parts": [{"type": "text", "content": text}]} for role, text in given]
    span.attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "model-1",
        "gen_ai.input.messages": json.dumps(said),
    }
    if answer is not None:
        parts = [{"type": "text", "content": answer}]
        span.attributes["gen_ai.output.messages"] = json.dumps([{"role": "assistant", "parts": parts}])
    return span
