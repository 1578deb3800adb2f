"""Which tools fail, how, and how often they say so properly."""

from __future__ import annotations

from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.paging import slice_of
from analytics.api.query import Query
from analytics.api.releases import release_rows
from analytics.api.tally import Tally
from analytics.questions import rows
from analytics.questions.filters import Filters, rolled_up
from analytics.questions.relations import BUCKET_FLOOR_MS, BUCKET_RATIO
from analytics.questions.times import rfc3339

_MIDDLE = (1 + BUCKET_RATIO) / 2 / BUCKET_RATIO


def tallies(context: Context, filters: Filters) -> dict[str, Tally]:
    """The calls of each tool."""
    found: dict[str, Tally] = {}
    for row in rows(context.store, "tools", filters):
        found.setdefault(row["tool"], Tally()).add(row)
    return found


def total(context: Context, filters: Filters) -> Tally:
    """The calls of all tools together."""
    made = Tally()
    for row in rows(context.store, "tools", filters):
        made.add(row)
    return made


def tool_rows(context: Context, filters: Filters, found: dict[str, Tally] | None = None) -> list[dict[str, Any]]:
    """One row per tool, the most failures first, of equals the one whose calls fail most often; `found` are its
    tallies, where they are known already."""
    found = tallies(context, filters) if found is None else found
    durations: dict[str, list[tuple[int, int]]] = {}
    for row in rows(context.store, "tool_durations", filters):
        durations.setdefault(row["tool"], []).append((row["bucket"], row["calls"]))
    known = rolled_up(filters) and not filters.codes and not filters.outcomes
    question = "tool_failures_rolled" if known else "tool_failures"
    failed = {row["tool"]: row for row in rows(context.store, question, filters)}
    made = []
    for name, tally in found.items():
        said = context.settings.tool(name)
        row = _row(name, tally, durations.get(name, []), failed.get(name))
        made.append({**row, "owner": said.owner, "runbook": said.runbook})
    return sorted(made, key=_worst_first)


def _worst_first(row: dict[str, Any]) -> tuple[int, int, str]:
    """Most failures first; of equals the fewest calls, there the greater share; without any, the busiest."""
    failures, calls = row["failures"], row["calls"]
    return -failures, calls if failures else -calls, row["tool"]


def tools(context: Context, query: Query) -> Answer:
    """Every tool with its counts, compliance and durations; `by=release` splits its counts by release."""
    found = release_rows(context, query.filters) if query.by == "release" else tool_rows(context, query.filters)
    return slice_of(found, query)


def tools_codes(context: Context, query: Query) -> Answer:
    """Failures by tool, code and outcome."""
    found = rows(context.store, "tools_codes", query.filters)
    return slice_of(found, query)


def _row(name: str, tally: Tally, durations: list[tuple[int, int]], failed: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "tool": name,
        "calls": tally.calls,
        "failures": tally.failures,
        **{outcome.value: count for outcome, count in tally.outcomes.items()},
        "not_measured": tally.not_measured,
        "compliance": tally.compliance,
        "failure_rate": tally.failures / tally.calls if tally.calls else None,
        "p50_ms": quantile(durations, 0.5),
        "p95_ms": quantile(durations, 0.95),
        "budget_exhausted": tally.budget_exhausted,
        "sessions_failed": failed["sessions_failed"] if failed else 0,
        "last_failure_at": rfc3339(failed["last_failure_ns"]) if failed else None,
        "top_code": tally.top_code,
    }


def quantile(buckets: list[tuple[int, int]], share: float) -> float | None:
    """The duration in ms below which `share` of the calls stayed, within half a bucket (5 %); None without calls."""
    total = sum(calls for _, calls in buckets)
    passed = 0
    for bucket, calls in sorted(buckets):
        passed += calls
        if passed >= share * total:
            return 0.0 if bucket == 0 else round(BUCKET_FLOOR_MS * BUCKET_RATIO**bucket * _MIDDLE, 3)
    return None
