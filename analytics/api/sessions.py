"""Sessions: what happened in each, the newest first."""

from __future__ import annotations

from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.paging import page
from analytics.api.query import Query
from analytics.questions import rows
from analytics.questions.filters import BEYOND_SESSIONS, Filters
from analytics.questions.times import rfc3339


def sessions(context: Context, query: Query) -> Answer:
    """Sessions of a range, a page at a time."""
    which = {"flagged": int(query.flagged), "unrecovered": int(query.unrecovered)}
    found, following = page(context, "sessions", query.filters, query, "t0_ns", **which)
    total = rows(context.store, "sessions_total", query.filters, **which)[0]["sessions"]
    return {"rows": [session_object(row) for row in found], "total": total, "next_cursor": following}


def session_counts(context: Context, filters: Filters) -> dict[str, Any]:
    """How many sessions, how many failed and stayed unrecovered, and how many users met a failure."""
    if any(getattr(filters, name) not in (None, ()) for name in ("tool", "flag", "codes", *BEYOND_SESSIONS)):
        return rows(context.store, "sessions_narrowed", filters)[0]
    counted = rows(context.store, "sessions_total", filters, flagged=0, unrecovered=0)[0]
    return {**counted, **rows(context.store, "users_failed", filters)[0]}


def session_object(row: dict[str, Any]) -> dict[str, Any]:
    """One row of `session` as the object that leaves the service."""
    copied = ("session_id", "session_source", "agent", "user", "service", "calls", "failures", "silent", "unrecovered")
    return {
        **{name: row[name] for name in copied},
        "started_at": rfc3339(row["t0_ns"]),
        "ended_at": rfc3339(row["t1_ns"]),
        "flagged": row["failures"] > 0,
        "codes": row["codes"],
        "tools": row["tools"],
        "flags": row["flags"],
        "traces": row["traces"],
    }
