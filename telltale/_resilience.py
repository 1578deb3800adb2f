"""Two layers that the model never sees: a bounded repeat inside one call, and a breaker shared by all sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from telltale._mapper import Failure
from telltale.vocabulary import Action, Code

CIRCUIT_OPEN = "circuit open"
"""`mapped_from` of the answer that an open circuit gives."""


@dataclass(frozen=True, slots=True)
class Retry:
    """Repeat a call that failed in passing (`retry_later`) before the model hears of it. Only for tools that may run
    twice without harm.

    Args:
        attempts: repeats after the first try.
        wait_s: pause before the first repeat, doubled for each further one.
        max_wait_s: no single pause is longer; an upstream that asks for more is not waited for, the model is told.

    Raises:
        ValueError: attempts outside 1…5, or a negative wait: nothing here may hold a conversation up for long.
    """

    attempts: int = 1
    wait_s: float = 0.2
    max_wait_s: float = 5.0

    def __post_init__(self) -> None:
        if not 1 <= self.attempts <= 5 or self.wait_s < 0 or self.max_wait_s < 0:
            raise ValueError("Retry takes 1 to 5 attempts and waits of 0 or more seconds")

    def pause(self, failure: Failure, done: int) -> float | None:
        """Seconds to wait before the next repeat, None when there shall be none.

        Args:
            failure: how the last try ended.
            done: repeats so far.
        """
        if done >= self.attempts or failure.action is not Action.RETRY_LATER:
            return None
        asked = failure.retry_after_seconds
        pause = self.wait_s * 2**done if asked is None else asked
        return pause if pause <= self.max_wait_s else None


class CircuitBreaker:
    """Stops calling a dependency that keeps failing for everybody; give one object to all tools that share it.

    After `failures` passing failures in a row, calls are answered UNAVAILABLE at once for `open_s` seconds; then one
    call is let through, whose end closes or opens the circuit again. Safe for threads.
    """

    def __init__(self, failures: int = 5, open_s: float = 30.0, clock: Callable[[], float] = time.monotonic) -> None:
        if failures < 1 or open_s <= 0:
            raise ValueError("CircuitBreaker takes at least 1 failure and a positive open_s")
        self._limit = failures
        self._open_s = open_s
        self._clock = clock
        self._lock = threading.Lock()
        self._row = 0
        self._open_until: float | None = None
        self._probe_until = 0.0

    def blocked(self) -> Failure | None:
        """The answer in the tool's place while the circuit is open, else None."""
        if self._open_until is None:
            return None
        with self._lock:
            now = self._clock()
            if self._open_until is None:
                return None
            if now >= self._open_until and now >= self._probe_until:
                self._probe_until = now + self._open_s  # one probe at a time; a lost one does not block for ever
                return None
            left = max(self._open_until, self._probe_until) - now
        return Failure(Code.UNAVAILABLE, CIRCUIT_OPEN, retry_after_seconds=max(1.0, left))

    def record(self, failure: Failure | None) -> None:
        """Tell the breaker how a call ended; errors that are not the dependency's outage count as an answer."""
        passing = failure is not None and failure.action is Action.RETRY_LATER
        if not passing and self._row == 0 and self._open_until is None:
            return
        with self._lock:
            self._row = self._row + 1 if passing else 0
            if self._row >= self._limit:
                self._open_until = self._clock() + self._open_s
                self._probe_until = 0.0
            elif not passing:
                self._open_until = None
