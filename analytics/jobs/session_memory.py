"""What is at hand of recent sessions: their calls without payloads, and what their agents said."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import msgspec

from analytics.calls import Call
from analytics.jobs.call_rows import held
from analytics.judge import WINDOW_CALLS, WINDOW_NS, Answer, SessionCall
from analytics.judge.session_call import SHORT_RESULT, end_of, repeats_as
from analytics.store import TraceKey, Transaction
from telltale.vocabulary import Outcome, Payload

REMEMBERED = 60_000
"""Calls of recent sessions kept at hand (about 1 kB each); long arguments count as several."""

_WEIGHT_CHARS = 1000

Key = tuple[str, str]
"""(project, session id)."""

_RECENT = f"""SELECT session_key, id, trace_id, span_id, tool, started_ns, duration_ms, outcome, code, action,
    retryable, retry_after_s, arguments, arguments_hash, error_message, payload, fingerprint, result_hash,
    left(result, {SHORT_RESULT + 1}) AS result, flags, rules, evidence, recovered, turn
FROM call
WHERE project = $project AND session_key IN (SELECT unnest($ids)) AND started_ns >= $since AND session_id IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY session_key ORDER BY started_ns DESC) <= {WINDOW_CALLS}
ORDER BY started_ns"""  # noqa: S608  (numbers of ours)

_start = attrgetter("started_ns")
_evidence = msgspec.json.Decoder(list[dict[str, Any]]).decode


@dataclass(slots=True)
class _Recent:
    """What is at hand of a session: its recent calls in order of start, what they weigh, what its agent said.

    Calls that began before `since_ns` were not looked for. `traces` are those of the calls, and may be of calls that
    are gone; `sorted` is false while calls stand behind later ones.
    """

    since_ns: int
    calls: list[SessionCall] = field(default_factory=list)
    weight: int = 0
    answers: list[Answer] = field(default_factory=list)
    traces: set[str] = field(default_factory=set)
    sorted: bool = True

    def take_out(self, traces: set[str]) -> dict[str, SessionCall]:
        """Let go of the calls of some traces, and of the oldest beyond the window; returns the former by id."""
        taken: list[SessionCall] = []
        if not self.traces.isdisjoint(traces):
            taken = [call for call in self.calls if call.trace_id in traces]
            self.calls = [call for call in self.calls if call.trace_id not in traces]
        if not self.sorted:
            self.calls.sort(key=_start)
            self.sorted = True
        beyond = self.calls[:-WINDOW_CALLS]
        del self.calls[: len(beyond)]
        self.weight -= sum(map(_weight, beyond)) + sum(map(_weight, taken))
        if len(self.traces) > 2 * WINDOW_CALLS:
            self.traces = {call.trace_id for call in self.calls}
        return {call.id: call for call in taken}

    def add(self, call: SessionCall) -> None:
        """One more call."""
        self.sorted = self.sorted and (not self.calls or self.calls[-1].started_ns <= call.started_ns)
        self.calls.append(call)
        self.traces.add(call.trace_id)
        self.weight += _weight(call)

    def between(self, low: int, high: int) -> list[SessionCall]:
        """The calls that began in a time, the calls being in order."""
        first, last = bisect_left(self.calls, low, key=_start), bisect_right(self.calls, high, key=_start)
        return self.calls[first:last]


@dataclass(slots=True)
class Earlier:
    """The stored calls of a session that fresh ones may meet, and those that the fresh ones replace, by id."""

    calls: list[SessionCall]
    replaced: dict[str, SessionCall]


class SessionMemory:
    """Recent calls by session, the sessions longest untouched leave first; what is not at hand is read."""

    def __init__(self) -> None:
        self._recent: OrderedDict[Key, _Recent] = OrderedDict()
        self._remembered = 0

    def earlier(
        self, transaction: Transaction, fresh: Mapping[Key, Sequence[Call]], again: set[TraceKey]
    ) -> dict[Key, Earlier]:
        """The recent calls of these sessions, those of traces that are judged now (`again`) apart."""
        self._load(transaction, fresh)
        judged_now: dict[str, set[str]] = defaultdict(set)
        for trace in again:
            judged_now[trace.project].add(trace.trace_id)
        found = {}
        for key, calls in fresh.items():
            known = self._recent[key]
            self._recent.move_to_end(key)
            before = known.weight
            replaced = known.take_out(judged_now[key[0]])
            self._remembered += known.weight - before
            starts = [call.started_ns for call in calls]
            found[key] = Earlier(known.between(min(starts) - WINDOW_NS, max(starts) + WINDOW_NS), replaced)
        return found

    def said(self, key: Key, new: Sequence[Answer]) -> list[Answer]:
        """What the agent of a session said lately, these answers among it; the session was asked for before."""
        recent = self._recent[key]
        if new:
            before = len(recent.answers)
            answers = {*recent.answers, *new}
            recent.answers = sorted(answers, key=lambda each: (each.time_ns, each.text))[-WINDOW_CALLS:]
            recent.weight += len(recent.answers) - before
            self._remembered += len(recent.answers) - before
        return recent.answers

    def keep(self, fresh: Mapping[Key, Sequence[SessionCall]]) -> None:
        """Keep calls at hand that are stored now; their sessions were asked for before."""
        for key, calls in fresh.items():
            self._add(key, calls)
        while self._remembered > REMEMBERED and len(self._recent) > 1:
            _, dropped = self._recent.popitem(last=False)
            self._remembered -= dropped.weight

    def forget(self) -> None:
        """What is at hand may not be what is stored."""
        self._recent.clear()
        self._remembered = 0

    def _add(self, key: Key, calls: Iterable[SessionCall]) -> None:
        recent = self._recent[key]
        before = recent.weight
        for call in calls:
            recent.add(call)
        self._remembered += recent.weight - before
        self._recent.move_to_end(key)

    def _load(self, transaction: Transaction, fresh: Mapping[Key, Sequence[Call]]) -> None:
        """Read the sessions that are not at hand, or not from early enough on."""
        by_project: dict[str, dict[str, int]] = defaultdict(dict)
        for (project, session_id), calls in fresh.items():
            first = held(min(map(_start, calls)) - WINDOW_NS)
            known = self._recent.get((project, session_id))
            if known is None or first < known.since_ns:
                by_project[project][session_id] = first - WINDOW_NS  # calls that come later may have begun earlier
        for project, sessions in by_project.items():
            since_ns = held(min(sessions.values()))
            for session_id in sessions:
                known = self._recent.pop((project, session_id), None)
                answers = known.answers if known else []
                self._remembered += len(answers) - (known.weight if known else 0)
                self._recent[project, session_id] = _Recent(since_ns, weight=len(answers), answers=answers)
            place = {"project": project, "ids": list(sessions), "since": since_ns}
            for row in transaction.query(_RECENT, place).to_pylist():
                self._add((project, row["session_key"]), [_call_of(row)])


def _call_of(row: Mapping[str, Any]) -> SessionCall:
    """The stored call as its session sees it."""
    outcome = Outcome(row["outcome"])
    return SessionCall(
        id=row["id"],
        trace_id=row["trace_id"],
        span_id=row["span_id"],
        tool=row["tool"],
        started_ns=row["started_ns"],
        ended_ns=end_of(row["started_ns"], row["duration_ms"]),
        outcome=outcome,
        code=row["code"],
        action=row["action"],
        retryable=row["retryable"],
        retry_after_s=row["retry_after_s"],
        arguments=row["arguments"],
        arguments_hash=row["arguments_hash"],
        error_message=row["error_message"],
        repeats_as=repeats_as(outcome, row["fingerprint"], Payload(row["payload"]), row["result_hash"], row["result"]),
        flags=row["flags"],
        rules=row["rules"],
        evidence=_evidence(row["evidence"]),
        recovered=row["recovered"],
        turn=row["turn"],
    )


def _weight(call: SessionCall) -> int:
    return 1 + len(call.arguments) // _WEIGHT_CHARS if call.arguments else 1
