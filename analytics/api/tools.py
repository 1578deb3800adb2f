"""Which tools fail, how, and how often they say so properly."""

from __future__ import annotations

from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.durations import NONE, Durations, durations
from analytics.api.paging import slice_of
from analytics.api.query import Query
from analytics.api.releases import release_rows
from analytics.api.tally import Tally
from analytics.questions import rows
from analytics.questions.filters import Filters, rolled_up
from analytics.questions.times import rfc3339


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
    took = durations(context, filters, sum(tally.calls for tally in found.values()))
    known = rolled_up(filters) and not filters.codes and not filters.outcomes
    question = "tool_failures_rolled" if known else "tool_failures"
    failed = {row["tool"]: row for row in rows(context.store, question, filters)}
    made = []
    for name, tally in found.items():
        said = context.settings.tool(name)
        row = _row(name, tally, took.get(name, NONE), failed.get(name))
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


def _row(name: str, tally: Tally, took: Durations, failed: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "tool": name,
        "calls": tally.calls,
        "failures": tally.failures,
        **{outcome.value: count for outcome, count in tally.outcomes.items()},
        "not_measured": tally.not_measured,
        "compliance": tally.compliance,
        "failure_rate": tally.failures / tally.calls if tally.calls else None,
        "p50_ms": took.p50_ms,
        "p95_ms": took.p95_ms,
        "durations_exact": took.exact,
        "budget_exhausted": tally.budget_exhausted,
        "sessions_failed": failed["sessions_failed"] if failed else 0,
        "last_failure_at": rfc3339(failed["last_failure_ns"]) if failed else None,
        "top_code": tally.top_code,
    }
