"""Loops, recovery, obedience: each call held against the calls around it in its session."""

from __future__ import annotations

import time
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from analytics.calls import Call
from analytics.jobs.call_rows import call_of, held
from analytics.jobs.writing import Judged
from analytics.judge import WINDOW_CALLS, WINDOW_NS, Answer, Update, apply_update
from analytics.settings import JudgeSettings
from analytics.store import TraceKey, Transaction
from telltale.vocabulary import Outcome

GROUP_CALLS, GROUP_NS = WINDOW_CALLS // 2, WINDOW_NS // 2
"""Calls of one session are judged in groups of at most half a window, each with the group before it beside it: every
call sees at least half a window back, and a session of n calls costs O(n)."""

REMEMBERED = 20_000
"""Calls of recent sessions kept at hand (about 1.5 kB each); long payloads count as several."""

_WEIGHT_CHARS = 1000

Key = tuple[str, str]
"""(project, session id)."""

_RECENT = """SELECT * FROM call
WHERE project = $project AND session_key IN (SELECT unnest($ids)) AND started_ns >= $since AND started_ns <= $until
ORDER BY started_ns"""


class JudgeSession(Protocol):
    """`analytics.judge.judge_session`."""

    def __call__(
        self, calls: Sequence[Call], settings: JudgeSettings, *, answers: Sequence[Answer], now_ns: int | None
    ) -> list[Update]:
        """What the session says of its recent calls."""


@dataclass(slots=True)
class _Recent:
    """What is at hand of a session: its recent calls, and what its agent said."""

    calls: list[Call] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)

    @property
    def weight(self) -> int:
        return len(self.answers) + sum(map(_weight, self.calls))


class SessionPass:
    """Runs the session rules over what a round judged, with the earlier calls of the same sessions beside it."""

    def __init__(self, settings: JudgeSettings, judge_calls: JudgeSession) -> None:
        self._settings = settings
        self._judge = judge_calls
        self._recent: OrderedDict[Key, _Recent] = OrderedDict()
        self._remembered = 0

    def run(
        self, transaction: Transaction, judged: Sequence[Judged], answers: Mapping[TraceKey, Sequence[Answer]]
    ) -> list[Call]:
        """Finish the calls of these traces in place; returns stored calls of other traces whose verdict it changed.

        Args:
            transaction: where a session that is not at hand is read.
            judged: freshly judged traces.
            answers: what the agent said to the user in each of them, where it is known.
        """
        fresh: dict[Key, list[Call]] = defaultdict(list)
        said: dict[Key, list[Answer]] = defaultdict(list)
        for each in judged:
            own = [call for call in each.calls if not call.session_id]
            if own:
                self._finish(own, set(), answers.get(each.key, ()))
            for call in each.calls:
                if call.session_id:
                    fresh[call.project, call.session_id].append(call)
            for session_id in {call.session_id for call in each.calls if call.session_id}:
                said[each.key.project, session_id].extend(answers.get(each.key, ()))
        earlier = self._earlier(transaction, fresh, {each.key for each in judged})
        changed: list[Call] = []
        for key, calls in fresh.items():
            before = [(call, _state(call)) for call in earlier[key]]
            stored = {call.id for call in earlier[key]}
            self._finish(sorted([*earlier[key], *calls], key=_start), stored, self._said(key, said[key]))
            changed += [call for call, state in before if _state(call) != state]
        return changed

    def remember(self, judged: Iterable[Judged]) -> None:
        """The transaction holds: keep the calls at hand."""
        for each in judged:
            for call in each.calls:
                if call.session_id:
                    self._keep((call.project, call.session_id), call)
        while self._remembered > REMEMBERED and len(self._recent) > 1:
            _, dropped = self._recent.popitem(last=False)
            self._remembered -= dropped.weight

    def forget(self) -> None:
        """The transaction failed: what is at hand may have been changed by it."""
        self._recent.clear()
        self._remembered = 0

    def _finish(self, calls: list[Call], stored: set[str], answers: Sequence[Answer]) -> None:
        """Judge the calls of one session (in order of start) group by group.

        A call is finished with its own group. The next group may still tell that it recovered; and so may the first
        group of what is stored, when the calls before it are no longer at hand.
        """
        groups = _groups(calls)
        cut = len(stored) >= WINDOW_CALLS
        now_ns = time.time_ns()
        for place, (before, group) in enumerate(pairwise([[], *groups])):
            own = {call.id: call for call in group}
            others = {call.id: call for call in before}
            for update in self._judge([*before, *group], self._settings, answers=answers, now_ns=now_ns):
                call = own.get(update.id)
                if call is not None and not (cut and place == 0 and call.id in stored):
                    apply_update(call, update)
                elif update.recovered is not None:
                    known = call or others[update.id]
                    known.recovered = update.recovered or known.recovered

    def _said(self, key: Key, new: Sequence[Answer]) -> list[Answer]:
        recent = self._recent[key]
        self._remembered -= len(recent.answers)
        recent.answers = sorted({*recent.answers, *new}, key=lambda each: (each.time_ns, each.text))[-WINDOW_CALLS:]
        self._remembered += len(recent.answers)
        return recent.answers

    def _keep(self, key: Key, call: Call) -> None:
        self._recent.setdefault(key, _Recent()).calls.append(call)
        self._remembered += _weight(call)
        self._recent.move_to_end(key)

    def _earlier(
        self, transaction: Transaction, fresh: Mapping[Key, Sequence[Call]], again: set[TraceKey]
    ) -> dict[Key, list[Call]]:
        """The recent calls of these sessions from traces that are not judged now."""
        self._load(transaction, [key for key in fresh if key not in self._recent], fresh)
        found = {}
        for key, calls in fresh.items():
            known = self._recent.setdefault(key, _Recent())
            self._recent.move_to_end(key)
            self._remembered -= known.weight
            kept = [call for call in known.calls if TraceKey(call.project, call.trace_id) not in again]
            low, high = min(map(_start, calls)) - WINDOW_NS, max(map(_start, calls)) + WINDOW_NS
            known.calls = sorted(kept, key=_start)[-WINDOW_CALLS:]
            self._remembered += known.weight
            found[key] = [call for call in known.calls if low <= call.started_ns <= high]
        return found

    def _load(self, transaction: Transaction, missing: Sequence[Key], fresh: Mapping[Key, Sequence[Call]]) -> None:
        by_project: dict[str, list[str]] = defaultdict(list)
        for project, session_id in missing:
            by_project[project].append(session_id)
        for project, ids in by_project.items():
            starts = [call.started_ns for each in ids for call in fresh[project, each]]
            window = {"since": held(min(starts) - WINDOW_NS), "until": held(max(starts) + WINDOW_NS)}
            rows = transaction.query(_RECENT, {"project": project, "ids": ids, **window})
            for row in rows.to_pylist():
                if row["session_id"] is not None:
                    self._keep((project, row["session_key"]), call_of(row))


def _groups(calls: Sequence[Call]) -> list[list[Call]]:
    groups: list[list[Call]] = []
    for call in calls:
        group = groups[-1] if groups else None
        if group is None or len(group) >= GROUP_CALLS or call.started_ns - group[0].started_ns > GROUP_NS:
            groups.append([call])
        else:
            group.append(call)
    return groups


def _weight(call: Call) -> int:
    return 1 + (len(call.arguments or "") + len(call.result or "")) // _WEIGHT_CHARS


def _start(call: Call) -> int:
    return call.started_ns


def _state(call: Call) -> tuple[object, ...]:
    return call.recovered, tuple(call.flags), tuple(call.rules), len(call.evidence)


def failed(calls: Iterable[Call]) -> bool:
    """Whether any of these calls failed: only then does it matter what the agent said."""
    return any(call.outcome is not Outcome.OK for call in calls)
