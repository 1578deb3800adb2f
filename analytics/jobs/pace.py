"""When a trace that keeps growing is judged again: soon enough to be fresh, seldom enough to stay linear."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from analytics.store import TraceKey

AGAIN_S = 2.0
"""The shortest time between two judgements of one trace, in seconds."""

COST_SHARE = 10.0
"""A trace waits at least this many times as long as its last judgement took: it never takes more than a tenth of the
judge's time, however large it grows, so a trace of n spans costs O(n) and not one judgement per batch."""

REMEMBERED = 20_000
"""Traces whose last judgement is remembered; one forgotten is judged at once, which is only dearer."""


@dataclass(slots=True, frozen=True)
class _Judged:
    due: float
    upto_seq: int


class Pace:
    """Remembers when each recent trace is due again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, again_s: float = AGAIN_S) -> None:
        self._clock = clock
        self._again_s = again_s
        self._judged: OrderedDict[TraceKey, _Judged] = OrderedDict()

    def due(self, key: TraceKey) -> bool:
        """Whether a trace may be judged now."""
        last = self._judged.get(key)
        return last is None or self._clock() >= last.due

    def judged(self, key: TraceKey, cost_s: float, upto_seq: int) -> None:
        """A trace was judged, up to an arrival number, at a cost in seconds."""
        self._judged[key] = _Judged(self._clock() + max(self._again_s, COST_SHARE * cost_s), upto_seq)
        self._judged.move_to_end(key)
        while len(self._judged) > REMEMBERED:
            self._judged.popitem(last=False)

    def forget(self, keys: Iterable[TraceKey]) -> None:
        """The verdicts of these traces were not kept."""
        for key in keys:
            self._judged.pop(key, None)

    def upto(self, key: TraceKey) -> int:
        """The arrival number up to which a trace is known to be judged; 0 where that is not remembered."""
        last = self._judged.get(key)
        return last.upto_seq if last else 0
