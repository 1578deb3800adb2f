"""Trace rows: which session a trace belongs to, when it came, up to which arrival it was judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from analytics.jobs.call_rows import held, texts
from analytics.spans import Trace
from analytics.store import TraceKey, Transaction


@dataclass(slots=True)
class TraceRow:
    """One row of `trace`; times are ns since 1970 UTC."""

    project: str
    trace_id: str
    session_key: str
    t0_ns: int
    t1_ns: int
    received_from_ns: int
    received_to_ns: int
    spans: int
    calls: int
    judged_seq: int


_THESE = "FROM trace WHERE judged_seq >= $since AND project = $project AND trace_id IN (SELECT unnest($ids))"
_TEXTS = ("project", "trace_id", "session_key")
_NUMBERS = ("t0_ns", "t1_ns", "received_from_ns", "received_to_ns", "spans", "calls", "judged_seq")


def trace_row(trace: Trace, session: str, calls: int) -> TraceRow:
    """The row of a trace as it stands; `session` is the session that its calls name, or its own id."""
    spans, logs = trace.spans, trace.logs
    starts, ends = [each.start_ns for each in spans], [each.end_ns for each in spans]
    received = [each.received_ns for each in spans]
    if logs:
        times = [each.time_ns for each in logs]
        starts, ends = starts + times, ends + times
        received += [each.received_ns for each in logs]
    return TraceRow(
        trace.project,
        trace.trace_id,
        session,
        held(min(starts)),
        held(max(ends)),
        min(received),
        max(received),
        len(spans) + len(logs),
        calls,
        last_seq(trace),
    )


def last_seq(trace: Trace) -> int:
    """The arrival number of the last row of a trace; traces come in order of arrival."""
    return max(trace.spans[-1].seq if trace.spans else 0, trace.logs[-1].seq if trace.logs else 0)


def first_seq(trace: Trace) -> int:
    """The arrival number of its first row; traces come in order of arrival."""
    seqs = [rows[0].seq for rows in (trace.spans, trace.logs) if rows]
    return min(seqs)


def stored_rows(transaction: Transaction, keys: Iterable[TraceKey], since_seq: int) -> dict[TraceKey, TraceRow]:
    """Those of the traces that were judged before; `since_seq`, the first arrival of any of them, prunes."""
    by_project: dict[str, list[str]] = {}
    for key in keys:
        by_project.setdefault(key.project, []).append(key.trace_id)
    found = {}
    for project, ids in by_project.items():
        rows = transaction.query(
            f"SELECT * {_THESE}",
            {"since": since_seq, "project": project, "ids": ids},
        )
        for row in rows.to_pylist():
            found[TraceKey(project, row["trace_id"])] = TraceRow(**row)
    return found


def replace_rows(
    transaction: Transaction, stored: Mapping[TraceKey, TraceRow], rows: Sequence[TraceRow], since_seq: int
) -> None:
    """Write the rows of some traces, in the place of those stored."""
    by_project: dict[str, list[str]] = {}
    for key in stored:
        by_project.setdefault(key.project, []).append(key.trace_id)
    for project, ids in by_project.items():
        transaction.execute(
            f"DELETE {_THESE}",
            {"since": since_seq, "project": project, "ids": ids},
        )
    if rows:
        columns = {name: texts([getattr(row, name) for row in rows]) for name in _TEXTS}
        columns |= {name: pa.array([getattr(row, name) for row in rows], pa.int64()) for name in _NUMBERS}
        transaction.insert("trace", pa.table(columns))
