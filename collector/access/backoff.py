"""Slows down whoever guesses tokens: after ten wrong ones, an address must wait, longer each time.

A right token is never kept waiting: it cannot be guessed, and many senders may share an address (a proxy, a gateway).
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

_FREE_FAILURES = 10
_LONGEST_S = 60
_ADDRESSES = 10_000
_FORGET_S = 600.0


class BackOff:
    """Failures by address."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Whole seconds that the address still has to wait before its next guess is heard; 0 when it may try."""
        failures, last = self._seen.get(address, (0, 0.0))
        if failures < _FREE_FAILURES:
            return 0
        left = last + min(2 ** (failures - _FREE_FAILURES), _LONGEST_S) - self._clock()
        return max(0, int(left) + 1) if left > 0 else 0

    def failed(self, address: str) -> None:
        """Note one wrong token."""
        now = self._clock()
        failures, last = self._seen.pop(address, (0, now))
        if now - last > _FORGET_S:
            failures = 0
        self._seen[address] = (min(failures + 1, _FREE_FAILURES + 10), now)
        while len(self._seen) > _ADDRESSES:
            self._seen.popitem(last=False)
