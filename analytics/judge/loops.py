"""Loops: the same call with the same result again and again.

Changing results are polling, overlapping starts are fan-out. Of failures, the same kind of failure counts as the same
result (a counter or a time in the message does not make it another one). Of good results only uninterrupted repeats
count, and a job that is reported as still running is being waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.calls import Call
from analytics.judge.timeline import end_of
from telltale.vocabulary import Outcome, Payload

_WAITING = ("running", "pending", "queued", "progress", "processing", "waiting", "started", "scheduled", "dispatched")


@dataclass(slots=True)
class Repeat:
    """A call that repeats: its place in the run of equal calls, and the first of them."""

    call: Call
    count: int
    first: Call


def repeats(calls: Sequence[Call]) -> Iterator[Repeat]:
    """Yields each call of a session (in order of start) that repeats an earlier one with the same result."""
    runs: dict[tuple[str, str], tuple[str, Call, Call, int]] = {}
    before: tuple[str, str] | None = None
    for call in calls:
        key = (call.tool, call.arguments_hash or "")
        result = _result_key(call)
        if result is None or call.arguments_hash is None:
            runs.pop(key, None)
            before = key
            continue
        known = runs.get(key)
        adjacent = before == key or call.outcome is not Outcome.OK
        if known is not None and known[0] == result and adjacent:
            if call.started_ns < end_of(known[2]):
                continue
            runs[key] = (result, known[1], call, known[3] + 1)
            yield Repeat(call, known[3] + 1, known[1])
        else:
            runs[key] = (result, call, call, 1)
        before = key


def _result_key(call: Call) -> str | None:
    """What makes two results the same; None for calls whose repetition says nothing."""
    if call.outcome is not Outcome.OK:
        return f"failed {call.fingerprint}"
    if call.payload is Payload.ABSENT or call.result_hash is None or _is_waiting(call.result):
        return None
    return f"ok {call.result_hash}"


def _is_waiting(result: str | None) -> bool:
    """Whether a short result's status says that a job is still under way."""
    if result is None or len(result) > 2000 or ("status" not in result and "state" not in result):
        return False
    low = result.lower()
    return any(word in low for word in _WAITING)
