"""Loops and recovery: each call held against the calls around it in its session."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence

from analytics.calls import Call
from analytics.jobs.call_rows import call_of, held
from analytics.jobs.writing import Judged
from analytics.questions.times import SECOND_NS
from analytics.settings import JudgeSettings
from analytics.store import TraceKey, Transaction

WINDOW_NS = 30 * 60 * SECOND_NS
WINDOW_CALLS = 200
"""A session's recent calls: its last 200, of the 30 minutes around the new ones."""

REMEMBERED_CALLS = 20_000
"""Calls of recent sessions kept at hand, payloads left out (about 1.5 kB each)."""

Key = tuple[str, str]
"""(project, session id)."""

_RECENT = """SELECT * EXCLUDE (arguments, result), NULL AS arguments, NULL AS result FROM call
WHERE project = $project AND session_key IN (SELECT unnest($ids)) AND started_ns >= $since AND started_ns <= $until
ORDER BY started_ns"""


class SessionPass:
    """Runs the session rules over what a round judged, with the earlier calls of the same sessions beside it."""

    def __init__(
        self, settings: JudgeSettings, judge_calls: Callable[[Sequence[Call], JudgeSettings], list[Call]]
    ) -> None:
        self._settings = settings
        self._judge = judge_calls
        self._recent: OrderedDict[Key, list[Call]] = OrderedDict()
        self._remembered = 0

    def run(self, transaction: Transaction, judged: Sequence[Judged]) -> list[Call]:
        """Finish the calls of these traces in place; returns stored calls of other traces whose verdict it changed."""
        fresh: dict[Key, list[Call]] = defaultdict(list)
        alone: list[list[Call]] = []
        for each in judged:
            own = [call for call in each.calls if not call.session_id]
            if own:
                alone.append(own)
            for call in each.calls:
                if call.session_id:
                    fresh[call.project, call.session_id].append(call)
        for calls in alone:
            self._finish(calls)
        again = {each.key for each in judged}
        earlier = self._earlier(transaction, fresh, again)
        changed: list[Call] = []
        for key, calls in fresh.items():
            before = [(call, _state(call)) for call in earlier.get(key, [])]
            self._finish(sorted([*earlier.get(key, []), *calls], key=_start))
            changed += [call for call, state in before if _state(call) != state]
        return changed

    def remember(self, judged: Iterable[Judged]) -> None:
        """The transaction holds: keep the calls at hand, without their payloads."""
        for each in judged:
            for call in each.calls:
                call.arguments = call.result = None
                if call.session_id:
                    self._keep((call.project, call.session_id), call)
        while self._remembered > REMEMBERED_CALLS:
            _, dropped = self._recent.popitem(last=False)
            self._remembered -= len(dropped)

    def forget(self) -> None:
        """The transaction failed: what is at hand may have been changed by it."""
        self._recent.clear()
        self._remembered = 0

    def _finish(self, calls: list[Call]) -> None:
        by_id = {call.id: call for call in calls}
        for made in self._judge(calls, self._settings):
            call = by_id[made.id]
            if made is not call:
                call.flags, call.rules, call.evidence = made.flags, made.rules, made.evidence
                call.recovered = made.recovered

    def _keep(self, key: Key, call: Call) -> None:
        calls = self._recent.setdefault(key, [])
        calls.append(call)
        self._remembered += 1
        self._recent.move_to_end(key)

    def _earlier(
        self, transaction: Transaction, fresh: dict[Key, list[Call]], again: set[TraceKey]
    ) -> dict[Key, list[Call]]:
        """The recent calls of these sessions from traces that are not judged now."""
        self._load(transaction, [key for key in fresh if key not in self._recent], fresh)
        found = {}
        for key, calls in fresh.items():
            known = self._recent.get(key, [])
            low, high = _start(min(calls, key=_start)) - WINDOW_NS, _start(max(calls, key=_start)) + WINDOW_NS
            kept = [call for call in known if TraceKey(call.project, call.trace_id) not in again]
            kept = sorted(kept, key=_start)[-WINDOW_CALLS:]
            self._remembered += len(kept) - len(known)
            self._recent[key] = kept
            self._recent.move_to_end(key)
            found[key] = [call for call in kept if low <= call.started_ns <= high]
        return found

    def _load(self, transaction: Transaction, missing: Sequence[Key], fresh: dict[Key, list[Call]]) -> None:
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


def _start(call: Call) -> int:
    return call.started_ns


def _state(call: Call) -> tuple[object, ...]:
    return call.recovered, tuple(call.flags), tuple(call.rules), len(call.evidence)
