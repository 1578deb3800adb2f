"""Error groups: failures with the same fingerprint, and whose fault each group is."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.paging import row_cursor
from analytics.api.query import Query
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import rfc3339
from telltale.vocabulary import Code

MAX_GROUPS = 1000
"""The most groups of one page."""


def groups(context: Context, query: Query) -> Answer:
    """The groups of a range, the most frequent first."""
    limit, begin = min(query.limit or MAX_GROUPS, MAX_GROUPS), query.cursor.row
    found = group_rows(context, query.filters, limit, begin)
    total = rows(context.store, "groups_total", query.filters)[0]["total"]
    return {"rows": found, "total": total, "next_cursor": row_cursor(begin + limit, total)}


def group_rows(context: Context, filters: Filters, limit: int, begin: int = 0) -> list[dict[str, Any]]:
    """The groups of a range with their fault, at most `limit` from row `begin` on."""
    found = rows(context.store, "groups", filters, limit=limit, offset=begin)
    if not found:
        return []
    shared = {row["upstream"] for row in rows(context.store, "shared_upstreams", filters)}
    last = [row["last_ns"] for row in found]
    place = {"first_ns": min(last), "last_ns": max(last), "ids": [row["last_id"] for row in found]}
    calls = {row["id"]: row for row in rows(context.store, "calls_by_id", project=filters.project, **place)}
    return [_group(row, calls.get(row["last_id"], {}), shared) for row in found]


def _group(row: dict[str, Any], last: dict[str, Any], shared: Container[str]) -> dict[str, Any]:
    copied = ("fingerprint", "tool", "code", "calls", "sessions", "users", "agents", "upstream")
    return {
        **{name: row[name] for name in copied},
        "outcome": last.get("outcome"),
        "message": last.get("error_message"),
        "first_seen": rfc3339(row["first_ns"]),
        "last_seen": rfc3339(row["last_ns"]),
        "releases": sorted(release for release in row["releases"] if release is not None),
        "fault": fault(row, shared),
        "recovered": row["recovered"],
        "silent": row["silent"],
        "disobeyed": row["disobeyed"],
        "last_span_id": last.get("span_id"),
        "last_session": last.get("session_key"),
    }


def fault(row: dict[str, Any], shared: Container[str]) -> str:
    """Whose fault a group is, by who has it in common.

    agent: most of these calls disobeyed the envelope. upstream: the failing upstream is several tools' (`shared`), or
    the code is one that only an upstream gives. caller: one agent at most gives the invalid arguments. Otherwise the
    tool: whoever calls it meets the same failure.
    """
    if row["disobeyed"] * 2 > row["calls"]:
        return "agent"
    if row["upstream"] and (row["upstream"] in shared or row["code"] in (Code.UNAVAILABLE, Code.RATE_LIMITED)):
        return "upstream"
    if row["code"] == Code.INVALID_ARGUMENT and row["agents"] <= 1:
        return "caller"
    return "tool"
