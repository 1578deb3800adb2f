"""Loops, recovery, obedience: each call held against the calls around it in its session."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Protocol

from analytics.calls import Call
from analytics.jobs.session_memory import Earlier, Key, SessionMemory
from analytics.jobs.writing import Judged, Refreshed, State, state_of
from analytics.judge import WINDOW_CALLS, WINDOW_NS, Answer, SessionCall, Update, add_update, apply_update, settled
from analytics.settings import JudgeSettings
from analytics.store import TraceKey, Transaction
from telltale.vocabulary import Flag, Outcome

GROUP_CALLS, GROUP_NS = WINDOW_CALLS // 2, WINDOW_NS // 2
"""Calls of one session are judged in groups of at most half a window, each with the group before it beside it: every
call sees at least half a window back, and a session of n calls costs O(n)."""

_start = attrgetter("started_ns")
_NAMES = ("outcome", "tool", "arguments_hash", "repeats_as", "code", "action", "retryable", "retry_after_s", "ended_ns")
_facts = attrgetter(*_NAMES)
_facts_and_turn = attrgetter(*_NAMES, "turn")


class JudgeSession(Protocol):
    """`analytics.judge.judge_session`."""

    def __call__(
        self,
        calls: Sequence[SessionCall],
        settings: JudgeSettings,
        *,
        answers: Sequence[Answer],
        now_ns: int | None,
        loops: bool,
    ) -> list[Update]:
        """What the session says of its recent calls."""


class SessionPass:
    """Runs the session rules over what a round judged, with the earlier calls of the same sessions beside it."""

    def __init__(self, settings: JudgeSettings, judge_calls: JudgeSession) -> None:
        self._settings = settings
        self._judge = judge_calls
        self._memory = SessionMemory()
        self._fresh: dict[Key, list[SessionCall]] = {}

    def run(
        self, transaction: Transaction, judged: Sequence[Judged], answers: Mapping[TraceKey, Sequence[Answer]]
    ) -> list[Refreshed]:
        """Finish the calls of these traces in place; returns stored calls of other traces whose verdict it changed.

        Args:
            transaction: where a session that is not at hand is read.
            judged: freshly judged traces.
            answers: what the agent said to the user in each of them, where it is known.
        """
        fresh: dict[Key, list[Call]] = defaultdict(list)
        said: dict[Key, list[Answer]] = defaultdict(list)
        for each in judged:
            alone = [call for call in each.calls if not call.session_id]
            if alone:
                self._finish(Earlier([], {}), alone, answers.get(each.key, ()))
            for call in each.calls:
                if call.session_id:
                    fresh[call.project, call.session_id].append(call)
            told = answers.get(each.key)
            if told:
                for session_id in {call.session_id for call in each.calls if call.session_id}:
                    said[each.key.project, session_id].extend(told)
        earlier = self._memory.earlier(transaction, fresh, {each.key for each in judged})
        changed: list[Refreshed] = []
        self._fresh = {}
        for key, calls in fresh.items():
            heard = self._memory.said(key, said.get(key, ()))
            self._fresh[key], touched = self._finish(earlier[key], calls, heard)
            changed += [Refreshed(key[0], call, was) for call, was in touched if state_of(call) != was]
        return changed

    def remember(self) -> None:
        """The transaction holds: keep what the last run finished at hand."""
        self._memory.keep(self._fresh)
        self._fresh = {}

    def forget(self) -> None:
        """The transaction failed: what is at hand may have been changed by it."""
        self._memory.forget()
        self._fresh = {}

    def _finish(
        self, earlier: Earlier, fresh: Sequence[Call], answers: Sequence[Answer]
    ) -> tuple[list[SessionCall], list[tuple[SessionCall, State]]]:
        """Judge fresh calls of one session beside the stored ones that they concern.

        What comes later may add to a stored call: it recovered, its advice was not followed. Where calls repeat, their
        neighbours matter too: then all calls from the first fresh one on are judged anew, group by group, each group
        beside the one before it. Where a fresh call is another one than it was before (more of its trace came), what
        rested on it may no longer hold: then all calls at hand are judged anew.

        Args:
            earlier: calls judged earlier, in order of start.
            fresh: calls judged now; their rows are changed in place.
            answers: what the agent said, in order of time.

        Returns:
            The fresh calls as they then stand; the stored ones that were touched, and what was known of them before.
        """
        stored = earlier.calls
        made = [SessionCall.of(call) for call in fresh]
        rows = {call.id: call for call in fresh}
        touched: dict[str, State] = {}
        if _others(earlier, made):
            touched = {call.id: state_of(call) for call in stored}
            groups, loops = _all_anew(stored, made), True
        elif self._may_loop(stored, made):
            groups, loops = _anew(stored, made), True
        else:
            groups, loops = [_concerned(stored, made), made], False
        calls = {call.id: call for group in groups for call in group}
        now_ns = time.time_ns()
        for before, group in pairwise(groups):
            context = {call.id for call in before}
            for update in self._judge([*before, *group], self._settings, answers=answers, now_ns=now_ns, loops=loops):
                call = calls[update.id]
                if update.id not in rows:
                    touched.setdefault(update.id, state_of(call))
                add_update(call, update) if update.id in context else apply_update(call, update)
                if update.id in rows:
                    apply_update(rows[update.id], call)
        return made, [(calls[name], was) for name, was in touched.items()]

    def _may_loop(self, stored: Sequence[SessionCall], made: Sequence[SessionCall]) -> bool:
        """Whether a fresh call may be part of a loop, or one that was found may look otherwise now."""
        flagged = [call.flags for call in stored if call.flags]
        if len(made) > GROUP_CALLS or any(Flag.RETRY_STORM in flags for flags in flagged):
            return True
        hashes = {call.arguments_hash for call in made}
        alike = Counter([(call.tool, call.arguments_hash) for call in stored if call.arguments_hash in hashes])
        alike.update([(call.tool, call.arguments_hash) for call in made])
        return max(alike.values()) >= self._settings.retry_storm_calls


def _others(earlier: Earlier, made: Sequence[SessionCall]) -> bool:
    """Whether a fresh call is another one than the call that it replaces, in what others rest on."""
    if not earlier.replaced:
        return False
    advised = any(call.outcome is Outcome.STRUCTURED_ERROR for call in (*earlier.calls, *made))
    facts = _facts_and_turn if advised else _facts
    fresh = {call.id: facts(call) for call in made}
    return any(fresh.get(call.id) != facts(call) for call in earlier.replaced.values())


def _all_anew(stored: Sequence[SessionCall], made: Sequence[SessionCall]) -> list[Sequence[SessionCall]]:
    """Groups of all calls, whose recoveries are looked for again; without the calls before it, the first only gains."""
    for call in stored:
        call.recovered = None
    whole = sorted([*stored, *made], key=_start)
    cut = GROUP_CALLS if len(stored) >= WINDOW_CALLS else 0
    return [whole[:cut], *_groups(whole[cut:])]


def _concerned(stored: Sequence[SessionCall], made: Sequence[SessionCall]) -> list[SessionCall]:
    """The stored calls that tell something of a fresh failure, or that fresh calls tell something of."""
    open_ = [call for call in stored if call.outcome is not Outcome.OK and not settled(call)]
    tools = {call.tool for call in made if call.outcome is not Outcome.OK}
    tools |= {call.tool for call in open_ if call.outcome is Outcome.STRUCTURED_ERROR}
    if not tools:
        return open_
    known = set(map(id, open_))
    return [call for call in stored if call.tool in tools or id(call) in known]


def _anew(stored: Sequence[SessionCall], made: Sequence[SessionCall]) -> list[Sequence[SessionCall]]:
    """Groups of all calls from the first fresh one on, after the stored ones before it."""
    first = bisect_left(stored, min(map(_start, made)), key=_start)
    context = stored[max(0, first - GROUP_CALLS) : first]
    return [context, *_groups(sorted([*stored[first:], *made], key=_start))]


def _groups(calls: Sequence[SessionCall]) -> list[list[SessionCall]]:
    groups: list[list[SessionCall]] = []
    for call in calls:
        group = groups[-1] if groups else None
        if group is None or len(group) >= GROUP_CALLS or call.started_ns - group[0].started_ns > GROUP_NS:
            groups.append([call])
        else:
            group.append(call)
    return groups


def failed(calls: Iterable[Call]) -> bool:
    """Whether any of these calls failed: only then does it matter what the agent said."""
    return any(call.outcome is not Outcome.OK for call in calls)
