"""How many bytes a sender may push a second: by token where there is one, else by address."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from collector.errors import throttled

_SENDERS = 10_000


class SenderRate:
    """A bucket of bytes for each sender, refilled all the time; a sender that empties it must wait."""

    def __init__(
        self, bytes_per_s: int | None, burst_s: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`bytes_per_s` None sets no limit; a sender that was quiet may push `burst_s` seconds' worth at once."""
        self._rate = bytes_per_s
        self._burst = (bytes_per_s or 0) * burst_s
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, sender: str, count: int) -> None:
        """Account for a request of `count` bytes.

        Raises:
            Refusal: the sender has spent its share; it is told how long to wait.
        """
        if self._rate is None:
            return
        now = self._clock()
        left, last = self._left.pop(sender, (self._burst, now))
        left = min(self._burst, left + (now - last) * self._rate)
        if left <= 0:
            self._left[sender] = (left, now)
            raise throttled("this sender pushes more bytes a second than it may", math.ceil(1 - left / self._rate))
        self._left[sender] = (left - count, now)
        while len(self._left) > _SENDERS:
            self._left.popitem(last=False)
