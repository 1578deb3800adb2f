"""A session step by step, from all spans of its traces; of a very long one the steps around a place."""

from __future__ import annotations

from typing import Any

from analytics.api.calls import full_call
from analytics.api.context import Answer, Context
from analytics.api.query import NotFoundError, Query
from analytics.api.sessions import session_object
from analytics.api.steps import Step, steps_of
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import SECOND_NS
from analytics.store import TraceKey

MAX_TRACES = 200
"""The most traces of one session that a replay shows, the newest: a chat that runs for months stays answerable."""

MAX_CALLS = 10_000
"""The most calls of one session that a replay looks at, the newest."""

MAX_STEPS = 2000
"""The most steps in one answer: those around the place that was asked for, else around the first failing step."""

_MARGIN_NS = SECOND_NS


def replay(context: Context, query: Query) -> Answer:
    """The steps of a session in time order, and which of them failed first."""
    session_id, project = query.path["id"], query.filters.project
    session = _session(context, project, session_id)
    traces = rows(
        context.store,
        "session_traces",
        project=project,
        session_id=session_id,
        from_ns=session["t0_ns"] - _MARGIN_NS,
        limit=MAX_TRACES,
    )
    left_out = max(0, session["traces"] - len(traces))
    calls = _calls(context, project, session)
    if left_out:
        shown_traces = {row["trace_id"] for row in traces}
        calls = [call for call in calls if call["trace_id"] in shown_traces]
    named = dict.fromkeys([*(row["trace_id"] for row in traces), *(call["trace_id"] for call in calls)])
    keys = [TraceKey(project, trace_id) for trace_id in named]
    steps = steps_of(context.store.traces(keys), calls)
    failing = next((n for n, step in enumerate(steps) if step.failed), None)
    first = _first_shown(steps, query.around, failing)
    return {
        "session": session_object(session),
        "steps": [step.object(first + n) for n, step in enumerate(steps[first : first + MAX_STEPS])],
        "first_failing_step": failing,
        "total": len(steps),
        "traces_left_out": left_out,
        "calls_left_out": max(0, session["calls"] - len(calls)),
    }


def _first_shown(steps: list[Step], around: str | None, failing: int | None) -> int:
    """The number of the first step of the answer, such that the place looked for is among those that follow."""
    if len(steps) <= MAX_STEPS:
        return 0
    place = failing or 0
    if around is not None and around.isdecimal() and len(around) < _SPAN_ID:
        place = int(around)
    elif around is not None:
        place = next((n for n, step in enumerate(steps) if step.stands_for(around)), place)
    return max(0, min(place - MAX_STEPS // 10, len(steps) - MAX_STEPS))


_SPAN_ID = 16
"""Digits of a span id; fewer are a step's number."""


def _session(context: Context, project: str, session_id: str) -> dict[str, Any]:
    found = rows(context.store, "session", project=project, session_id=session_id)
    if not found:
        raise NotFoundError(f"no session of project {project!r} has id {session_id[:64]!r}")
    return found[0]


def _calls(context: Context, project: str, session: dict[str, Any]) -> list[dict[str, Any]]:
    filters = Filters(
        project=project, session=session["session_id"], since_ns=session["t0_ns"], until_ns=session["t1_ns"] + 1
    )
    place = {"before_ns": 2**63 - 1, "before_id": "\U0010ffff", "limit": MAX_CALLS}
    found = rows(context.store, "calls", filters, **place)
    return [{**full_call(row), "started_ns": row["started_ns"]} for row in found]
