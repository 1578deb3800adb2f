"""Hourly counts, kept exact by differences: what a judged call adds, and what the row that it replaces takes away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from analytics.calls import Call
from analytics.jobs.call_rows import duration, held, measured, texts
from analytics.questions.filters import NO_CODE
from analytics.questions.relations import bucket_of
from analytics.questions.times import HOUR_NS
from analytics.store import Transaction
from telltale.vocabulary import Flag

_RECOVERED = {True: "yes", False: "no", None: "unknown"}

Key = tuple[Any, ...]


@dataclass(slots=True, frozen=True)
class _Rollup:
    """A table of counts: its key columns, and the column types."""

    table: str
    period: str
    keys: Mapping[str, pa.DataType]

    def apply(self, transaction: Transaction, changes: Mapping[Key, int]) -> None:
        """Add the differences to the counts of their keys; keys begin with project and period."""
        changes = {key: n for key, n in changes.items() if n}
        if not changes:
            return
        present = self._present(transaction, {key[0] for key in changes}, {key[1] for key in changes})
        known = [(present[key], n) for key, n in changes.items() if key in present]
        if known:
            transaction.execute(
                f"UPDATE {self.table} SET calls = calls + change.n FROM"  # noqa: S608  (a name of ours)
                " (SELECT unnest($places) AS place, unnest($counts) AS n) AS change WHERE rowid = change.place",
                {"places": [place for place, _ in known], "counts": [n for _, n in known]},
            )
        new = {key: n for key, n in changes.items() if key not in present}
        if new:
            columns = dict(zip(self.keys, zip(*new, strict=True), strict=True))
            arrays = {
                name: texts(columns[name]) if kind == pa.string() else pa.array(columns[name], kind)
                for name, kind in self.keys.items()
            }
            arrays["calls"] = pa.array(list(new.values()), pa.int64())
            transaction.insert(self.table, pa.table(arrays))

    def _present(self, transaction: Transaction, projects: set[str], periods: set[int]) -> dict[Key, int]:
        rows = transaction.query(
            f"SELECT {', '.join(self.keys)}, rowid FROM {self.table}"  # noqa: S608  (names of ours)
            f" WHERE {self.period} >= $first AND {self.period} <= $last"
            f" AND {self.period} IN (SELECT unnest($periods)) AND project IN (SELECT unnest($projects))",
            {"first": min(periods), "last": max(periods), "periods": list(periods), "projects": list(projects)},
        )
        columns = [rows.column(name).to_pylist() for name in (*self.keys, "rowid")]
        return {key[:-1]: key[-1] for key in zip(*columns, strict=True)}


_COUNTS = _Rollup(
    "rollup_hour",
    "hour",
    {
        "project": pa.string(),
        "hour": pa.int32(),
        "tool": pa.string(),
        "outcome": pa.string(),
        "code": pa.string(),
        "payload": pa.string(),
        "measured": pa.bool_(),
        "inferred": pa.bool_(),
        "muted": pa.bool_(),
        "budget_exhausted": pa.bool_(),
        "recovered": pa.string(),
    },
)
_DURATIONS = _Rollup(
    "latency_day", "day", {"project": pa.string(), "day": pa.int32(), "tool": pa.string(), "bucket": pa.int32()}
)


@dataclass(slots=True)
class RollupChange:
    """The differences of one transaction."""

    counts: Counter[Key] = field(default_factory=Counter)
    durations: Counter[Key] = field(default_factory=Counter)

    def add(self, call: Call, sign: int = 1) -> None:
        """Count a call in, or (sign -1) out."""
        hour = held(call.started_ns) // HOUR_NS
        self.counts[
            call.project,
            hour,
            call.tool,
            call.outcome,
            call.code or NO_CODE,
            call.payload,
            measured(call),
            call.inferred,
            call.muted,
            Flag.BUDGET_EXHAUSTED in call.flags,
            _RECOVERED[call.recovered],
        ] += sign
        self.durations[call.project, hour // 24, call.tool, bucket_of(duration(call))] += sign

    def add_rows(self, rows: Sequence[Mapping[str, Any]], sign: int) -> None:
        """Count stored rows of `call` in or out."""
        for row in rows:
            hour = row["started_ns"] // HOUR_NS
            self.counts[
                row["project"],
                hour,
                row["tool"],
                row["outcome"],
                row["code"] or NO_CODE,
                row["payload"],
                row["measured"],
                row["inferred"],
                row["muted"],
                "budget_exhausted" in row["flags"],
                _RECOVERED[row["recovered"]],
            ] += sign
            self.durations[row["project"], hour // 24, row["tool"], bucket_of(row["duration_ms"])] += sign

    def apply(self, transaction: Transaction) -> None:
        """Write the differences."""
        _COUNTS.apply(transaction, self.counts)
        _DURATIONS.apply(transaction, self.durations)
