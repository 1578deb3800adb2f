"""Retention: whole days of spans go, by age of receipt or by size; payloads and verdicts have their own terms.

Spans are dropped table by table, which costs nothing and leaves no holes. The file does not shrink: DuckDB uses the
freed blocks again, so size is counted in used blocks.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from analytics.store import Scope
from collector.store.relations import NS_PER_DAY, DayTable
from collector.store.store import DuckDBStore

_HOUR_NS = 3600 * 10**9


@dataclass(slots=True, frozen=True)
class Terms:
    """How long a project's rows are kept, in days (None: for ever); `max_bytes` bounds all its spans together.

    `span_days` are whole days of receipt, today not counted; raw payloads copied into verdicts go after `payload_days`,
    verdicts, sessions and rollups after `verdict_days`.
    """

    span_days: int | None = None
    payload_days: int | None = None
    verdict_days: int | None = None
    max_bytes: int | None = None


@dataclass(slots=True)
class Dropped:
    """What one round let go."""

    tables: list[str] = field(default_factory=list)
    payloads: int = 0
    calls: int = 0


def apply(store: DuckDBStore, terms: Mapping[str, Terms], default: Terms, now_ns: int | None = None) -> Dropped:
    """One round over all projects; `terms` by project, `default` for the rest. Cheap when nothing is due."""
    now = time.time_ns() if now_ns is None else now_ns
    dropped = Dropped()
    tables = store.day_tables()
    due = [table.name for table in tables if _is_old(table, terms.get(table.project, default), now)]
    left = [table for table in tables if table.name not in due]
    due += [table.name for table in _over_size(store, left, terms, default, now)]
    if due:
        store.drop_days(due)
        dropped.tables = sorted(due)
    for project in _projects(store, tables):
        _expire_verdicts(store, project, terms.get(project, default), now, dropped)
    return dropped


def _is_old(table: DayTable, terms: Terms, now_ns: int) -> bool:
    return terms.span_days is not None and table.day < now_ns // NS_PER_DAY - terms.span_days


def _over_size(
    store: DuckDBStore, tables: Sequence[DayTable], terms: Mapping[str, Terms], default: Terms, now_ns: int
) -> Iterator[DayTable]:
    """The oldest days of a project whose spans take more than their bound; never today's."""
    limited = {project for table in tables if (terms.get(project := table.project, default)).max_bytes is not None}
    if not limited:
        return
    sizes = store.day_sizes()
    for project in sorted(limited):
        own = [table for table in tables if table.project == project]
        bound = terms.get(project, default).max_bytes or 0
        total = sum(sizes.get(table.name, 0) for table in own)
        for table in own:
            if total <= bound or table.day >= now_ns // NS_PER_DAY:
                break
            total -= sizes.get(table.name, 0)
            yield table


def _projects(store: DuckDBStore, tables: Sequence[DayTable]) -> list[str]:
    found = store.read("SELECT DISTINCT project FROM rollup_hour").to_pylist()
    return sorted({table.project for table in tables} | {row["project"] for row in found})


def _expire_verdicts(store: DuckDBStore, project: str, terms: Terms, now_ns: int, dropped: Dropped) -> None:
    if terms.payload_days is not None:
        before = now_ns - terms.payload_days * NS_PER_DAY
        dropped.payloads += _blank_payloads(store, project, before)
    if terms.verdict_days is None:
        return
    before = (now_ns - terms.verdict_days * NS_PER_DAY) // NS_PER_DAY * NS_PER_DAY
    params = {"project": project, "before": before, "hour": before // _HOUR_NS, "day": before // NS_PER_DAY}
    due = "SELECT 1 FROM call WHERE project = $project AND started_ns < $before LIMIT 1"
    if not store.read(due, params, Scope(project)).num_rows:
        return
    with store.write() as transaction:
        for table, condition in (
            ("call", "started_ns < $before"),
            ("trace", "t1_ns < $before"),
            ("session", "t1_ns < $before"),
            ("rollup_hour", "hour < $hour"),
            ("latency_day", "day < $day"),
            ("tool_session", "t1_ns < $before"),
        ):
            gone = transaction.execute(f"DELETE FROM {table} WHERE project = $project AND {condition}", params)  # noqa: S608
            dropped.calls += gone if table == "call" else 0


def _blank_payloads(store: DuckDBStore, project: str, before_ns: int) -> int:
    condition = (
        "project = $project AND received_ns < $before"
        " AND (arguments IS NOT NULL OR result IS NOT NULL OR error_message IS NOT NULL"
        f" OR (evidence LIKE '%\"value\":%' AND evidence <> {_EVIDENCE_LEFT}))"
    )
    params = {"project": project, "before": before_ns}
    if not store.read(f"SELECT 1 FROM call WHERE {condition} LIMIT 1", params).num_rows:  # noqa: S608
        return 0
    blank = f"arguments = NULL, result = NULL, error_message = NULL, evidence = {_EVIDENCE_LEFT}"
    with store.write() as transaction:
        return transaction.execute(f"UPDATE call SET {blank} WHERE {condition}", params)  # noqa: S608


EXPIRED = "[expired]"
"""What stands in the evidence of a verdict for a text whose time is over."""

_EVIDENCE_LEFT = f"""
CASE WHEN json_valid(evidence) THEN CAST(to_json(list_transform(from_json(evidence, '["JSON"]'), lambda each:
    CASE WHEN json_type(each, '$.value') IN ('VARCHAR', 'ARRAY', 'OBJECT') AND NOT json_exists(each, '$.span_id')
    THEN json_merge_patch(each, '{{"value": "{EXPIRED}"}}') ELSE each END)) AS VARCHAR) ELSE '[]' END
"""
"""Evidence without the texts of payloads and errors: keys, numbers, marks and what is said of other spans stay."""
