"""How long the calls of each tool took: as measured where they are few, else read off counts by duration."""

from __future__ import annotations

from dataclasses import dataclass

from analytics.api.context import Context
from analytics.questions import rows
from analytics.questions.filters import Filters, rolled_up
from analytics.questions.relations import BUCKET_FLOOR_MS, BUCKET_RATIO

FEW = 10_000
"""Calls in a range up to which their durations are read one by one: sorting as many takes some milliseconds."""

_MIDDLE = (1 + BUCKET_RATIO) / 2 / BUCKET_RATIO


@dataclass(slots=True, frozen=True)
class Durations:
    """Median and 95th percentile (ms), None without calls. `exact`: as measured (nearest rank); else within 5 %, and
    said to two significant digits."""

    p50_ms: float | None
    p95_ms: float | None
    exact: bool


NONE = Durations(None, None, exact=True)


def durations(context: Context, filters: Filters, calls: int) -> dict[str, Durations]:
    """The durations of each tool.

    Args:
        context: where to ask.
        filters: the calls that are meant.
        calls: how many they are.
    """
    if calls <= FEW and _in_reach(context, filters, calls) <= FEW:
        return {
            row["tool"]: Durations(_shown(row["p50_ms"]), _shown(row["p95_ms"]), exact=True)
            for row in rows(context.store, "tool_quantiles", filters)
        }
    counted: dict[str, list[tuple[int, int]]] = {}
    for row in rows(context.store, "tool_durations", filters):
        counted.setdefault(row["tool"], []).append((row["bucket"], row["calls"]))
    return {
        tool: Durations(quantile(buckets, 0.5), quantile(buckets, 0.95), exact=False)
        for tool, buckets in counted.items()
    }


def _in_reach(context: Context, filters: Filters, calls: int) -> int:
    """How many calls have to be read to find those that are meant: all of the range, where a rollup would spare it."""
    if not rolled_up(filters):
        return calls  # no rollup knows these filters: all are read anyway
    wide = filters.only(tool=None, outcomes=(), codes=(), payload=None, inferred=None)
    return calls if wide == filters else sum(row["calls"] for row in rows(context.store, "tools", wide))


def quantile(buckets: list[tuple[int, int]], share: float) -> float | None:
    """The duration in ms below which `share` of the calls stayed, within half a bucket (5 %) and so to two significant
    digits; None without calls."""
    total = sum(calls for _, calls in buckets)
    passed = 0
    for bucket, calls in sorted(buckets):
        passed += calls
        if passed >= share * total:
            return 0.0 if bucket == 0 else float(f"{BUCKET_FLOOR_MS * BUCKET_RATIO**bucket * _MIDDLE:.2g}")
    return None


def _shown(duration_ms: float | None) -> float | None:
    return None if duration_ms is None else round(duration_ms, 3)
