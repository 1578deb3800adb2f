"""Session rows: counts kept by differences, bounds and lists by union, and exactly recomputed where a row went away."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from analytics.calls import Call
from analytics.jobs.call_rows import held, session_key, text_lists, texts
from analytics.jobs.trace_rows import TraceRow
from analytics.questions.times import MAX_NS
from analytics.store import Transaction
from telltale.vocabulary import Outcome

MAX_LISTED = 50
"""The most tools, codes or flags that a session lists."""

_TEXTS = ("project", "session_id", "session_source", "agent", "user", "service")
_NUMBERS = (
    "t0_ns",
    "t1_ns",
    "received_from_ns",
    "received_to_ns",
    "calls",
    "failures",
    "silent",
    "unrecovered",
    "traces",
)
_LISTS = ("codes", "tools", "flags")

_LISTED = """SELECT DISTINCT session_key, tool, outcome, code, flags FROM call
WHERE project = $project AND session_key IN (SELECT unnest($ids)) AND started_ns >= $first AND started_ns <= $last"""

Key = tuple[str, str]
"""(project, session)."""


@dataclass(slots=True)
class SessionRow:
    """One row of `session`."""

    project: str
    session_id: str
    session_source: str = "trace"
    agent: str | None = None
    user: str | None = None
    service: str | None = None
    t0_ns: int = MAX_NS
    t1_ns: int = 0
    received_from_ns: int = MAX_NS
    received_to_ns: int = 0
    calls: int = 0
    failures: int = 0
    silent: int = 0
    unrecovered: int = 0
    traces: int = 0
    codes: list[str] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)

    def add(self, call: Call) -> None:
        """Count a call in."""
        self.session_source = call.session_source if call.session_id else "trace"
        self.agent = self.agent or call.agent
        self.user = self.user or call.user
        self.service = self.service or call.service
        started = held(call.started_ns)
        ended = held(started + int(max(0.0, min(call.duration_ms, 1e12)) * 1e6))
        self.t0_ns = min(self.t0_ns, started)
        self.t1_ns = max(self.t1_ns, ended)
        self.count(call.outcome, call.recovered, 1)
        if call.tool not in self.tools:
            _union(self.tools, [call.tool])
        if call.code and call.outcome is not Outcome.OK:
            _union(self.codes, [call.code])
        if call.flags:
            _union(self.flags, call.flags)

    def count(self, outcome: str, recovered: bool | None, sign: int) -> None:
        """Count a verdict in or out."""
        self.calls += sign
        if outcome != Outcome.OK:
            self.failures += sign
            self.unrecovered += 0 if recovered else sign
        if outcome == Outcome.SILENT_FAILURE:
            self.silent += sign

    def reach(self, trace: TraceRow) -> None:
        """Take in when the spans of a trace were received."""
        self.received_from_ns = min(self.received_from_ns, trace.received_from_ns)
        self.received_to_ns = max(self.received_to_ns, trace.received_to_ns)


def _union(listed: list[str], more: Iterable[str]) -> None:
    for each in more:
        if each not in listed and len(listed) < MAX_LISTED:
            listed.append(each)


class Sessions:
    """The session rows that one transaction touches."""

    def __init__(self, transaction: Transaction, keys: Iterable[Key]) -> None:
        """Load those of `keys` that exist."""
        self._transaction = transaction
        self._rows: dict[Key, SessionRow] = {}
        self._stored: set[Key] = set()
        for project, ids in _by_project(keys).items():
            found = transaction.query(
                "SELECT * FROM session WHERE project = $project AND session_id IN (SELECT unnest($ids))",
                {"project": project, "ids": ids},
            )
            for row in found.to_pylist():
                key = (project, row["session_id"])
                self._rows[key] = SessionRow(**row)
                self._stored.add(key)

    def change(
        self,
        added: Sequence[Call],
        gone: Sequence[Mapping[str, Any]],
        recovered: Sequence[tuple[Mapping[str, Any], bool | None]],
    ) -> None:
        """Take in new rows of `call`, take out replaced ones, and those of which only `recovered` is another now."""
        for row in gone:
            self._count(row, row["recovered"], -1)
        for row, now in recovered:
            self._count(row, row["recovered"], -1)
            self._count(row, now, 1)
        for call in added:
            self._row((call.project, session_key(call))).add(call)

    def reach(self, trace: TraceRow, session_ids: Iterable[str], new: bool) -> None:
        """Take in a trace that holds calls of these sessions; `new` if it was not known as theirs before."""
        for session_id in session_ids:
            row = self._rows.get((trace.project, session_id))
            if row is not None:
                row.reach(trace)
                row.traces += new

    def write(self, narrowed: set[Key]) -> None:
        """Replace the rows; `narrowed` sessions lost a verdict, so their lists are read again from their calls."""
        for project, ids in _by_project(narrowed & self._rows.keys()).items():
            self._list_again(project, ids)
        stored = [key for key in self._rows if key in self._stored]
        for project, ids in _by_project(stored).items():
            self._transaction.execute(
                "DELETE FROM session WHERE project = $project AND session_id IN (SELECT unnest($ids))",
                {"project": project, "ids": ids},
            )
        kept = [row for row in self._rows.values() if row.calls > 0]
        if kept:
            self._transaction.insert("session", _table(kept))

    def _count(self, row: Mapping[str, Any], recovered: bool | None, sign: int) -> None:
        known = self._rows.get((row["project"], row["session_key"]))
        if known is not None:
            known.count(row["outcome"], recovered, sign)

    def _row(self, key: Key) -> SessionRow:
        if key not in self._rows:
            self._rows[key] = SessionRow(*key)
        return self._rows[key]

    def _list_again(self, project: str, ids: Sequence[str]) -> None:
        rows = [self._rows[project, session_id] for session_id in ids]
        place = {"first": min(row.t0_ns for row in rows), "last": max(row.t1_ns for row in rows)}
        found = self._transaction.query(_LISTED, {"project": project, "ids": ids, **place}).to_pylist()
        for row in rows:
            row.tools, row.codes, row.flags = [], [], []
        for each in found:
            row = self._rows[project, each["session_key"]]
            _union(row.tools, [each["tool"]])
            _union(row.codes, [each["code"]] if each["code"] and each["outcome"] != Outcome.OK else [])
            _union(row.flags, each["flags"])


def _by_project(keys: Iterable[Key]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for project, session_id in keys:
        found[project].append(session_id)
    return found


def _table(rows: Sequence[SessionRow]) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name in _TEXTS:
        columns[name] = texts([getattr(row, name) for row in rows])
    for name in _NUMBERS:
        columns[name] = pa.array([getattr(row, name) for row in rows], pa.int64())
    for name in _LISTS:
        columns[name] = text_lists([sorted(getattr(row, name)) for row in rows])
    return pa.table(columns)
