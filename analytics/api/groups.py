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
    found, total = group_rows(context, query.filters, limit, begin)
    return {"rows": found, "total": total, "next_cursor": row_cursor(begin + limit, total)}


def group_rows(context: Context, filters: Filters, limit: int, begin: int = 0) -> tuple[list[dict[str, Any]], int]:
    """The groups of a range with their fault, at most `limit` from row `begin` on; and how many there are.

    First which groups they are, by their counts alone; then the rest of those only: distinct sessions and users of all
    groups cost several times as much.
    """
    ranked = rows(context.store, "groups_ranked", filters, limit=limit, offset=begin)
    if not ranked:
        return [], rows(context.store, "groups_total", filters)[0]["total"] if begin else 0
    names = sorted({row["fingerprint"] for row in ranked})
    whole = {_key(row): row for row in rows(context.store, "groups", filters, fingerprints=names)}
    found = [whole[key] for key in map(_key, ranked) if key in whole]
    shared = {row["upstream"] for row in rows(context.store, "shared_upstreams", filters)}
    last = _last(context, filters, found)
    return [_group(row, last.get(_key(row), {}), shared) for row in found], ranked[0]["total"]


_Key = tuple[str, str, str | None]


def _key(row: dict[str, Any]) -> _Key:
    return row["fingerprint"], row["tool"], row["code"]


def _last(context: Context, filters: Filters, found: list[dict[str, Any]]) -> dict[_Key, dict[str, Any]]:
    """The last call of each group, whose text stands for all."""
    if not found:
        return {}
    lasts = {_key(row): row["last_ns"] for row in found}
    around = filters.only(since_ns=min(lasts.values()), until_ns=max(lasts.values()) + 1)
    place = {"lasts": sorted(set(lasts.values())), "fingerprints": sorted({row["fingerprint"] for row in found})}
    calls = rows(context.store, "groups_last", around, **place)
    return {_key(call): call for call in calls if lasts.get(_key(call)) == call["started_ns"]}


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
