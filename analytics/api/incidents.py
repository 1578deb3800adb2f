"""Incidents: what fired, and what people said of it."""

from __future__ import annotations

from typing import Any

import msgspec

from analytics import alerts
from analytics.api.context import Answer, Context
from analytics.api.incidents_now import now_of
from analytics.api.paging import slice_of
from analytics.api.query import BadRequestError, NotFoundError, Query
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import MAX_NS, rfc3339

MAX_INCIDENTS = 1000
_TIMES = ("first_failure", "detected", "notified", "acknowledged", "diagnosed", "resolved")


def incidents(context: Context, query: Query) -> Answer:
    """Incidents of a range, newest first; those that are open (`state=open`) whenever they began."""
    if query.state == "open":
        found = open_incident_rows(context, query)
    else:
        found = incident_rows(context, query, query.filters, query.state or "")
    return slice_of(found, query)


def open_incident_rows(context: Context, query: Query) -> list[dict[str, Any]]:
    """The incidents that are open, whenever they began, but none detected after the moment of `as_of`."""
    until = query.now_ns if query.at_moment else None
    return incident_rows(context, query, query.filters.only(since_ns=None, until_ns=until), "open")


def incident_rows(context: Context, query: Query, filters: Filters, state: str = "") -> list[dict[str, Any]]:
    """Incidents detected in the range of `filters`, in one state ("" any, "open" not resolved)."""
    found = rows(
        context.store,
        "incidents",
        project=filters.project,
        state=state,
        detected_from_ns=filters.since_ns or 0,
        detected_to_ns=filters.until_ns or MAX_NS,
        limit=MAX_INCIDENTS,
    )
    if filters.tool:
        found = [row for row in found if row["tool"] in (None, filters.tool)]
    if filters.codes:
        found = [row for row in found if row["code"] in filters.codes]
    now = now_of(context, query, found)
    return [incident_object(row, now.get(row["id"])) for row in found]


def incident_object(row: dict[str, Any], now: dict[str, Any] | None = None) -> dict[str, Any]:
    """One row of `alert` as the object that leaves the service; `now` as `analytics.api.incidents_now` counts it."""
    copied = ("id", "rule", "project", "tool", "code", "severity", "state", "cause", "example_sessions", "text")
    return {
        **{name: row[name] for name in copied},
        **{name: rfc3339(row[f"{name}_ns"]) for name in _TIMES},
        "acknowledged_by": row["acknowledged_by"],
        "diagnosed_by": row["diagnosed_by"],
        "numbers": msgspec.json.decode(row["numbers"]),
        "now": now,
    }


def acknowledge(context: Context, query: Query) -> Answer:
    """Somebody has seen it."""
    incident_id, who = _named(context, query), _text(query, "who")
    if context.alerts is not None:
        context.alerts.acknowledge(incident_id, who)
    else:
        alerts.acknowledge(context.store, incident_id, who)
    return _row(context, query, incident_id)


def diagnose(context: Context, query: Query) -> Answer:
    """Somebody knows the cause."""
    incident_id, who, cause = _named(context, query), _text(query, "who"), _text(query, "cause")
    if context.alerts is not None:
        context.alerts.diagnose(incident_id, who, cause)
    else:
        alerts.diagnose(context.store, incident_id, who, cause)
    return _row(context, query, incident_id)


def _named(context: Context, query: Query) -> str:
    incident_id = query.path["id"]
    if not rows(context.store, "incident", project=query.filters.project, id=incident_id):
        raise NotFoundError(f"no incident of project {query.filters.project!r} has id {incident_id[:64]!r}")
    return incident_id


def _row(context: Context, query: Query, incident_id: str) -> Answer:
    row = rows(context.store, "incident", project=query.filters.project, id=incident_id)[0]
    return incident_object(row, now_of(context, query, [row]).get(incident_id))


def _text(query: Query, name: str) -> str:
    value = query.body.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > 2000:
        raise BadRequestError(f"{name} must be a text of 1 to 2000 characters")
    return value.strip()
