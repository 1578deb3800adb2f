"""How far open incidents have come since they fired: their numbers are those of that moment, these of the answer's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analytics.api.context import Context
from analytics.api.query import Query
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import SECOND_NS, rfc3339

WINDOW_S = 600
"""The stretch of time that tells whether it grows: as many seconds before now, beside as many before those."""

MOST = 100
"""Incidents of one answer that are counted, the newest first: each is a pass over its tool's calls."""

_ABOUT_CALLS = frozenset({"internal_above_baseline", "permission_denied", "budget_exhausted", "silent_failures"})
"""The rules whose incidents are about calls; silence and failing destinations have none to count."""


def now_of(context: Context, query: Query, alerts: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The present numbers of open incidents, by id: calls of the tool since the incident began, of them the failing
    ones (the same that its list of calls shows), sessions and users that met one, the newest (RFC 3339), and how many
    came in the last `WINDOW_S` seconds and in those before.

    Args:
        context: the store.
        query: project and moment of the answer.
        alerts: rows of `alert`.
    """
    watched = [row for row in alerts if row["state"] != "resolved" and row["rule"] in _ABOUT_CALLS][:MOST]
    if not watched:
        return {}
    since = [_began(row) for row in watched]
    counted = rows(
        context.store,
        "incidents_now",
        Filters(project=query.filters.project, since_ns=min(since), until_ns=query.now_ns if query.at_moment else None),
        ids=[row["id"] for row in watched],
        rules=[row["rule"] for row in watched],
        tools=[row["tool"] or "" for row in watched],
        since=since,
        now_ns=query.now_ns,
        window_ns=WINDOW_S * SECOND_NS,
    )
    nothing = dict.fromkeys(("calls", "failing_calls", "sessions", "users", "recent", "before"), 0)
    found = {row["id"]: {**nothing, "last_failure": None, "window_s": WINDOW_S} for row in watched}
    for row in counted:
        found[row["id"]] |= {name: row[name] for name in nothing} | {"last_failure": rfc3339(row["last_ns"])}
    return found


def _began(row: dict[str, Any]) -> int:
    """Where the list of calls behind it begins: the first failure, in whole microseconds as links carry it."""
    return int(row["first_failure_ns"] or row["detected_ns"]) // 1000 * 1000
