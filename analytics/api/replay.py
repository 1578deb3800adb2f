"""A session step by step, from all spans of its traces."""

from __future__ import annotations

from typing import Any

from analytics.api.calls import full_call
from analytics.api.context import Answer, Context
from analytics.api.query import NotFoundError, Query
from analytics.api.sessions import session_object
from analytics.api.steps import steps_of
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import SECOND_NS
from analytics.store import TraceKey

MAX_TRACES = 200
"""The most traces of one session that a replay shows, the newest: a chat that runs for months stays answerable."""

MAX_STEPS = 2000

_MARGIN_NS = SECOND_NS


def replay(context: Context, query: Query) -> Answer:
    """Every step of a session in time order, and which of them failed first."""
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
    calls = _calls(context, project, session)
    named = dict.fromkeys([*(row["trace_id"] for row in traces), *(call["trace_id"] for call in calls)])
    keys = [TraceKey(project, trace_id) for trace_id in named]
    steps = steps_of(context.store.traces(keys), calls)
    shown = [step.object(n) for n, step in enumerate(steps[:MAX_STEPS])]
    failing = next((each["n"] for each in shown if each["call"] and each["call"]["outcome"] != "ok"), None)
    return {
        "session": session_object(session),
        "steps": shown,
        "first_failing_step": failing,
        "total": len(steps),
        "traces_left_out": max(0, session["traces"] - len(traces)),
    }


def _session(context: Context, project: str, session_id: str) -> dict[str, Any]:
    found = rows(context.store, "session", project=project, session_id=session_id)
    if not found:
        raise NotFoundError(f"no session of project {project!r} has id {session_id[:64]!r}")
    return found[0]


def _calls(context: Context, project: str, session: dict[str, Any]) -> list[dict[str, Any]]:
    filters = Filters(
        project=project, session=session["session_id"], since_ns=session["t0_ns"], until_ns=session["t1_ns"] + 1
    )
    place = {"before_ns": 2**63 - 1, "before_id": "\U0010ffff", "limit": MAX_STEPS}
    found = rows(context.store, "calls", filters, **place)
    return [{**full_call(row), "started_ns": row["started_ns"]} for row in found]
