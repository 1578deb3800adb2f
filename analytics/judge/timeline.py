"""The recent calls of one session, indexed so that a failure finds what came after it without a walk."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter

from analytics.judge.session_call import SessionCall
from telltale.vocabulary import Outcome

_Key = tuple[str, str | None]

_start = attrgetter("started_ns")


class Timeline:
    """Calls in order of start; later calls of the same tool, with the same arguments, or successful ones.

    Only tools with a failure are asked for, so only their calls are indexed.
    """

    def __init__(self, calls: Sequence[SessionCall]) -> None:
        self._tool: dict[str, list[SessionCall]] = defaultdict(list)
        self._same: dict[_Key, list[SessionCall]] = defaultdict(list)
        self._good: dict[str, list[SessionCall]] = defaultdict(list)
        self._good_same: dict[_Key, int] = {}
        failing = {call.tool for call in calls if call.outcome is not Outcome.OK}
        for call in calls:
            if call.tool not in failing:
                continue
            key = (call.tool, call.arguments_hash)
            self._tool[call.tool].append(call)
            self._same[key].append(call)
            if call.outcome is Outcome.OK:
                self._good[call.tool].append(call)
                self._good_same[key] = call.started_ns

    def next_of_tool(self, call: SessionCall) -> SessionCall | None:
        """The next call of a failed call's tool that began after it ended."""
        return _first_after(self._tool[call.tool], call.ended_ns)

    def next_same(self, call: SessionCall) -> SessionCall | None:
        """The next call with the same arguments that began after this one ended."""
        return _first_after(self._same[call.tool, call.arguments_hash], call.ended_ns)

    def same_succeeded_after(self, call: SessionCall) -> bool:
        """Whether the same call succeeded after this one ended."""
        return self._good_same.get((call.tool, call.arguments_hash), -1) >= call.ended_ns

    def good_after(self, call: SessionCall) -> Iterator[SessionCall]:
        """Successful calls of the same tool that began after this one ended, in order."""
        good = self._good.get(call.tool, [])
        for place in range(bisect_left(good, call.ended_ns, key=_start), len(good)):
            yield good[place]


def _first_after(calls: list[SessionCall], time_ns: int) -> SessionCall | None:
    place = bisect_left(calls, time_ns, key=_start)
    return calls[place] if place < len(calls) else None
