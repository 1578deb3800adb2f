"""Loops: the same call with the same result again and again.

Changing results are polling, overlapping starts are fan-out. Of failures, the same kind of failure counts as the same
result (a counter or a time in the message does not make it another one). Of good results only uninterrupted repeats
count, and a job that is reported as still running is being waited for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analytics.judge.session_call import SessionCall
from telltale.vocabulary import Outcome


@dataclass(slots=True)
class Repeat:
    """A call that repeats: its place in the run of equal calls, and the first of them."""

    call: SessionCall
    count: int
    first: SessionCall


def repeats(calls: Sequence[SessionCall]) -> Iterator[Repeat]:
    """Yields each call of a session (in order of start) that repeats an earlier one with the same result."""
    runs: dict[tuple[str, str | None], tuple[str, SessionCall, SessionCall, int]] = {}
    before: tuple[str, str | None] | None = None
    for call in calls:
        key = (call.tool, call.arguments_hash)
        result = call.repeats_as
        if result is None or call.arguments_hash is None:
            runs.pop(key, None)
            before = key
            continue
        known = runs.get(key)
        adjacent = before == key or call.outcome is not Outcome.OK
        if known is not None and known[0] == result and adjacent:
            if call.started_ns < known[2].ended_ns:
                continue
            runs[key] = (result, known[1], call, known[3] + 1)
            yield Repeat(call, known[3] + 1, known[1])
        else:
            runs[key] = (result, call, call, 1)
        before = key
