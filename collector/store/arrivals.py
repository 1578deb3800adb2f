"""Which traces got rows, in order of arrival: kept in memory for the judge, who asks every second."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import islice

from analytics.store import TraceKey

Arrival = tuple[int, str, str]
"""Arrival number of a trace's last row in one append, project, trace id."""


class ArrivalLog:
    """The last arrivals. Not thread-safe: its owner holds a lock."""

    def __init__(self, known_from_seq: int, most: int = 50_000) -> None:
        """Arrivals after `known_from_seq` are here; older ones must be asked of the database."""
        self.known_from_seq = known_from_seq
        self._most = most
        self._log: list[Arrival] = []

    def add(self, arrivals: Iterable[Arrival], stored_seq: int) -> None:
        """Arrivals of one append, ascending. Old ones leave, once the database holds them (`stored_seq`)."""
        self._log.extend(arrivals)
        if len(self._log) > 2 * self._most and self._log[-self._most - 1][0] <= stored_seq:
            self.known_from_seq = self._log[-self._most - 1][0]
            del self._log[: -self._most]

    def after(self, seq: int, limit: int) -> tuple[list[TraceKey], int | None]:
        """Traces with rows after `seq`, oldest first; and where the answer ends, None if with the last arrival."""
        found: dict[TraceKey, None] = {}
        start = bisect_right(self._log, seq, key=lambda arrival: arrival[0])
        reached = seq
        for number, project, trace_id in islice(self._log, start, None):
            key = TraceKey(project, trace_id)
            if key not in found and len(found) == limit:
                return list(found), reached
            found[key] = None
            reached = number
        return list(found), None
