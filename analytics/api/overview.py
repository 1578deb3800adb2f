"""Is anything wrong now: the whole project in one answer, from the rollups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.incidents import open_incident_rows
from analytics.api.paging import page
from analytics.api.query import Cursor, Query
from analytics.api.sessions import session_counts, session_object
from analytics.api.tally import Tally
from analytics.api.tools import tallies, tool_rows, total
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.times import HOUR_NS, SECOND_NS, rfc3339
from telltale.vocabulary import Outcome

WORST_TOOLS = 8
FAILING_SESSIONS = 6
"""How many of the sessions that failed last the answer names."""

MAX_BUCKETS = 80
"""The most points that a trend has; the bucket grows with the range."""

_BUCKETS_S = (60, 300, 900, 3600, 3 * 3600, 6 * 3600, 86400, 7 * 86400, 30 * 86400, 365 * 86400)


def overview(context: Context, query: Query) -> Answer:
    """Counts, compliance, sessions, trend and the worst tools of a range, beside the range before it."""
    filters = query.filters
    by_tool = tallies(context, filters)
    worst = [row for row in tool_rows(context, filters, by_tool) if row["failures"]]
    return {
        **counts_of(by_tool.values()),
        **session_counts(context, filters),
        "open_incidents": open_incident_rows(context, query),
        "trend": trend(context, query),
        "worst_tools": worst[:WORST_TOOLS],
        "codes": codes_of(by_tool.values()),
        "failing_sessions": failing_sessions(context, query),
        "previous": _previous(context, query),
    }


def counts_of(tallied: Iterable[Tally]) -> dict[str, Any]:
    """Counts and compliance over several tools."""
    every = Tally()
    for tally in tallied:
        every.merge(tally)
    return {
        "calls": every.calls,
        "failures": every.failures,
        "by_outcome": {outcome.value: count for outcome, count in every.outcomes.items()},
        "compliance": every.compliance,
        "budget_exhausted": every.budget_exhausted,
        "silent": every.outcomes[Outcome.SILENT_FAILURE],
        "inferred_internal": every.inferred_internal,
    }


def codes_of(tallied: Iterable[Tally]) -> list[dict[str, Any]]:
    """Failed calls by code, the most frequent first: the same calls that `counts_of` counts as failures."""
    codes: Counter[str] = Counter()
    for tally in tallied:
        codes.update(tally.codes)
    return [
        {"code": code, "calls": calls} for code, calls in sorted(codes.items(), key=lambda each: (-each[1], each[0]))
    ]


def failing_sessions(context: Context, query: Query) -> list[dict[str, Any]]:
    """The newest sessions that hold a failure."""
    few = replace(query, limit=FAILING_SESSIONS, cursor=Cursor())
    found, _ = page(context, "sessions", query.filters, few, "t0_ns", flagged=1, unrecovered=0)
    return [session_object(row) for row in found]


def _previous(context: Context, query: Query) -> dict[str, Any] | None:
    """The same counts over the range of equal length just before; None where the range is open."""
    since = query.filters.since_ns
    if since is None:
        return None
    length = min(query.now_ns, query.filters.until_ns or query.now_ns) - since
    if length <= 0:
        return None
    before = counts_of([total(context, query.filters.only(since_ns=since - length, until_ns=since))])
    return {name: before[name] for name in ("calls", "failures", "silent", "compliance")}


def trend(context: Context, query: Query) -> list[dict[str, Any]]:
    """Calls by outcome over time: a bucket for every stretch of the range, zeros where nothing was called; of an open
    range from the first call to the last. Nothing at all is an empty list."""
    filters = query.filters
    since, until = filters.since_ns, min(query.now_ns, filters.until_ns or query.now_ns)
    if since is None:
        points = _points(context, "trend_hours", filters, HOUR_NS)
        if not points:
            return []
        bucket_s = max(_bucket_s((max(points) - min(points)) // SECOND_NS), 3600)
        return _rows(_folded(points, bucket_s), bucket_s)
    bucket_s = _bucket_s((until - since) // SECOND_NS)
    question = "trend_hours" if bucket_s >= 3600 else "trend_fine"
    return _rows(_points(context, question, filters, bucket_s * SECOND_NS), bucket_s, since, until)


def _bucket_s(range_s: int) -> int:
    return next((each for each in _BUCKETS_S if range_s <= each * MAX_BUCKETS), _BUCKETS_S[-1])


def _points(context: Context, question: str, filters: Filters, bucket_ns: int) -> dict[int, dict[str, int]]:
    points: dict[int, dict[str, int]] = {}
    for row in rows(context.store, question, filters, bucket_ns=bucket_ns):
        points.setdefault(row["bucket_ns"], {})[row["outcome"]] = row["calls"]
    return points


def _folded(points: dict[int, dict[str, int]], bucket_s: int) -> dict[int, dict[str, int]]:
    folded: dict[int, dict[str, int]] = {}
    for at, counts in points.items():
        into = folded.setdefault(at - at % (bucket_s * SECOND_NS), {})
        for outcome, calls in counts.items():
            into[outcome] = into.get(outcome, 0) + calls
    return folded


def _rows(
    points: dict[int, dict[str, int]], bucket_s: int, since: int | None = None, until: int | None = None
) -> list[dict[str, Any]]:
    if not points:
        return []
    step = bucket_s * SECOND_NS
    first = min(points) if since is None else min(*points, since - since % step)
    last = max(points) if until is None else max(*points, until - 1 - (until - 1) % step)
    wanted = range(first, last + 1, step)
    starts = list(wanted) if len(wanted) <= 4 * MAX_BUCKETS else sorted(points)
    return [
        {"bucket": rfc3339(at), **{outcome.value: points.get(at, {}).get(outcome.value, 0) for outcome in Outcome}}
        for at in starts
    ]
