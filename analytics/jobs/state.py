"""Where the judge stands: its watermark, the traces that wait for their turn, those that it could not read."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import pyarrow as pa

from analytics.jobs.call_rows import texts
from analytics.store import Store, TraceKey, Transaction

JUDGE = "judge"
JUDGED_AT = "judged_at_ns"


def load_watermark(store: Store) -> int:
    """The arrival number up to which everything was judged; 0 for a new store."""
    found = store.read("SELECT max(value) AS value FROM job_state WHERE name = $name", {"name": JUDGE}).to_pylist()
    return int(found[0]["value"] or 0)


def save_watermark(transaction: Transaction, up_to: int) -> None:
    """Write it with the rows that it vouches for, and when that was."""
    names = {"judge": JUDGE, "at": JUDGED_AT}
    transaction.execute("DELETE FROM job_state WHERE name = $judge OR name = $at", names)
    rows = pa.table({"name": [JUDGE, JUDGED_AT], "value": pa.array([up_to, time.time_ns()], pa.int64())})
    transaction.insert("job_state", rows)


def load_pending(store: Store) -> dict[TraceKey, None]:
    """The traces that wait for their turn, as an ordered set."""
    rows = store.read("SELECT DISTINCT project, trace_id FROM pending_trace").to_pylist()
    return {TraceKey(row["project"], row["trace_id"]): None for row in rows}


def add_pending(transaction: Transaction, keys: Sequence[TraceKey]) -> None:
    """Let traces wait."""
    if keys:
        transaction.insert("pending_trace", _keys(keys))


def remove_pending(transaction: Transaction, keys: Sequence[TraceKey]) -> None:
    """These had their turn."""
    if keys:
        transaction.execute(
            "DELETE FROM pending_trace WHERE trace_id IN (SELECT unnest($ids))"
            " AND concat_ws(chr(31), project, trace_id) IN (SELECT unnest($keys))",
            {"ids": [key.trace_id for key in keys], "keys": [f"{key.project}\x1f{key.trace_id}" for key in keys]},
        )


def save_faults(transaction: Transaction, faults: Mapping[TraceKey, str]) -> None:
    """Name the traces that the judge could not read."""
    if faults:
        rows = _keys(list(faults))
        rows = rows.append_column("error", texts(list(faults.values())))
        transaction.insert("judge_fault", rows.append_column("at_ns", pa.array([time.time_ns()] * len(faults))))


def _keys(keys: Sequence[TraceKey]) -> pa.Table:
    return pa.table({"project": texts([k.project for k in keys]), "trace_id": texts([k.trace_id for k in keys])})
