"""Which tools fail, how, and how often they say so properly."""

from __future__ import annotations

from typing import Any

from analytics.api.context import Answer, Context
from analytics.api.query import Query
from analytics.questions import rows
from analytics.questions.filters import Filters
from analytics.questions.relations import BUCKET_FLOOR_MS, BUCKET_RATIO
from analytics.questions.statistics import compliance
from analytics.questions.times import rfc3339
from telltale.vocabulary import Outcome

_MIDDLE = (1 + BUCKET_RATIO) / 2 / BUCKET_RATIO


def tool_rows(context: Context, filters: Filters) -> list[dict[str, Any]]:
    """One row per tool, the most failures first."""
    tools: dict[str, _Tool] = {}
    for row in rows(context.store, "tools", filters):
        tools.setdefault(row["tool"], _Tool(row["tool"])).add(row)
    for row in rows(context.store, "tool_durations", filters):
        if row["tool"] in tools:
            tools[row["tool"]].durations.append((row["bucket"], row["calls"]))
    for row in rows(context.store, "tool_failures", filters):
        if row["tool"] in tools:
            tools[row["tool"]].failed_sessions = row["sessions_failed"]
            tools[row["tool"]].last_failure_ns = row["last_failure_ns"]
    made = [tool.row() for tool in tools.values()]
    return sorted(made, key=lambda row: (-row["failures"], -row["calls"], row["tool"]))


def tools(context: Context, query: Query) -> Answer:
    """Every tool with its counts, compliance and durations."""
    found = tool_rows(context, query.filters)
    return {"rows": found[: query.limit], "total": len(found)}


def tools_codes(context: Context, query: Query) -> Answer:
    """Failures by tool, code and outcome."""
    found = rows(context.store, "tools_codes", query.filters)
    return {"rows": found[: query.limit], "total": len(found)}


class _Tool:
    """The counts of one tool, folded from rows by outcome and code."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.outcomes = dict.fromkeys(Outcome, 0)
        self.measured = dict.fromkeys(Outcome, 0)
        self.codes: dict[str, int] = {}
        self.not_measured = 0
        self.budget_exhausted = 0
        self.durations: list[tuple[int, int]] = []
        self.failed_sessions = 0
        self.last_failure_ns: int | None = None

    def add(self, row: dict[str, Any]) -> None:
        outcome, calls = Outcome(row["outcome"]), row["calls"]
        self.outcomes[outcome] += calls
        self.budget_exhausted += row["budget_exhausted"]
        if row["measured"]:
            self.measured[outcome] += calls
        else:
            self.not_measured += calls
        if outcome is not Outcome.OK:
            self.codes[row["code"]] = self.codes.get(row["code"], 0) + calls

    def row(self) -> dict[str, Any]:
        calls = sum(self.outcomes.values())
        failures = calls - self.outcomes[Outcome.OK]
        return {
            "tool": self.name,
            "calls": calls,
            "failures": failures,
            **{outcome.value: count for outcome, count in self.outcomes.items()},
            "not_measured": self.not_measured,
            "compliance": compliance(self.measured, self.not_measured),
            "failure_rate": failures / calls if calls else None,
            "p50_ms": quantile(self.durations, 0.5),
            "p95_ms": quantile(self.durations, 0.95),
            "budget_exhausted": self.budget_exhausted,
            "sessions_failed": self.failed_sessions,
            "last_failure_at": rfc3339(self.last_failure_ns),
            "top_code": max(self.codes, key=lambda code: (self.codes[code], code)) if self.codes else None,
        }


def quantile(buckets: list[tuple[int, int]], share: float) -> float | None:
    """The duration in ms below which `share` of the calls stayed, within half a bucket (2.5 %); None without calls."""
    total = sum(calls for _, calls in buckets)
    passed = 0
    for bucket, calls in sorted(buckets):
        passed += calls
        if passed >= share * total:
            return 0.0 if bucket == 0 else round(BUCKET_FLOOR_MS * BUCKET_RATIO**bucket * _MIDDLE, 3)
    return None
