"""Traces as small as a test needs, and judges that believe what their spans say."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from analytics.calls import Call
from analytics.judge import SessionCall, Update
from analytics.normalise.tree import build
from analytics.normalise.turns import turn_starts
from analytics.settings import JudgeSettings
from analytics.spans import Span, Trace
from telltale.vocabulary import Confidence, Declared, Outcome, Payload

T0 = 1_790_000_000_000_000_000
SECOND = 1_000_000_000


def tool_span(trace: int, number: int, *, project: str = "default", **attributes: Any) -> Span:
    """A tool span of a trace; `outcome`, `code`, `session`, `tool`… are read back by `stub_judge`."""
    return Span(
        trace_id=f"{trace:032x}",
        span_id=f"{trace * 1000 + number:016x}",
        parent_span_id="",
        name="execute_tool",
        kind=1,
        start_ns=T0 + trace * SECOND + number * 1_000_000,
        end_ns=T0 + trace * SECOND + number * 1_000_000 + 5_000_000,
        attributes={"tool": "search", **attributes},
        resource={"service.name": "shop"},
        scope_name="tests",
        project=project,
    )


def stub_judge(trace: Trace, _: JudgeSettings) -> list[Call]:
    """One call per span that names a tool, with the outcome that the span says, in its turn."""
    calls = []
    turns_began = turn_starts(build(trace))
    for span in trace.spans:
        told = span.attributes
        if told.get("poison"):
            raise KeyError("poison")
        if "tool" not in told:
            continue
        result = json.dumps(told.get("result", {"items": []}))
        calls.append(
            Call(
                id=span.span_id,
                project=trace.project,
                trace_id=trace.trace_id,
                span_id=span.span_id,
                span_ids=[span.span_id],
                tool=told["tool"],
                started_ns=span.start_ns,
                duration_ms=(span.end_ns - span.start_ns) / 1e6,
                outcome=Outcome(told.get("outcome", "ok")),
                declared=Declared.NONE,
                confidence=Confidence.CERTAIN,
                payload=Payload(told.get("payload", "captured")),
                session_id=told.get("session"),
                session_source="span" if told.get("session") else "trace",
                agent=told.get("agent"),
                user=told.get("user"),
                service="shop",
                convention="stub",
                code=told.get("code"),
                action=told.get("action"),
                rules=[told["rule"]] if "rule" in told else [],
                evidence=[{"rule": told["rule"], "key": "items", "value": []}] if "rule" in told else [],
                flags=list(told.get("flags", [])),
                result=result,
                lost=list(told.get("lost", [])),
                turn=bisect_right(turns_began, span.start_ns),
            )
        )
    return calls


def stub_session(calls: Sequence[SessionCall], _: JudgeSettings, **__: Any) -> list[Update]:
    """A failure is recovered when a later call of the same tool went well."""
    updates = []
    for at, call in enumerate(calls):
        later = [other for other in calls[at + 1 :] if other.tool == call.tool and other.outcome is Outcome.OK]
        if call.outcome is not Outcome.OK and later:
            updates.append(Update(call.id, call.flags, call.rules, call.evidence, recovered=True))
    return updates
