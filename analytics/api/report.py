"""The metrics of a period: compliance, failures and their kinds, and how long a diagnosis takes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from statistics import median, quantiles
from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.groups import group_rows
from analytics.api.overview import counts_of, trend
from analytics.api.query import Query
from analytics.api.sessions import session_counts
from analytics.api.status import sender_rows
from analytics.api.tools import tallies, tool_rows
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import MAX_NS, SECOND_NS, rfc3339

TOP_GROUPS = 10
_PARTS = (
    ("detect_s", "first_failure_ns", "detected_ns"),
    ("notify_s", "detected_ns", "notified_ns"),
    ("acknowledge_s", "notified_ns", "acknowledged_ns"),
    ("diagnose_s", "acknowledged_ns", "diagnosed_ns"),
    ("total_s", "first_failure_ns", "diagnosed_ns"),
)


def report(context: Context, query: Query) -> Answer:
    """Everything that a monthly review asks, as one object.

    `narrowed` names the filters in force. They narrow what is counted of calls and sessions; incidents know a tool and
    a code only, which narrow `time_to_diagnose`; `senders_with_losses` is always the project's.
    """
    filters = query.filters
    by_tool = tallies(context, filters)
    sessions = session_counts(context, filters)
    kinds, kinds_total = group_rows(context, filters, TOP_GROUPS)
    lossy = [row for row in sender_rows(context, filters.project) if row["lost"]]
    return {
        "project": filters.project,
        "since": rfc3339(filters.since_ns),
        "until": rfc3339(_end(query)),
        "narrowed": filters.narrowed(),
        **counts_of(by_tool.values()),
        "sessions": sessions["sessions"],
        "sessions_failed": sessions["sessions_failed"],
        "sessions_unrecovered": sessions["sessions_unrecovered"],
        "tools": tool_rows(context, filters, by_tool),
        "codes": _codes(context, filters),
        "groups": kinds,
        "groups_total": kinds_total,
        "trend": trend(context, query),
        "time_to_diagnose": diagnosis_times(context, filters),
        "senders_with_losses": lossy,
    }


def _end(query: Query) -> int | None:
    """Where the range ends; None for one without an end, which holds calls that are dated ahead as well."""
    until = query.filters.until_ns
    if until is None or (query.filters.ahead is not None and query.filters.ahead[1] is None):
        return None
    return min(query.now_ns, until)


def _codes(context: Context, filters: Filters) -> list[dict[str, Any]]:
    codes: dict[str, int] = {}
    for row in rows(context.store, "tools_codes", filters):
        codes[row["code"]] = codes.get(row["code"], 0) + row["calls"]
    return [{"code": code, "calls": calls} for code, calls in sorted(codes.items(), key=lambda each: -each[1])]


def diagnosis_times(context: Context, filters: Filters) -> dict[str, Any]:
    """How long each part of a diagnosis took, over the incidents of a range (of a tool, of codes), per month and per
    code.
    """
    place = {"detected_from_ns": filters.since_ns or 0, "detected_to_ns": filters.until_ns or MAX_NS}
    found = [
        row
        for row in rows(context.store, "diagnosis_times", project=filters.project, **place)
        if filters.tool in (None, row["tool"]) or row["tool"] is None
        if not filters.codes or row["code"] in filters.codes
    ]
    months = sorted({_month(row) for row in found})
    codes = sorted({row["code"] for row in found if row["code"]})
    return {
        "incidents": len(found),
        "diagnosed": sum(row["diagnosed_ns"] is not None for row in found),
        "all": _parts(found),
        "months": [{"month": month, **_parts([row for row in found if _month(row) == month])} for month in months],
        "codes": [{"code": code, **_parts([row for row in found if row["code"] == code])} for code in codes],
    }


def _month(row: dict[str, Any]) -> str:
    return datetime.fromtimestamp(row["detected_ns"] / SECOND_NS, UTC).strftime("%Y-%m")


def _parts(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    parts: dict[str, Any] = {"incidents": len(found)}
    for name, begin, end in _PARTS:
        took = [(row[end] - row[begin]) / SECOND_NS for row in found if row[begin] is not None and row[end] is not None]
        parts[name] = _distribution([max(0.0, each) for each in took])
    return parts


def _distribution(seconds: Sequence[float]) -> dict[str, Any]:
    """Median and 90th percentile beside the number measured; None where nothing was."""
    if not seconds:
        return {"median": None, "p90": None, "measured": 0}
    p90 = quantiles(seconds, n=10, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]
    return {"median": median(seconds), "p90": p90, "measured": len(seconds)}
