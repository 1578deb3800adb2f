"""What only the calls around a call can tell: loops, recovery, a spent budget, obedience.

Pure functions over the recent calls of one session (the job hands in the last 30 minutes or 200 calls). They may be
asked again with more calls at any time: each answer replaces the one before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from analytics.calls import Call
from analytics.judge.loops import repeats
from analytics.judge.obedience import disobeyed
from analytics.judge.recovery import Answer, succeeded_later, was_told
from analytics.judge.session_call import OWN_RULES, SessionCall
from analytics.judge.timeline import Timeline
from analytics.settings import JudgeSettings
from telltale.vocabulary import Flag, Outcome

WINDOW_CALLS = 200
"""Most calls of a session that one pass looks at, the latest ones."""

WINDOW_NS = 30 * 60 * 1_000_000_000
"""How far back from the latest call a pass looks, in nanoseconds."""

_in_order = attrgetter("started_ns", "id")
_same = attrgetter("tool", "arguments_hash")


@dataclass(slots=True)
class Update:
    """What the session's pass says of one call: its flags and rules as they now stand, and whether it recovered."""

    id: str
    flags: list[str]
    rules: list[str]
    evidence: list[dict[str, Any]]
    recovered: bool | None


def judge_session(
    calls: Sequence[SessionCall],
    settings: JudgeSettings,
    *,
    answers: Sequence[Answer] = (),
    now_ns: int | None = None,
    loops: bool = True,
) -> list[Update]:
    """Judges the recent calls of one session together.

    Args:
        calls: the session's recent calls, in any order; copies of one call (by id) count once.
        settings: where a loop begins.
        answers: what the agent said to the user in these minutes, where it is known.
        loops: whether to look for loops; false where calls between these are left out.
        now_ns: the present; an unrecovered failure becomes a final one when the session has been quiet for 30 minutes.

    Returns:
        One update per call that differs from what the row says now, in order of start.
    """
    recent = _recent(calls)
    updates = {call.id: _blank(call) for call in recent if call.rules and call.marked}
    if loops and max(Counter(map(_same, recent)).values(), default=0) >= settings.retry_storm_calls:
        _find_loops(recent, settings, updates)
    failed = [call for call in recent if call.outcome is not Outcome.OK and not settled(call)]
    if failed:
        quiet = now_ns is not None and now_ns - recent[-1].started_ns > WINDOW_NS
        _overcome(failed, Timeline(recent), answers, quiet, updates)
    if not updates:
        return []
    return [updates[call.id] for call in recent if call.id in updates and _differs(call, updates[call.id])]


def apply_update(call: Call | SessionCall, update: Update | SessionCall) -> None:
    """Writes an update into its row."""
    call.flags, call.rules = update.flags, update.rules
    call.evidence, call.recovered = update.evidence, update.recovered


def add_update(call: SessionCall, update: Update) -> None:
    """Adds to a call what the calls after it tell; nothing is taken back, since those before it may not be at hand."""
    known = set(call.rules)
    call.flags = call.flags + [flag for flag in update.flags if flag not in call.flags]
    call.rules = call.rules + [rule for rule in update.rules if rule not in known]
    call.evidence = call.evidence + [entry for entry in update.evidence if entry.get("rule") not in known]
    call.recovered = update.recovered or call.recovered


def _recent(calls: Sequence[SessionCall]) -> list[SessionCall]:
    """The calls in order of start, each once, no older than the window; the later copy of a call wins."""
    unique = {call.id: call for call in calls}
    ordered = sorted(unique.values(), key=_in_order)
    if ordered and (len(ordered) > WINDOW_CALLS or ordered[-1].started_ns - ordered[0].started_ns > WINDOW_NS):
        since = ordered[-1].started_ns - WINDOW_NS
        ordered = [call for call in ordered[-WINDOW_CALLS:] if call.started_ns >= since]
    return ordered


def settled(call: SessionCall) -> bool:
    """Whether nothing more can be told of a failure: it was overcome, and gave no advice that may yet be ignored."""
    return call.recovered is True and call.outcome is not Outcome.STRUCTURED_ERROR


def _find_loops(calls: Sequence[SessionCall], settings: JudgeSettings, updates: dict[str, Update]) -> None:
    for repeat in repeats(calls):
        if repeat.count >= settings.retry_storm_calls:
            update = updates.setdefault(repeat.call.id, _blank(repeat.call))
            update.flags.append(Flag.RETRY_STORM.value)
            _note(update, "session.retry_storm", repeat.first.span_id, repeat.count)


def _overcome(
    failed: Sequence[SessionCall],
    timeline: Timeline,
    answers: Sequence[Answer],
    quiet: bool,
    updates: dict[str, Update],
) -> None:
    """Whether each failure was overcome, and whether the agent did what its envelope asked for."""
    said = sorted(answers, key=lambda answer: answer.time_ns)
    for call in failed:
        overcome = succeeded_later(call, timeline) or bool(was_told(call, said))
        recovered = True if overcome else (False if quiet else None)
        broken = list(disobeyed(call, timeline))
        if broken or recovered is not call.recovered:
            updates.setdefault(call.id, _blank(call))
        if call.id in updates:
            updates[call.id].recovered = recovered
        for rule, other in broken:
            _note(updates[call.id], rule, other.span_id, other.id)


def _blank(call: SessionCall) -> Update:
    """The row without what an earlier pass had written, so that a pass never builds on itself."""
    flags = [flag for flag in call.flags if flag != Flag.RETRY_STORM.value]
    rules = [rule for rule in call.rules if not rule.startswith(OWN_RULES)]
    evidence = [entry for entry in call.evidence if not str(entry.get("rule", "")).startswith(OWN_RULES)]
    return Update(call.id, flags, rules, evidence, call.recovered if settled(call) else None)


def _note(update: Update, rule: str, span_id: str, value: Any) -> None:
    if rule not in update.rules:
        update.rules.append(rule)
    update.evidence.append({"rule": rule, "span_id": span_id, "value": value})


def _differs(call: SessionCall, update: Update) -> bool:
    return (
        call.recovered != update.recovered
        or call.flags != update.flags
        or call.rules != update.rules
        or call.evidence != update.evidence
    )
