"""The recent calls of one session, indexed so that each call finds what came after it without walking the session."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence

from analytics.calls import Call
from telltale.vocabulary import Outcome

_Key = tuple[str, str | None]


def end_of(call: Call) -> int:
    """When a call ended, in nanoseconds since 1970 UTC."""
    return call.started_ns + int(call.duration_ms * 1e6)


class Timeline:
    """Calls in order of start; later calls of the same tool, with the same arguments, or successful ones."""

    def __init__(self, calls: Sequence[Call]) -> None:
        self.calls = calls
        self._tool: dict[str, list[Call]] = defaultdict(list)
        self._same: dict[_Key, list[Call]] = defaultdict(list)
        self._good: dict[str, list[Call]] = defaultdict(list)
        self._good_same: dict[_Key, int] = {}
        for call in calls:
            key = (call.tool, call.arguments_hash)
            self._tool[call.tool].append(call)
            self._same[key].append(call)
            if call.outcome is Outcome.OK:
                self._good[call.tool].append(call)
                self._good_same[key] = call.started_ns

    def next_of_tool(self, call: Call) -> Call | None:
        """The next call of the same tool that began after this one ended."""
        return _first_after(self._tool[call.tool], end_of(call))

    def next_same(self, call: Call) -> Call | None:
        """The next call with the same arguments that began after this one ended."""
        return _first_after(self._same[call.tool, call.arguments_hash], end_of(call))

    def same_succeeded_after(self, call: Call) -> bool:
        """Whether the same call succeeded after this one ended."""
        return self._good_same.get((call.tool, call.arguments_hash), -1) >= end_of(call)

    def good_after(self, call: Call) -> Iterator[Call]:
        """Successful calls of the same tool that began after this one ended, in order."""
        good = self._good.get(call.tool, [])
        for place in range(bisect_left(good, end_of(call), key=_start), len(good)):
            yield good[place]


def _first_after(calls: list[Call], time_ns: int) -> Call | None:
    place = bisect_left(calls, time_ns, key=_start)
    return calls[place] if place < len(calls) else None


def _start(call: Call) -> int:
    return call.started_ns
