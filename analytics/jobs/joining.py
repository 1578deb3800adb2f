"""One call whose sides lie in two traces: the server's side goes into the caller's row (`analytics.normalise.across`).

Both traces are then judged together, whenever either of them grows: which traces belong together is in `trace_join`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa

from analytics.calls import Call
from analytics.conventions.vocabulary import PROTOCOLS
from analytics.jobs.call_rows import held, texts
from analytics.jobs.writing import Judged
from analytics.judge import judge_calls
from analytics.normalise import LogicalCall, normalise
from analytics.normalise.across import Side, join_sides, merged, side_of
from analytics.questions.times import SECOND_NS
from analytics.settings import JudgeSettings
from analytics.spans import Trace
from analytics.store import Store, TraceKey, Transaction

LOOK_BACK_NS = 60 * SECOND_NS
"""A call that encloses another one began at most this long before it: longer ones are not looked for."""

CROWD = 5000
"""Where more stored calls than this might fit, nothing is joined: it would be a guess."""

_PROTOCOLS = ", ".join(f"'{name}'" for name in sorted(PROTOCOLS))
"""The conventions of calls that may be one side of another call, for SQL."""

_COLUMNS = "id, trace_id, tool, started_ns, duration_ms, convention, service, session_id, arguments_hash"
_OUTER = f"""SELECT {_COLUMNS} FROM call
WHERE project = $project AND started_ns >= $since AND started_ns <= $until AND tool IN (SELECT unnest($tools))
    AND NOT inferred
    AND (convention NOT IN ({_PROTOCOLS}) OR service IS NULL OR service NOT IN (SELECT unnest($services)))
LIMIT $limit"""  # noqa: S608  (texts of ours)
_INNER = f"""SELECT {_COLUMNS} FROM call
WHERE project = $project AND started_ns >= $since AND started_ns <= $until AND tool IN (SELECT unnest($tools))
    AND convention IN ({_PROTOCOLS}) AND NOT inferred
LIMIT $limit"""  # noqa: S608  (texts of ours)
_KNOWN = f"SELECT DISTINCT tool FROM call WHERE convention IN ({_PROTOCOLS})"  # noqa: S608  (texts of ours)
_PARTNERS = """SELECT DISTINCT project, trace_id, outer_id FROM trace_join
WHERE project = $project AND (trace_id IN (SELECT unnest($ids)) OR outer_id IN (SELECT unnest($ids)))"""

JudgeTrace = Callable[[Trace], Judged | None]


class Joining:
    """Brings the traces of a round together with those that hold the other sides of their calls."""

    def __init__(self, store: Store, settings: JudgeSettings) -> None:
        self._store = store
        self._settings = settings
        known = store.read(_KNOWN).to_pylist()
        self._tools = {row["tool"] for row in known}
        self._any = store.read("SELECT 1 AS one FROM trace_join LIMIT 1").num_rows > 0

    def join(self, judged: list[Judged], judge_trace: JudgeTrace) -> list[Judged]:
        """The traces of a round, with joined ones judged as one; other sides that are stored come into the round.

        Args:
            judged: the round's traces, each judged alone.
            judge_trace: judges one more trace alone; None where it cannot be read.
        """
        found = {each.key: each for each in judged}
        self._bring(found, self._partners(judged), judge_trace)
        self._tools |= {call.tool for each in found.values() for call in each.calls if call.convention in PROTOCOLS}
        if not self._tools:
            return judged
        by_project: dict[str, list[Call]] = defaultdict(list)
        for each in found.values():
            by_project[each.key.project] += [c for c in each.calls if c.tool in self._tools and not c.inferred]
        for project, calls in by_project.items():
            self._join_project(project, calls, found, judge_trace)
        return list(found.values())

    def write(self, transaction: Transaction, judged: Sequence[Judged]) -> None:
        """Remember which traces were judged together."""
        joined = [each for each in judged if each.joined_to is not None]
        if not joined and not self._any:
            return
        by_project: dict[str, list[str]] = defaultdict(list)
        for each in judged:
            by_project[each.key.project].append(each.key.trace_id)
        for project, ids in by_project.items():
            transaction.execute(
                "DELETE FROM trace_join WHERE project = $project AND trace_id IN (SELECT unnest($ids))",
                {"project": project, "ids": ids},
            )
        if joined:
            self._any = True
            columns = {
                "project": texts([each.key.project for each in joined]),
                "trace_id": texts([each.key.trace_id for each in joined]),
                "outer_id": texts([each.joined_to for each in joined]),
            }
            transaction.insert("trace_join", pa.table(columns))

    def _partners(self, judged: Sequence[Judged]) -> list[TraceKey]:
        if not self._any:
            return []
        by_project: dict[str, list[str]] = defaultdict(list)
        for each in judged:
            by_project[each.key.project].append(each.key.trace_id)
        keys = []
        for project, ids in by_project.items():
            for row in self._store.read(_PARTNERS, {"project": project, "ids": ids}).to_pylist():
                keys += [TraceKey(project, row["trace_id"]), TraceKey(project, row["outer_id"])]
        return keys

    def _bring(self, found: dict[TraceKey, Judged], keys: Iterable[TraceKey], judge_trace: JudgeTrace) -> None:
        missing = [key for key in dict.fromkeys(keys) if key not in found]
        for trace in self._store.traces(missing) if missing else ():
            made = judge_trace(trace) if trace.spans or trace.logs else None
            if made is not None:
                found[made.key] = made

    def _join_project(
        self, project: str, calls: list[Call], found: dict[TraceKey, Judged], judge_trace: JudgeTrace
    ) -> None:
        here = {call.trace_id for call in calls}
        stored = {side.id: side for side in self._stored(project, calls) if side.trace_id not in here}
        sides = {**stored, **{call.id: side_of(call) for call in calls}}
        if len(sides) < 2:
            return
        pairs = {
            inner: outer
            for inner, outer in join_sides(sides.values()).items()
            if inner not in stored or outer not in stored
        }
        if not pairs:
            return
        traces = {TraceKey(project, sides[each].trace_id) for pair in pairs.items() for each in pair}
        self._bring(found, traces, judge_trace)
        self._judge_together(project, pairs, {key: found[key] for key in traces if key in found}, found)

    def _stored(self, project: str, calls: Sequence[Call]) -> list[Side]:
        """Stored calls that may be the other side of these."""
        found: list[Side] = []
        inner = [call for call in calls if call.convention in PROTOCOLS]
        outer = [call for call in calls if call.convention not in PROTOCOLS]
        for sql, fresh, back in ((_OUTER, inner, LOOK_BACK_NS), (_INNER, outer, SECOND_NS)):
            if not fresh:
                continue
            place = {
                "project": project,
                "since": held(min(call.started_ns for call in fresh) - back),
                "until": held(max(call.started_ns + int(call.duration_ms * 1e6) for call in fresh)),
                "tools": list({call.tool for call in fresh}),
                "services": list({call.service for call in fresh if call.service}) or [""],
                "limit": CROWD + 1,
            }
            rows = self._store.read(sql, place).to_pylist()
            if len(rows) <= CROWD:
                found += [_side(row) for row in rows]
        return found

    def _judge_together(
        self, project: str, pairs: dict[str, str], traces: dict[TraceKey, Judged], found: dict[TraceKey, Judged]
    ) -> None:
        calls = {key: normalise(each.trace, self._settings) for key, each in traces.items()}
        by_id: dict[str, tuple[TraceKey, LogicalCall]] = {
            call.id: (key, call) for key, own in calls.items() for call in own
        }
        into: dict[TraceKey, list[TraceKey]] = defaultdict(list)
        for inner_id, outer_id in pairs.items():
            if inner_id not in by_id or outer_id not in by_id:
                continue
            (inner_key, inner), (outer_key, outer) = by_id[inner_id], by_id[outer_id]
            merged(outer, inner)
            calls[inner_key] = [call for call in calls[inner_key] if call is not inner]
            into[outer_key].append(inner_key)
        for key, each in traces.items():
            inside = [traces[other].trace for other in into.get(key, ())]
            together = _together(each.trace, inside) if inside else each.trace
            outer_trace = next((k.trace_id for k, inner in into.items() if key in inner), None)
            rows = judge_calls(together, calls[key], self._settings)
            session = next((row.session_id for row in rows if row.session_id), None)
            found[key] = Judged(key, each.trace, rows, outer_trace, session)
        for outer_key, inner_keys in into.items():
            session = found[outer_key].session or outer_key.trace_id
            for key in inner_keys:
                each = found[key]
                found[key] = Judged(key, each.trace, each.calls, outer_key.trace_id, each.session or session)


def _together(outer: Trace, inside: Sequence[Trace]) -> Trace:
    """The caller's trace with the spans of the other sides' traces: what the judge looks at for a joined call."""
    spans = [*outer.spans, *(span for trace in inside for span in trace.spans)]
    return Trace(outer.project, outer.trace_id, spans, outer.logs)


def _side(row: dict[str, Any]) -> Side:
    end_ns = row["started_ns"] + int(row["duration_ms"] * 1e6)
    return Side(
        row["id"],
        row["trace_id"],
        row["tool"],
        row["started_ns"],
        end_ns,
        row["convention"] in PROTOCOLS,
        row["service"],
        row["session_id"],
        row["arguments_hash"],
    )
