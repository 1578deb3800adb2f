"""One transaction of the judge: the rows of some traces replaced, and everything that counts them kept exact."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from analytics.calls import Call
from analytics.jobs.call_rows import added_later, call_of, call_table, digest, session_key
from analytics.jobs.rollups import RollupChange
from analytics.jobs.senders import Senders
from analytics.jobs.sessions import Sessions
from analytics.jobs.tool_sessions import write_tool_sessions
from analytics.jobs.trace_rows import TraceRow, first_seq, last_seq, replace_rows, stored_rows, trace_row
from analytics.judge import SessionCall
from analytics.spans import Trace
from analytics.store import TraceKey, Transaction

COUNTED = """rowid, id, digest, project, trace_id, session_key, started_ns, duration_ms, tool, outcome, code, payload,
    measured, inferred, muted, flags, recovered, service, scope, convention, lost"""
"""The columns of `call` that everything counted rests on; `rowid` holds within the transaction that read it."""
_OLD = f"""SELECT {COUNTED} FROM call
WHERE judged_seq >= $since AND project = $project AND trace_id IN (SELECT unnest($ids))"""  # noqa: S608
_BY_ID = """FROM call
WHERE project = $project AND started_ns >= $first AND started_ns <= $last AND id IN (SELECT unnest($ids))"""
_WHOLE = f"SELECT * {_BY_ID}"
_COUNTS_BY_ID = f"SELECT {COUNTED} {_BY_ID}"
_OVERCOME = "UPDATE call SET recovered = $recovered WHERE rowid IN (SELECT unnest($places))"
_DELETE = """DELETE FROM call WHERE project = $project AND started_ns >= $first AND started_ns <= $last
    AND trace_id IN (SELECT unnest($traces)) AND id IN (SELECT unnest($ids))"""

Row = Mapping[str, Any]
State = tuple[bool | None, tuple[str, ...], tuple[str, ...], int]
"""Recovery, flags, rules, and how much evidence."""


@dataclass(slots=True, frozen=True)
class Judged:
    """A trace and what the judge made of it.

    `joined_to`: the trace whose call this one holds a side of. `session`: the session that the trace belongs to where
    its own calls do not say.
    """

    key: TraceKey
    trace: Trace
    calls: list[Call]
    joined_to: str | None = None
    session: str | None = None


class Placed(NamedTuple):
    """A call and what its row holds beside the verdict."""

    call: Call
    scope: str
    judged_seq: int
    digest: int


@dataclass(slots=True, frozen=True)
class Refreshed:
    """A stored call that the calls after it say something new of, and what was known of it before."""

    project: str
    call: SessionCall
    known: State

    @property
    def only_recovered(self) -> bool:
        """Whether nothing but the recovery is new."""
        return state_of(self.call)[1:] == self.known[1:]


def state_of(call: SessionCall) -> State:
    """What a session's pass may change of a call."""
    return call.recovered, tuple(call.flags), tuple(call.rules), len(call.evidence)


@dataclass(slots=True)
class Change:
    """The rows of `call` that a transaction adds, those that it takes away, those of which only `recovered` changes."""

    added: list[Placed] = field(default_factory=list)
    gone: list[Row] = field(default_factory=list)
    recovered: list[tuple[Row, bool | None]] = field(default_factory=list)

    @property
    def calls(self) -> list[Call]:
        """The calls of the added rows."""
        return [placed.call for placed in self.added]

    def narrowed(self) -> set[tuple[str, str]]:
        """The sessions (project, id) that may have lost a tool, a code or a flag: a row went that none covers."""
        now = {(placed.call.project, placed.call.id): placed.call for placed in self.added}
        return {
            (row["project"], row["session_key"])
            for row in self.gone
            if not _covers(now.get((row["project"], row["id"])), row)
        }


def _covers(call: Call | None, row: Row) -> bool:
    """Whether everything that a session lists of a row holds for the call in its place."""
    return (
        call is not None
        and (session_key(call), call.tool, call.outcome, call.code)
        == (row["session_key"], row["tool"], row["outcome"], row["code"])
        and set(row["flags"]) <= set(call.flags)
    )


def write_judged(
    transaction: Transaction, judged: Sequence[Judged], watermark: int, refreshed: Sequence[Refreshed] = ()
) -> None:
    """Replace the verdicts of these traces.

    Args:
        transaction: everything becomes visible with it.
        judged: the traces, none of them empty.
        watermark: traces whose first row arrived later were never judged before, so nothing is looked up for them.
        refreshed: stored calls of other traces that the session pass changed.
    """
    known = [each for each in judged if first_seq(each.trace) <= watermark]
    since = min((first_seq(each.trace) for each in known), default=0)
    stored = stored_rows(transaction, [each.key for each in known], since)
    open_ = [each for each in judged if not _sealed(each, stored.get(each.key))]
    again = [each.key for each in open_ if each.key in stored]
    change = _difference(open_, _old_rows(transaction, again, since))
    new_calls = list(change.added), list(change.gone)
    refresh(transaction, change, refreshed)
    write_change(transaction, change)
    _sessions_and_traces(transaction, open_, change, stored, since)
    _senders(transaction, open_, *new_calls, stored)


def write_change(transaction: Transaction, change: Change) -> None:
    """Replace and change rows of `call`, and keep the hourly counts exact."""
    for project, rows in _by_project(change.gone).items():
        place = {
            **_bounds([row["started_ns"] for row in rows]),
            "project": project,
            "traces": list({row["trace_id"] for row in rows}),
            "ids": [row["id"] for row in rows],
        }
        transaction.execute(_DELETE, place)
    if change.added:
        transaction.insert(
            "call",
            call_table(
                change.calls,
                [placed.scope for placed in change.added],
                [placed.digest for placed in change.added],
                [placed.judged_seq for placed in change.added],
                time.time_ns(),
            ),
        )
    for value in {value for _, value in change.recovered}:
        places = [row["rowid"] for row, now in change.recovered if now is value]
        transaction.execute(_OVERCOME, {"recovered": value, "places": places})
    counts = RollupChange()
    for call in change.calls:
        counts.add(call)
    counts.add_rows(change.gone, -1)
    counts.add_rows([row for row, _ in change.recovered], -1)
    counts.add_rows([{**row, "recovered": value} for row, value in change.recovered], 1)
    counts.apply(transaction)


def refresh(transaction: Transaction, change: Change, refreshed: Sequence[Refreshed]) -> None:
    """Add to `change` stored calls that got other flags, rules or recovery.

    Their payloads, and what people and other sessions said of them meanwhile, stay as stored.
    """
    for only_recovered in (True, False):
        for project, calls in _by_owner(each for each in refreshed if each.only_recovered is only_recovered).items():
            place = {**_bounds([call.started_ns for call in calls.values()]), "project": project, "ids": list(calls)}
            rows = transaction.query(_COUNTS_BY_ID if only_recovered else _WHOLE, place).to_pylist()
            if only_recovered:
                change.recovered += [(row, calls[row["id"]].recovered) for row in rows]
            else:
                _replace(change, rows, calls)


def _replace(change: Change, rows: Iterable[Row], calls: Mapping[str, SessionCall]) -> None:
    for row in rows:
        made, now = call_of(row), calls[row["id"]]
        said = [each for each in made.evidence if added_later(each.get("rule"))]
        known = [rule for rule in now.rules if not added_later(rule) or rule in made.rules]
        made.rules = known + [rule for rule in made.rules if added_later(rule) and rule not in known]
        made.evidence = [each for each in now.evidence if not added_later(each.get("rule"))] + said
        made.flags, made.recovered = now.flags, now.recovered
        change.gone.append(row)
        change.added.append(Placed(made, row["scope"], row["judged_seq"], digest(made)))


def rewrite_sessions(transaction: Transaction, change: Change) -> None:
    """Bring the sessions of changed calls up to date."""
    touched = {(row["project"], row["session_key"]) for row in [*change.gone, *(row for row, _ in change.recovered)]}
    sessions = Sessions(transaction, touched | {(call.project, session_key(call)) for call in change.calls})
    sessions.change(change.calls, change.gone, change.recovered)
    sessions.write(change.narrowed())
    write_tool_sessions(transaction, change.calls, change.gone, set())


def _sealed(judged: Judged, stored: TraceRow | None) -> bool:
    """Whether spans of a judged trace have expired: its verdicts stand, nobody can judge it better any more."""
    return stored is not None and len(judged.trace.spans) + len(judged.trace.logs) < stored.spans


def _old_rows(transaction: Transaction, keys: Iterable[TraceKey], since: int) -> list[Row]:
    by_project: dict[str, list[str]] = {}
    for key in keys:
        by_project.setdefault(key.project, []).append(key.trace_id)
    found: list[Row] = []
    for project, ids in by_project.items():
        found += transaction.query(_OLD, {"since": since, "project": project, "ids": ids}).to_pylist()
    return found


def _difference(judged: Sequence[Judged], old: Sequence[Row]) -> Change:
    """What has to change; a verdict that came out equal leaves its row alone."""
    same = {(row["project"], row["id"], row["digest"]): row for row in old}
    kept = set()
    change = Change()
    for each in judged:
        scopes = _scopes(each) if each.calls else {}
        seq = last_seq(each.trace)
        for call in each.calls:
            placed = Placed(call, scopes.get(call.span_id, ""), seq, digest(call))
            verdict = (call.project, call.id, placed.digest)
            kept.add(verdict)
            stored = same.get(verdict)
            if stored is None:
                change.added.append(placed)
            elif stored["recovered"] is not call.recovered:
                change.recovered.append((stored, call.recovered))
    change.gone = [row for row in old if (row["project"], row["id"], row["digest"]) not in kept]
    return change


def _scopes(judged: Judged) -> dict[str, str]:
    """The instrumentation scope of every span that bears a verdict."""
    wanted = {call.span_id for call in judged.calls}
    return {span.span_id: span.scope_name for span in judged.trace.spans if span.span_id in wanted}


def _sessions_and_traces(
    transaction: Transaction,
    judged: Sequence[Judged],
    change: Change,
    stored: Mapping[TraceKey, TraceRow],
    since: int,
) -> None:
    keys = [{session_key(call) for call in each.calls} for each in judged]
    rows = [trace_row(each.trace, _session_of(each), len(each.calls)) for each in judged]
    touched = {(each.trace.project, key) for each, own in zip(judged, keys, strict=True) for key in own}
    touched |= {(call.project, session_key(call)) for call in change.calls}
    touched |= {(row["project"], row["session_key"]) for row in [*change.gone, *(row for row, _ in change.recovered)]}
    # A trace that stands in for a session and was never judged has no session row yet: nothing to look up.
    fresh = {(each.trace.project, each.trace.trace_id) for each in judged if each.key not in stored}
    sessions = Sessions(transaction, touched - fresh)
    sessions.change(change.calls, change.gone, change.recovered)
    for row, own in zip(rows, keys, strict=True):
        sessions.reach(row, own, _joins_anew(row, stored))
    sessions.write(change.narrowed())
    write_tool_sessions(transaction, change.calls, change.gone, fresh)
    again = {each.key: stored[each.key] for each in judged if each.key in stored}
    replace_rows(transaction, again, rows, since)


def _joins_anew(row: TraceRow, stored: Mapping[TraceKey, TraceRow]) -> bool:
    before = stored.get(TraceKey(row.project, row.trace_id))
    return before is None or before.session_key != row.session_key or before.calls == 0


def _session_of(judged: Judged) -> str:
    for call in judged.calls:
        if call.session_id:
            return call.session_id
    return judged.session or judged.trace.trace_id


def _senders(
    transaction: Transaction,
    judged: Sequence[Judged],
    added: Sequence[Placed],
    gone: Sequence[Row],
    stored: Mapping[TraceKey, TraceRow],
) -> None:
    senders = Senders()
    senders.calls([placed.call for placed in added], [placed.scope for placed in added])
    senders.replaced(gone)
    for each in judged:
        before = stored.get(each.key)
        senders.spans(each.trace, before.judged_seq if before else 0)
    senders.write(transaction)


def _by_project(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["project"], []).append(row)
    return found


def _by_owner(refreshed: Iterable[Refreshed]) -> dict[str, dict[str, SessionCall]]:
    found: dict[str, dict[str, SessionCall]] = {}
    for each in refreshed:
        found.setdefault(each.project, {})[each.call.id] = each.call
    return found


def _bounds(starts: Sequence[int]) -> dict[str, int]:
    return {"first": min(starts), "last": max(starts)}
