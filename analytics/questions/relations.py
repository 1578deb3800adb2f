"""The relations that a question names in braces, narrowed to its filters and range.

`{calls}`: judged calls. `{counts}`: how many calls per hour, tool, outcome, code…; whole hours come from the rollup,
the parts of an hour at both ends, and what is dated ahead, from the calls themselves, so that the answer is exact and
still cheap. `{durations}`:
calls per tool and duration bucket, likewise with whole days. `{sessions}`: sessions that overlap the range.
`{tool_sessions}`: tools with the sessions in which they failed. `{span}` and `{log}` are left to the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from math import ceil, log
from typing import Any

from analytics.questions.filters import (
    Condition,
    Filters,
    ahead_condition,
    call_condition,
    rolled_up,
    rollup_condition,
    session_condition,
    tool_session_condition,
)
from analytics.questions.times import DAY_NS, HOUR_NS

BUCKET_RATIO = 1.1
"""Width of a duration bucket: a quantile read off the buckets is within 5 % of the exact one."""

BUCKET_FLOOR_MS = 0.01
"""Durations below this are one bucket, number 0."""


def bucket_of(duration_ms: float) -> int:
    """The number of the duration bucket that a call falls into."""
    if not duration_ms > BUCKET_FLOOR_MS:
        return 0
    return ceil(log(duration_ms / BUCKET_FLOOR_MS) / _LOG_RATIO)


_LOG_RATIO = log(BUCKET_RATIO)


@cache
def _part(name: str) -> str:
    text = (files("analytics.questions") / "parts" / f"{name}.sql").read_text("utf-8")
    return "\n".join(line for line in text.splitlines() if not line.startswith("--"))


@dataclass(slots=True)
class Relations:
    """SQL text of each relation, and the parameters that they share."""

    sql: dict[str, str] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)

    def into(self, question: str) -> tuple[str, dict[str, Any]]:
        """The question with its relations filled in, and the parameters that it then uses."""
        for name, sql in self.sql.items():
            question = question.replace(f"{{{name}}}", f"({sql})")
        return question, {name: value for name, value in self.params.items() if f"${name}" in question}


def relations(filters: Filters) -> Relations:
    """Every relation for these filters."""
    made = Relations()
    _add(made, "calls", [("calls", call_condition(filters, filters.since_ns, filters.until_ns))])
    _add(made, "sessions", [("sessions", session_condition(filters))])
    _add(made, "tool_sessions", [("tool_sessions", tool_session_condition(filters))])
    _add(made, "counts", _rolled(filters, "counts", HOUR_NS) if rolled_up(filters) else _raw(filters, "counts"))
    narrowed = filters.outcomes or filters.codes or filters.payload is not None or filters.inferred is not None
    known = rolled_up(filters) and not narrowed
    _add(made, "durations", _rolled(_long(filters), "durations", DAY_NS) if known else _raw(filters, "durations"))
    return made


def _long(filters: Filters) -> Filters:
    """Quantiles over a week or more are those of its whole days: the hours at both ends cost more than they tell."""
    since, until = filters.since_ns, filters.until_ns
    if since is None or until is None or until - since < _WEEK_NS:
        return filters
    return filters.only(since_ns=since // DAY_NS * DAY_NS, until_ns=-(-until // DAY_NS) * DAY_NS)


_WEEK_NS = 7 * DAY_NS
_PERIODS = {HOUR_NS: ("hour", "hours"), DAY_NS: ("day", "days")}


def _raw(filters: Filters, name: str) -> list[tuple[str, Condition]]:
    return [(f"{name}_of_calls", call_condition(filters, filters.since_ns, filters.until_ns))]


def _rolled(filters: Filters, name: str, period_ns: int) -> list[tuple[str, Condition]]:
    """Whole periods from a rollup, and the parts of a period at both ends from the calls."""
    since, until = filters.since_ns, filters.until_ns
    first = None if since is None else -(-since // period_ns)
    last = None if until is None else until // period_ns
    if first is not None and last is not None and first >= last:
        return _raw(filters, name)
    column, plural = _PERIODS[period_ns]
    parts = [(f"{name}_of_{plural}", rollup_condition(filters, column, first, last))]
    if since is not None and first is not None and since < first * period_ns:
        parts.append((f"{name}_of_calls", call_condition(filters, since, first * period_ns)))
    if until is not None and last is not None and until > last * period_ns:
        ended = filters.only(until_ns=until)
        parts.append((f"{name}_of_calls", call_condition(ended, last * period_ns, until)))
    ahead = ahead_condition(filters)
    return parts if ahead is None else [*parts, (f"{name}_of_calls", ahead)]


def _add(made: Relations, name: str, parts: list[tuple[str, Condition]]) -> None:
    made.sql[name] = " UNION ALL ".join(_part(part).replace("{where}", where.sql) for part, where in parts)
    for _, where in parts:
        made.params.update(where.params)
