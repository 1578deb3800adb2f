"""Which tools failed in which sessions: one row each, so that nothing distinct has to be counted later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from analytics.calls import Call
from analytics.jobs.call_rows import held, session_key, texts
from analytics.store import Transaction
from telltale.vocabulary import Outcome

_STORED = """SELECT project, session_id, tool, failures, t0_ns, t1_ns FROM tool_session
WHERE project = $project AND session_id IN (SELECT unnest($ids))"""
_DELETE = """DELETE FROM tool_session
WHERE project = $project AND session_id IN (SELECT unnest($ids))
    AND concat_ws(chr(31), session_id, tool) IN (SELECT unnest($pairs))"""
_COUNT = """SELECT project, session_key AS session_id, tool, count(*) AS failures, min(started_ns) AS t0_ns,
    max(started_ns) AS t1_ns
FROM call
WHERE project = $project AND session_key IN (SELECT unnest($ids)) AND outcome <> 'ok'
    AND started_ns >= $first AND started_ns <= $last
GROUP BY project, session_key, tool"""

Key = tuple[str, str, str]
"""(project, session, tool)."""


@dataclass(slots=True)
class _Row:
    project: str
    session_id: str
    tool: str
    failures: int
    t0_ns: int
    t1_ns: int


def write_tool_sessions(
    transaction: Transaction, added: Iterable[Call], gone: Iterable[Mapping[str, Any]], new: set[tuple[str, str]]
) -> None:
    """Bring the rows of the touched sessions up to date, in the transaction that changed `call`.

    Args:
        transaction: the calls are written in it already.
        added: new rows of `call`.
        gone: the rows that they replaced.
        new: sessions (project, id) that had no calls before, so that nothing is looked up for them.
    """
    failed = [call for call in added if call.outcome is not Outcome.OK]
    lost = [row for row in gone if row["outcome"] != Outcome.OK]
    touched = {(call.project, session_key(call)) for call in failed} | {(r["project"], r["session_key"]) for r in lost}
    if not touched:
        return
    stored = _stored(transaction, touched - new)
    rows: dict[Key, _Row] = {}
    for call in failed:
        _count(rows, stored, call)
    shrunk = {(row["project"], row["session_key"], row["tool"]) for row in lost}
    _recount(transaction, rows, stored, shrunk)
    _replace(transaction, rows, {key for key in stored if key in rows or key in shrunk})


def _stored(transaction: Transaction, sessions: Iterable[tuple[str, str]]) -> dict[Key, _Row]:
    found = {}
    for project, ids in _by_project(sessions).items():
        for row in transaction.query(_STORED, {"project": project, "ids": ids}).to_pylist():
            found[project, row["session_id"], row["tool"]] = _Row(**row)
    return found


def _count(rows: dict[Key, _Row], stored: Mapping[Key, _Row], call: Call) -> None:
    key = (call.project, session_key(call), call.tool)
    started = held(call.started_ns)
    row = rows.get(key) or stored.get(key)
    if row is None:
        rows[key] = _Row(*key, 1, started, started)
        return
    row.failures += 1
    row.t0_ns, row.t1_ns = min(row.t0_ns, started), max(row.t1_ns, started)
    rows[key] = row


def _recount(transaction: Transaction, rows: dict[Key, _Row], stored: Mapping[Key, _Row], shrunk: set[Key]) -> None:
    """Where a failure went away, count again from the calls."""
    for project, ids in _by_project({key[:2] for key in shrunk}).items():
        bounds = [row for key, row in {**stored, **rows}.items() if key[0] == project and key in shrunk]
        if not bounds:
            continue
        place = {"first": min(row.t0_ns for row in bounds), "last": max(row.t1_ns for row in bounds)}
        for key in [key for key in rows if key[0] == project and key in shrunk]:
            del rows[key]
        for row in transaction.query(_COUNT, {"project": project, "ids": ids, **place}).to_pylist():
            key = (project, row["session_id"], row["tool"])
            if key in shrunk:
                rows[key] = _Row(**row)


def _replace(transaction: Transaction, rows: Mapping[Key, _Row], old: set[Key]) -> None:
    for project, ids in _by_project({key[:2] for key in old}).items():
        pairs = [f"{session_id}\x1f{tool}" for owner, session_id, tool in old if owner == project]
        transaction.execute(_DELETE, {"project": project, "ids": ids, "pairs": pairs})
    if rows:
        transaction.insert("tool_session", _table(list(rows.values())))


def _by_project(sessions: Iterable[tuple[str, ...]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for project, session_id, *_ in sessions:
        found.setdefault(project, []).append(session_id)
    return found


def _table(rows: Sequence[_Row]) -> pa.Table:
    columns = {name: texts([getattr(row, name) for row in rows]) for name in ("project", "session_id", "tool")}
    for name in ("failures", "t0_ns", "t1_ns"):
        columns[name] = pa.array([getattr(row, name) for row in rows], pa.int64())
    return pa.table(columns)
